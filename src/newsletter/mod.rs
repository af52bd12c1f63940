//! Sending an issue of the newsletter: a Markdown file becomes a mail to
//! every confirmed subscriber.
//!
//! `issue` reads the file, `markdown` (with `plain_text`) makes HTML and plain
//! text of it. A `publisher` addresses it to one subscriber, `mailing` hands
//! that mail over, `dispatch` does so for all of them, `trust` doubts the mail
//! server, and `report` counts; `edition` is what the mails of a run share.

mod dispatch;
mod edition;
mod issue;
mod mailing;
mod markdown;
mod plain_text;
mod publisher;
mod report;
mod trust;

pub use dispatch::{CONVERSATIONS, Dispatch};
pub use edition::Edition;
pub use issue::{Issue, IssueError};
pub use mailing::LONGEST_HAND_OVER;
pub use publisher::Publisher;
pub use report::{RefusedAddress, Report};
