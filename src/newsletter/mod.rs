//! Sending an issue of the newsletter: a Markdown file becomes a mail to
//! every confirmed subscriber.
//!
//! `issue` reads the file, `markdown` makes HTML and plain text of it, `letter`
//! addresses it to one subscriber, `mailing` hands it over, `dispatch` does so
//! for all of them, and `report` counts.

mod dispatch;
mod errand;
mod issue;
mod letter;
mod mailing;
mod markdown;
mod report;

pub use dispatch::CONVERSATIONS;
pub use errand::Dispatch;
pub use issue::{Issue, IssueError};
pub use letter::Sender;
pub use mailing::LONGEST_HAND_OVER;
pub use report::{RefusedAddress, Report};
