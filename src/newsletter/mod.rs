//! Sending an issue of the newsletter: a Markdown file becomes a mail to
//! every confirmed subscriber.
//!
//! `issue` reads the file, `markdown` makes HTML and plain text of it, `letter`
//! addresses it to one subscriber, `dispatch` sends it to all of them.

mod dispatch;
mod issue;
mod letter;
mod markdown;

pub use dispatch::{CONVERSATIONS, Dispatch, Report};
pub use issue::{Issue, IssueError};
pub use letter::Sender;
