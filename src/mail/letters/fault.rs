//! The mail that tells the owner that the webhook takes nothing.

use super::Letter;
use super::digest;
use super::sections::{Section, html, text};
use crate::content::Site;
use crate::store::{ChannelHealth, Failing};

const END: &str = "At most one such mail an hour. Leads are stored in any case, and what waits is \
    tried again for about three days.";

/// `failing`: deliveries to the webhook that wait or were given up.
pub fn letter(site: &Site, webhook: &ChannelHealth, failing: &[Failing]) -> Letter {
    let subject = match webhook.failed_at {
        Some(_) => "The webhook takes nothing",
        None => "Deliveries to the webhook were given up",
    };
    let since = webhook.failed_at.map(|since| {
        let time = site.minute(since);
        let reason = webhook
            .last_error
            .as_deref()
            .unwrap_or("no reason is known");
        Section {
            title: format!("Since {time} the webhook has taken nothing: {reason}"),
            lines: Vec::new(),
            command: None,
        }
    });
    let again = Section {
        title: "Once it is mended, send what waits again".into(),
        lines: Vec::new(),
        command: Some("frontdoor deliveries retry --all"),
    };
    let sections = since
        .into_iter()
        .chain(digest::failing(failing))
        .chain([again]);
    let sections: Vec<_> = sections.collect();
    let subject = format!("{subject} ({})", site.name);
    Letter::new(site, subject, text(&sections, END), &html(&sections, END))
}
