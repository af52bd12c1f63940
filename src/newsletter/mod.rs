//! Sends newsletter issues: a Markdown file becomes a mail to every confirmed subscriber.
//!
//! `issue` reads the file, `markdown` renders it as HTML and plain text, `pictures` embeds its
//! pictures. `mailing` sends the mail to one subscriber, `issue_run` to all of them, and
//! `scheduled` sends issues at their scheduled time.

mod issue;
mod issue_run;
mod mailing;
mod markdown;
mod pictures;
mod scheduled;

pub use issue::{Issue, IssueError, MAX_FILE};
pub use issue_run::{MAX_SESSIONS, Report, send_issue};
pub use mailing::{Mailing, send_test};
pub use pictures::{PagePictures, Picture, PictureError};
pub use scheduled::{ScheduledIssues, send_time};

use crate::content::Site;

/// Mails per second, unless the owner sets another rate.
pub const DEFAULT_RATE: u32 = 10;

pub const PAUSED: &str = "sending is paused after a restore; run `frontdoor deliveries resume`";
pub const EVERYONE_HAS_IT: &str = "everyone already has this issue; nothing was scheduled";

/// Canada's anti-spam law asks for a postal address in every message.
pub fn require_postal_address(site: &Site) -> Result<(), &'static str> {
    match site.location.trim() {
        "" => Err(
            "no postal address is set up: fill in `location` in content/site.toml; the law asks for \
            it in every newsletter",
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    #[test]
    fn nothing_is_sent_without_a_postal_address() {
        assert!(require_postal_address(site()).is_ok());
        let mut site = site().clone();
        site.location = " ".into();
        assert!(require_postal_address(&site).is_err());
    }
}
