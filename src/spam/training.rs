//! A naive Bayes classifier: counts in how many spam and genuine messages each word or pair of
//! words occurs. The bundled examples and the leads that the owner labelled are counted.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Assessment;
use super::words::{NUMBERS, Token, numbers};

/// A lead labelled by the owner counts as this many examples.
const OWNERS_WEIGHT: u32 = 3;

/// The limit for a single word or pair.
const MAX_WORD_WEIGHT: f64 = 1.25;
/// The limits for all words together: words of spam alone can hold a message.
const MAX_SUM: f64 = 10.0;
/// Words of enquiries outweigh most other reasons, but not all.
const MIN_SUM: f64 = -6.0;
/// How many words the reason lists.
const MAX_NAMED: usize = 4;

static EXAMPLES: LazyLock<TrainingCounts> =
    LazyLock::new(|| TrainingCounts::read(include_str!("examples.ndjson")));

/// The number of messages with each label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LabelCounts {
    pub spam: u32,
    pub genuine: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingCounts {
    pub messages: LabelCounts,
    /// Keyed by word number.
    pub words: HashMap<u32, LabelCounts>,
}

#[derive(Deserialize)]
struct TrainingSample<'a> {
    label: &'a str,
    name: String,
    email: String,
    message: String,
}

impl LabelCounts {
    fn add(&mut self, other: Self, times: u32) {
        let add = |one: u32, other: u32| one.saturating_add(other.saturating_mul(times));
        self.spam = add(self.spam, other.spam);
        self.genuine = add(self.genuine, other.genuine);
    }
}

impl TrainingCounts {
    /// Reads one JSON object per line. A test checks that every line is valid.
    fn read(samples: &str) -> Self {
        let mut counts = Self::default();
        let samples = samples.lines().map(serde_json::from_str);
        for sample in samples.filter_map(Result::<TrainingSample<'_>, _>::ok) {
            let words = numbers(&sample.name, &sample.email, &sample.message);
            counts.train(&words, sample.label == "spam");
        }
        counts
    }

    pub fn train(&mut self, words: &[u32], is_spam: bool) {
        let one = LabelCounts {
            spam: is_spam.into(),
            genuine: (!is_spam).into(),
        };
        self.messages.add(one, 1);
        for word in words {
            self.words.entry(*word).or_default().add(one, 1);
        }
    }

    fn add(&mut self, other: &Self, times: u32) {
        self.messages.add(other.messages, times);
        for (word, counts) in &other.words {
            self.words.entry(*word).or_default().add(*counts, times);
        }
    }
}

/// Weights indexed by word number; 0 for unknown words.
pub struct Weights(Vec<f32>);

impl Weights {
    /// Combines the bundled examples with the owner's labels.
    pub fn with_examples(labelled: &TrainingCounts) -> Self {
        let mut counts = EXAMPLES.clone();
        counts.add(labelled, OWNERS_WEIGHT);
        Self::from_counts(&counts)
    }

    /// The logarithm of how much more often a word occurs in spam, for words seen more than once.
    pub(super) fn from_counts(counts: &TrainingCounts) -> Self {
        let share = |seen: u32, total: u32| (f64::from(seen) + 0.5) / (f64::from(total) + 1.0);
        let mut weights = vec![0.0; NUMBERS];
        for (word, seen) in &counts.words {
            if seen.spam.saturating_add(seen.genuine) > 1 {
                let spam = share(seen.spam, counts.messages.spam);
                let genuine = share(seen.genuine, counts.messages.genuine);
                let ratio = (spam / genuine).ln();
                weights[*word as usize] = ratio.clamp(-MAX_WORD_WEIGHT, MAX_WORD_WEIGHT) as f32;
            }
        }
        Self(weights)
    }

    pub(super) fn judge(&self, tokens: &[Token<'_>], assessment: &mut Assessment) {
        let weighed = tokens
            .iter()
            .map(|token| (self.0[token.number as usize], token));
        let mut weighed: Vec<_> = weighed.filter(|(weight, _)| *weight != 0.0).collect();
        let sum: f64 = weighed.iter().map(|(weight, _)| f64::from(*weight)).sum();
        let sign = sum.signum() as f32;
        weighed.sort_by(|one, other| (other.0 * sign).total_cmp(&(one.0 * sign)));
        let named = weighed
            .iter()
            .take(MAX_NAMED)
            .map(|(_, token)| match token.next {
                Some(next) => format!("{} {next}", token.word),
                None => token.word.to_owned(),
            });
        let named: Vec<_> = named.collect();
        let label = if sum > 0.0 { "spam" } else { "enquiries" };
        let reason = format!("has the words of {label} ({})", named.join(", "));
        assessment.add(sum.clamp(MIN_SUM, MAX_SUM), reason);
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::Links;
    use super::super::words::Text;
    use super::*;

    fn score(weights: &Weights, message: &str) -> f64 {
        let (mut found, text) = (Assessment::default(), Text::new(message));
        weights.judge(&text.tokens("", "", &Links::find("")), &mut found);
        found.score()
    }

    fn labelled(times: u32, spam: &str, genuine: &str) -> TrainingCounts {
        let mut counts = TrainingCounts::default();
        for (words, is_spam) in [(spam, true), (genuine, false)] {
            (0..times).for_each(|_| counts.train(&numbers("", "", words), is_spam));
        }
        counts
    }

    #[test]
    fn every_example_can_be_read() {
        let lines = include_str!("examples.ndjson").lines().count();
        let known = EXAMPLES.messages;
        assert_eq!((known.spam + known.genuine) as usize, lines);
        assert!(known.spam > 200 && known.genuine > 300);
    }

    #[test]
    fn the_owners_labels_count_more_the_more_there_are() {
        let text = "zeppelin moorings leave the harbour weekly";
        let score_after = |counts| {
            score(
                &Weights::with_examples(&counts),
                "zeppelin moorings harbour",
            )
        };
        let scores = [0, 1, 4, 16].map(|times| score_after(labelled(times, text, "")));
        assert!(
            scores.is_sorted() && scores[3] > scores[0] + 2.0,
            "{scores:?}"
        );
        assert!(score_after(labelled(16, "", text)) < scores[0] - 2.0);
    }

    #[test]
    fn words_never_weigh_without_bound() {
        let triple = |letter: char| format!("{letter}{letter}{letter} ");
        let many: String = ('a'..='z').map(triple).collect();
        let score = |counts| score(&Weights::from_counts(&counts), &many);
        assert_eq!(score(labelled(900, &many, "bakery")), MAX_SUM);
        assert_eq!(score(labelled(900, "pumps", &many)), MIN_SUM);
    }
}
