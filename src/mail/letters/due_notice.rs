//! The mail that reminds the owner of a lead while there is still time.

use jiff::{SignedDuration, Timestamp};

use super::{Letter, notification};
use crate::content::Site;
use crate::domain::{left, one_line};
use crate::store::{Lead, SHORT_ID};

/// `can_reply`: an answer to the mail goes to the visitor.
pub fn letter(
    site: &Site,
    lead: &Lead,
    promise: SignedDuration,
    can_reply: bool,
    now: Timestamp,
) -> Letter {
    let name = one_line(&lead.name);
    let due = lead.due_at(promise).unwrap_or(now);
    let left = left(due, now);
    let subject = format!("{name} waits for an answer, {left} ({})", site.name);
    let until = site.minute(due);
    let short = lead.id.len().saturating_sub(SHORT_ID);
    let short = lead.id.get(short..).unwrap_or(&lead.id);
    let lead_in = format!(
        "An answer was promised by {until} ({left}), and nobody has marked one yet. Done? \
        frontdoor leads answered {short}"
    );
    notification::about(site, lead, subject, Some(&lead_in), can_reply)
}
