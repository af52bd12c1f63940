//! Sends newsletter issues: a Markdown file becomes a mail to every confirmed subscriber.
//!
//! `issue` reads the file, `markdown` renders it as HTML and plain text, `pictures` embeds its
//! pictures. `mailing` sends the mail to one subscriber, `issue_run` to all of them, and
//! `scheduled` sends issues at their scheduled time.

/// Mails a second, unless the owner wants another number.
pub const DEFAULT_RATE: u32 = 10;

mod issue;
mod issue_run;
mod mailing;
mod markdown;
mod pictures;
mod scheduled;

pub use issue::{Issue, IssueError, MAX_FILE};
pub use issue_run::{MAX_SESSIONS, Report, send_issue};
pub use mailing::{MAX_HAND_OVER, Mailing, send_test};
pub use pictures::{Picture, PostPage};
pub use scheduled::{ScheduledIssues, send_time};
