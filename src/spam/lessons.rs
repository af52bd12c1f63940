//! In how many spam and in how many genuine messages each word stood (naive
//! Bayes): of the examples that the program comes with, and of what the owner
//! marked.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Assessment, Vocabulary};

/// No single word weighs more.
const MOST_OF_A_WORD: f64 = 1.5;
/// All of them together can hold a message...
const MOST: f64 = 10.0;
/// ...and outweigh most of the rest, but not everything.
const LEAST: f64 = -6.0;
/// What the owner marked says so much more than an example.
const OWNERS_WEIGHT: u32 = 3;
/// Enough to see why.
const MOST_NAMED: usize = 4;

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
    pub fn known(marked: &Self) -> Self {
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
                let words = Vocabulary::of(&each.name, &each.email, &each.message);
                lessons.learn(&words, each.label == "spam");
            }
        }
        lessons
    }

    /// One more message.
    pub fn learn(&mut self, words: &Vocabulary, is_spam: bool) {
        let one = Tally {
            spam: is_spam.into(),
            genuine: (!is_spam).into(),
        };
        self.messages.add(one, 1);
        let numbers = words.numbers();
        numbers.for_each(|word| self.words.entry(word).or_default().add(one, 1));
    }

    pub(super) fn judge(&self, words: &Vocabulary, found: &mut Assessment) {
        let weighed = words
            .0
            .iter()
            .filter_map(|(number, word)| Some((self.weight(*number)?, word)));
        let mut weighed: Vec<(f64, &String)> = weighed.collect();
        let sum: f64 = weighed.iter().map(|(weight, _)| weight).sum();
        let sign = sum.signum();
        weighed.sort_by(|one, other| (other.0 * sign).total_cmp(&(one.0 * sign)));
        let named: Vec<_> = weighed
            .iter()
            .take(MOST_NAMED)
            .map(|(_, word)| word.as_str())
            .collect();
        let whose = if sum > 0.0 { "spam" } else { "enquiries" };
        let reason = format!("has the words of {whose} ({})", named.join(", "));
        found.add(sum.clamp(LEAST, MOST), reason);
    }

    /// How much more often a word stands in spam, as a logarithm; nothing for
    /// one that was seen once.
    fn weight(&self, word: u32) -> Option<f64> {
        let seen = self.words.get(&word)?;
        let share = |number: u32, of: u32| (f64::from(number) + 0.5) / (f64::from(of) + 1.0);
        let spam = share(seen.spam, self.messages.spam);
        let genuine = share(seen.genuine, self.messages.genuine);
        let weight = (spam / genuine).ln().clamp(-MOST_OF_A_WORD, MOST_OF_A_WORD);
        (seen.spam + seen.genuine > 1).then_some(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(text: &str) -> Vocabulary {
        Vocabulary::of("", "", text)
    }

    fn score(lessons: &Lessons, message: &str) -> f64 {
        let mut found = Assessment::default();
        lessons.judge(&vocabulary(message), &mut found);
        found.score()
    }

    /// So many marks of each kind.
    fn marked(times: u32, spam: &str, genuine: &str) -> Lessons {
        let mut marked = Lessons::default();
        for (words, is_spam) in [(spam, true), (genuine, false)] {
            (0..times).for_each(|_| marked.learn(&vocabulary(words), is_spam));
        }
        marked
    }

    #[test]
    fn every_example_can_be_read() {
        let lines = include_str!("examples.ndjson").lines().count();
        let known = EXAMPLES.messages;
        assert_eq!((known.spam + known.genuine) as usize, lines);
        assert!(known.spam > 200 && known.genuine > 300);
    }

    #[test]
    fn what_the_owner_marks_counts_more_the_more_there_is() {
        let spam = "zeppelin moorings leave the harbour weekly";
        let scores: Vec<_> = [0, 1, 4, 16]
            .map(|times| {
                score(
                    &Lessons::known(&marked(times, spam, "")),
                    "zeppelin moorings harbour",
                )
            })
            .into();
        assert!(
            scores.is_sorted() && scores[3] > scores[0] + 2.0,
            "{scores:?}"
        );
        let genuine = Lessons::known(&marked(16, "", spam));
        assert!(score(&genuine, "zeppelin moorings harbour") < scores[0] - 2.0);
    }

    #[test]
    fn words_never_weigh_without_bound() {
        let many: String = ('a'..='z')
            .map(|letter| format!("{letter}{letter}{letter} "))
            .collect();
        assert_eq!(score(&marked(9_000, &many, "bakery"), &many), MOST);
        assert_eq!(score(&marked(9_000, "pumps", &many), &many), LEAST);
    }
}
