//! Sending an issue of the newsletter: a Markdown file becomes a mail to
//! every confirmed subscriber.
//!
//! `issue` reads the file (with `front_matter`), `markdown` makes HTML and plain
//! text of it, `album` takes its pictures along. A `publisher` addresses it to one subscriber, `mailing` hands
//! that mail over, `dispatch` does so for all of them, `trust` doubts the mail
//! server, and `report` counts; `edition` is what the mails of a run share. `later` is
//! how a server sends what was scheduled.

mod album;
mod dispatch;
mod edition;
mod front_matter;
mod html_table;
mod issue;
mod later;
mod mailing;
mod markdown;
mod picture_kind;
mod plain_table;
mod plain_text;
mod publisher;
mod report;
mod trust;

pub use album::{Picture, PostPage};
pub use dispatch::{CONVERSATIONS, Dispatch};
pub use edition::Edition;
pub use issue::{Issue, IssueError, LARGEST_FILE};
pub use later::Later;
pub use mailing::LONGEST_HAND_OVER;
pub use publisher::Publisher;
pub use report::{RefusedAddress, Report};
