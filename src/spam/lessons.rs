//! In how many spam and in how many genuine messages each word stood (naive
//! Bayes): of the examples that the program comes with, and of what the owner
//! marked.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::vocabulary::numbers;

/// What the owner marked says so much more than an example.
const OWNERS_WEIGHT: u32 = 3;

/// In so many messages of either kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub spam: u32,
    pub genuine: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    pub messages: Tally,
    /// By the words' numbers.
    pub words: HashMap<u32, Tally>,
}

#[derive(Deserialize)]
struct Example<'a> {
    label: &'a str,
    name: String,
    email: String,
    message: String,
}

static EXAMPLES: LazyLock<Lessons> = LazyLock::new(|| Lessons::of(include_str!("examples.ndjson")));

impl Tally {
    fn add(&mut self, other: Self, times: u32) {
        self.spam = self.spam.saturating_add(other.spam.saturating_mul(times));
        self.genuine = self
            .genuine
            .saturating_add(other.genuine.saturating_mul(times));
    }
}

impl Lessons {
    /// What is known before anything was marked, and what the owner's marks add.
    pub(super) fn known(marked: &Self) -> Self {
        let mut known = EXAMPLES.clone();
        known.messages.add(marked.messages, OWNERS_WEIGHT);
        for (word, tally) in &marked.words {
            known
                .words
                .entry(*word)
                .or_default()
                .add(*tally, OWNERS_WEIGHT);
        }
        known
    }

    /// From labelled messages, one JSON object a line. A test sees to it that
    /// ours can be read.
    pub fn of(examples: &str) -> Self {
        let mut lessons = Self::default();
        for line in examples.lines() {
            if let Ok(each) = serde_json::from_str::<Example<'_>>(line) {
                let words = numbers(&each.name, &each.email, &each.message);
                lessons.learn(&words, each.label == "spam");
            }
        }
        lessons
    }

    /// One more message.
    pub fn learn(&mut self, words: &[u32], is_spam: bool) {
        let one = Tally {
            spam: is_spam.into(),
            genuine: (!is_spam).into(),
        };
        self.messages.add(one, 1);
        for word in words {
            self.words.entry(*word).or_default().add(one, 1);
        }
    }

    /// How much more often a word stands in spam, as a logarithm, for each that
    /// was seen more than once.
    pub(super) fn ratios(&self) -> impl Iterator<Item = (u32, f64)> {
        let share = |number: u32, of: u32| (f64::from(number) + 0.5) / (f64::from(of) + 1.0);
        let often = self
            .words
            .iter()
            .filter(|(_, seen)| seen.spam + seen.genuine > 1);
        often.map(move |(word, seen)| {
            let spam = share(seen.spam, self.messages.spam);
            let genuine = share(seen.genuine, self.messages.genuine);
            (*word, (spam / genuine).ln())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_can_be_read() {
        let lines = include_str!("examples.ndjson").lines().count();
        let known = EXAMPLES.messages;
        assert_eq!((known.spam + known.genuine) as usize, lines);
        assert!(known.spam > 200 && known.genuine > 300);
    }
}
