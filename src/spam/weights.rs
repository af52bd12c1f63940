//! What learned words weigh, ready to be looked up for each word of a message.

use super::Assessment;
use super::lessons::Lessons;
use super::numbers::NUMBERS;
use super::vocabulary::Vocabulary;

/// No single word weighs more.
const MOST_OF_A_WORD: f64 = 1.5;
/// All of them together can hold a message...
const MOST: f64 = 10.0;
/// ...and outweigh most of the rest, but not everything.
const LEAST: f64 = -6.0;
/// Enough to see why.
const MOST_NAMED: usize = 4;

/// By the words' numbers; those that say nothing weigh nothing.
pub struct Weights(Vec<f32>);

impl Weights {
    /// By the program's own examples and what the owner marked.
    pub fn known(marked: &Lessons) -> Self {
        Self::of(&Lessons::known(marked))
    }

    fn of(lessons: &Lessons) -> Self {
        let mut weights = vec![0.0; NUMBERS];
        for (word, ratio) in lessons.ratios() {
            weights[word as usize] = ratio.clamp(-MOST_OF_A_WORD, MOST_OF_A_WORD) as f32;
        }
        Self(weights)
    }

    pub(super) fn judge(&self, words: &Vocabulary<'_>, found: &mut Assessment) {
        let weighed = words.words.iter();
        let weighed = weighed.map(|(number, word)| (self.0[*number as usize], *word));
        let mut weighed: Vec<_> = weighed.filter(|(weight, _)| *weight != 0.0).collect();
        let sum: f64 = weighed.iter().map(|(weight, _)| f64::from(*weight)).sum();
        let sign = sum.signum() as f32;
        weighed.sort_unstable_by(|one, other| (other.0 * sign).total_cmp(&(one.0 * sign)));
        let named: Vec<_> = weighed
            .iter()
            .take(MOST_NAMED)
            .map(|(_, word)| *word)
            .collect();
        let whose = if sum > 0.0 { "spam" } else { "enquiries" };
        let reason = format!("has the words of {whose} ({})", named.join(", "));
        found.add(sum.clamp(LEAST, MOST), reason);
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::Links;
    use super::super::vocabulary::numbers;
    use super::super::words::Plain;
    use super::*;

    fn score(learned: &Weights, message: &str) -> f64 {
        let mut found = Assessment::default();
        let (links, plain) = (Links::find(message), Plain::of(message));
        learned.judge(
            &Vocabulary::of("", "", &links, &plain, &plain.words()),
            &mut found,
        );
        found.score()
    }

    /// So many marks of each kind.
    fn marked(times: u32, spam: &str, genuine: &str) -> Lessons {
        let mut marked = Lessons::default();
        for (words, is_spam) in [(spam, true), (genuine, false)] {
            (0..times).for_each(|_| marked.learn(&numbers("", "", words), is_spam));
        }
        marked
    }

    #[test]
    fn what_the_owner_marks_counts_more_the_more_there_is() {
        let spam = "zeppelin moorings leave the harbour weekly";
        let scores: Vec<_> = [0, 1, 4, 16]
            .map(|times| {
                score(
                    &Weights::known(&marked(times, spam, "")),
                    "zeppelin moorings harbour",
                )
            })
            .into();
        assert!(
            scores.is_sorted() && scores[3] > scores[0] + 2.0,
            "{scores:?}"
        );
        let genuine = Weights::known(&marked(16, "", spam));
        assert!(score(&genuine, "zeppelin moorings harbour") < scores[0] - 2.0);
    }

    #[test]
    fn words_never_weigh_without_bound() {
        let many: String = ('a'..='z')
            .map(|letter| format!("{letter}{letter}{letter} "))
            .collect();
        assert_eq!(
            score(&Weights::of(&marked(900, &many, "bakery")), &many),
            MOST
        );
        assert_eq!(
            score(&Weights::of(&marked(900, "pumps", &many)), &many),
            LEAST
        );
    }
}
