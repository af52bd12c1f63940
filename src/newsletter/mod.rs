//! Sending an issue of the newsletter: a Markdown file becomes a mail to every
//! confirmed subscriber.
//!
//! `issue` reads the file, `markdown` makes HTML and plain text of it, `pictures` embeds
//! its pictures. `mailing` hands the mail to one subscriber over, `issue_run` does so for
//! all of them, and `scheduled` is how a server sends what was scheduled.

mod issue;
mod issue_run;
mod mailing;
mod markdown;
mod pictures;
mod scheduled;

pub use issue::{Issue, IssueError, LARGEST_FILE};
pub use issue_run::{CONVERSATIONS, RefusedAddress, Report};
pub use mailing::{IssueRun, LONGEST_HAND_OVER, write_mail};
pub use pictures::{Picture, PostPage};
pub use scheduled::ScheduledIssues;
