//! Scores how much a message looks like spam, with reasons.
//!
//! Nothing here uses the network or the database. Links, the time taken to write the message, and
//! words learned from earlier messages each contribute a reason with a weight. The sum is the
//! score: from [`HOLD_FROM`] on, a message is held for review. No message is ever rejected.

mod links;
mod training;
mod words;

use std::time::Duration;

use links::Links;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
pub use training::{LabelCounts, TrainingCounts, Weights};
pub use words::numbers;
use words::{Text, has_digit};

/// A message with this score or more is held for review.
pub const HOLD_FROM: f64 = 3.5;

/// People don't read the form and type a long message this fast. They may paste one, so this alone
/// holds no message.
const TOO_QUICK: Duration = Duration::from_secs(4);
const LONG_MESSAGE: usize = 80;

/// Shorter messages, such as "call me", aren't compared: many people send the same.
const MIN_WORDS_TO_COMPARE: usize = 8;

/// The parts of a message that are scored.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub message: &'a str,
    /// The time from opening the page to sending, if a script measured it.
    pub elapsed: Option<Duration>,
}

/// Evidence of spam, or of a genuine enquiry if the weight is negative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    pub reason: String,
    pub weight: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assessment {
    reasons: Vec<Reason>,
    /// Equal for texts that differ only in spacing, case and numbers. `None` for short texts, which
    /// many people send.
    pub fingerprint: Option<String>,
}

/// Assesses a message by itself, without comparing it with other leads.
pub fn assess(sent: Message<'_>, weights: &Weights) -> Assessment {
    let links = Links::find(sent.message);
    let text = Text::new(&links.rest);
    let mut assessment = Assessment {
        reasons: Vec::new(),
        fingerprint: fingerprint(&text, &links),
    };
    links.judge(&mut assessment);
    let is_quick = sent.elapsed.is_some_and(|elapsed| elapsed < TOO_QUICK);
    if is_quick && sent.message.chars().count() > LONG_MESSAGE {
        assessment.add(2.0, "a long message within seconds of opening the page");
    }
    weights.judge(&text.tokens(sent.name, sent.email, &links), &mut assessment);
    assessment
}

fn fingerprint(text: &Text, links: &Links) -> Option<String> {
    let words = text.words();
    if words.len() < MIN_WORDS_TO_COMPARE && links.found.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    let words = words.iter().filter(|word| !has_digit(word));
    for word in words.copied().chain(links.found.iter().map(String::as_str)) {
        hash.update(word);
        hash.update(" ");
    }
    let hash = hash.finalize();
    Some(hash[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Assessment {
    fn add(&mut self, weight: f64, reason: impl Into<String>) {
        let (reason, weight) = (reason.into(), rounded(weight));
        if weight != 0.0 {
            self.reasons.push(Reason { reason, weight });
        }
    }

    /// Adds a reason if others have sent the same text. Two other senders are enough to hold the
    /// message, whatever it says.
    pub fn repeated(mut self, others: u32) -> Self {
        let weight = match others {
            0 => return self,
            1 => 2.5,
            _ => f64::max(6.0, HOLD_FROM - self.score()),
        };
        let senders = if others == 1 { "sender" } else { "senders" };
        self.add(
            weight,
            format!("the same text came from {others} other {senders}"),
        );
        self
    }

    pub fn score(&self) -> f64 {
        sum(&self.reasons)
    }

    pub fn is_spam(&self) -> bool {
        self.score() >= HOLD_FROM
    }

    /// The reasons, heaviest first.
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

/// The score and all reasons in one line.
pub fn in_one_line(reasons: &[Reason]) -> String {
    let lines: Vec<_> = reasons.iter().map(in_words).collect();
    format!("{:.1}: {}", sum(reasons), lines.join("; "))
}

pub fn sum(reasons: &[Reason]) -> f64 {
    rounded(reasons.iter().map(|each| each.weight).sum())
}

/// Rounds to a tenth, so that the displayed weights add up.
fn rounded(weight: f64) -> f64 {
    (weight * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assessed(message: &str, seconds: Option<u64>) -> Assessment {
        let sent = Message {
            name: "Ada",
            email: "ada@example.org",
            message,
            elapsed: seconds.map(Duration::from_secs),
        };
        assess(sent, &Weights::from_counts(&TrainingCounts::default()))
    }

    #[test]
    fn the_weights_shown_add_up_and_the_heaviest_comes_first() {
        let mut found = Assessment::default();
        found.add(-1.04, "has the words of enquiries");
        found.add(0.04, "almost nothing");
        found.add(4.0, "has the words of spam");
        let found = found.repeated(0).repeated(2);
        assert_eq!(found.score(), 9.0);
        let reasons = found.into_reasons();
        assert_eq!(
            in_one_line(&reasons),
            "9.0: +6.0 the same text came from 2 other senders; +4.0 has the words of spam; \
            -1.0 has the words of enquiries"
        );
    }

    #[test]
    fn the_same_text_from_three_senders_is_held_whatever_it_says() {
        let mut enquiry = Assessment::default();
        enquiry.add(-9.0, "has the words of enquiries");
        assert!(!enquiry.clone().repeated(1).is_spam());
        assert!(enquiry.repeated(2).is_spam());
    }

    #[test]
    fn only_a_long_message_within_seconds_is_too_quick() {
        let long = "word ".repeat(40);
        for (message, seconds, score) in [
            (long.as_str(), Some(2), 2.0),
            (&long, Some(5), 0.0),
            (&long, None, 0.0),
            ("call me", Some(1), 0.0),
        ] {
            assert_eq!(
                assessed(message, seconds).score(),
                score,
                "{message} {seconds:?}"
            );
        }
    }

    #[test]
    fn the_same_text_has_one_fingerprint_and_a_few_words_have_none() {
        let key = |message: &str| assessed(message, None).fingerprint;
        let text = "We sell 500 links for $49, order now from our site";
        let spaced = "we SELL 700 links   for $59 - order now\nfrom our site";
        assert_eq!(key(text), key(spaced));
        assert_ne!(key(text), key(&text.replace("links", "pills")));
        assert_eq!(key("Please call me back"), None);
        assert!(key("look http://a.example").is_some());
    }
}
