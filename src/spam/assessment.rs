//! The reasons that were found, and what they add up to.

use serde::{Deserialize, Serialize};

/// A message with this score or more is held for a person to look at.
pub const HOLD_FROM: f64 = 3.5;

const SENT_BY_ANOTHER: f64 = 2.5;
const SENT_BY_MANY: f64 = 6.0;

/// Why a message looks like spam, or like an enquiry when it weighs less than
/// nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    pub reason: String,
    pub weight: f64,
}

/// What is known of a message before it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assessment {
    reasons: Vec<Reason>,
    /// The same for the same words, however they are spaced; none for the few
    /// words that many people send.
    pub fingerprint: Option<String>,
}

impl Assessment {
    pub fn new(fingerprint: Option<String>) -> Self {
        Self {
            reasons: Vec::new(),
            fingerprint,
        }
    }

    pub(super) fn add(&mut self, weight: f64, reason: impl Into<String>) {
        let (reason, weight) = (reason.into(), rounded(weight));
        if weight != 0.0 {
            self.reasons.push(Reason { reason, weight });
        }
    }

    /// With what the store knows: so many others sent the same text lately. Two
    /// others are enough, whatever it says.
    pub fn repeated(mut self, others: u32) -> Self {
        let weight = match others {
            0 => return self,
            1 => SENT_BY_ANOTHER,
            _ => SENT_BY_MANY.max(HOLD_FROM - self.score()),
        };
        let senders = if others == 1 { "sender" } else { "senders" };
        let reason = format!("the same text came from {others} other {senders}");
        self.add(weight, reason);
        self
    }

    pub fn score(&self) -> f64 {
        sum(&self.reasons)
    }

    pub fn is_spam(&self) -> bool {
        self.score() >= HOLD_FROM
    }

    /// What speaks for spam first.
    pub fn into_reasons(mut self) -> Vec<Reason> {
        self.reasons
            .sort_by(|one, other| other.weight.total_cmp(&one.weight));
        self.reasons
    }
}

/// `+2.5 has two links`
pub fn in_words(reason: &Reason) -> String {
    format!("{:+.1} {}", reason.weight, reason.reason)
}

/// All of them in one line, with what they add up to first.
pub fn in_one_line(reasons: &[Reason]) -> String {
    let lines: Vec<_> = reasons.iter().map(in_words).collect();
    format!("{:.1}: {}", sum(reasons), lines.join("; "))
}

pub fn sum(reasons: &[Reason]) -> f64 {
    rounded(reasons.iter().map(|each| each.weight).sum())
}

/// To a tenth: what is shown adds up.
fn rounded(weight: f64) -> f64 {
    (weight * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_adds_up_and_the_heaviest_comes_first() {
        let mut found = Assessment::new(None);
        found.add(-1.04, "asks for something");
        found.add(0.04, "nothing to speak of");
        found.add(4.0, "offers loans");
        let found = found.repeated(0).repeated(2);
        assert_eq!(found.score(), 9.0);
        assert!(found.is_spam());
        let lines: Vec<_> = found.into_reasons().iter().map(in_words).collect();
        assert_eq!(
            lines,
            [
                "+6.0 the same text came from 2 other senders",
                "+4.0 offers loans",
                "-1.0 asks for something"
            ]
        );
    }

    #[test]
    fn the_same_text_from_three_is_held_whatever_it_says() {
        let mut kind = Assessment::default();
        kind.add(-9.0, "asks for something");
        assert!(!kind.clone().repeated(1).is_spam());
        assert!(kind.repeated(2).is_spam());
    }
}
