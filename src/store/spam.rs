//! What is stored of a lead's spam score.

use std::time::Duration;

use super::NewLead;
use crate::domain::HoldReason;
use crate::spam::Reason;

/// The same text from another address within this time counts.
pub const SAME_TEXT_WITHIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// So many leads with the same text, the latest, are looked at: a flood of them
/// must not make the next one slow.
pub const MOST_READ: u32 = 20;

/// What a lead is stored with.
pub struct Judged {
    pub hold: Option<HoldReason>,
    /// As JSON; only of what is held, for nobody asks of others.
    pub reasons: Option<String>,
}

impl NewLead {
    /// Now that it is known how many others sent the same text.
    pub fn judged(&self, others: u32) -> Judged {
        let spam = self.spam.clone().repeated(others);
        let by_score = spam.is_spam().then_some(HoldReason::SpamScore);
        let hold = self.hold.or(by_score);
        let reasons = hold.map(|_| spam.into_reasons());
        let reasons = reasons.filter(|reasons| !reasons.is_empty());
        Judged {
            hold,
            reasons: reasons.and_then(|reasons| serde_json::to_string(&reasons).ok()),
        }
    }
}

/// What cannot be read is no reason to hide a lead.
pub fn reasons(json: Option<String>) -> Vec<Reason> {
    let read = json.and_then(|json| serde_json::from_str(&json).ok());
    read.unwrap_or_default()
}
