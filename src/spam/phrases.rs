//! Phrases and where they stand in a text, found in one pass over its words.

use std::collections::HashMap;

use super::numbers::{NumberSet, hash, number};
use super::words::Words;

struct Phrase {
    whole: &'static str,
    /// By their hashes.
    words: Vec<u32>,
    weight: f64,
}

/// Phrases by their first word, the longest first: it says most.
pub struct Index {
    phrases: HashMap<u32, Vec<Phrase>>,
    /// Of the words that begin one; most begin none.
    begin: NumberSet,
}

/// The phrases that stand in a text, and what they weigh together.
#[derive(Default)]
pub struct Hits {
    pub weight: f64,
    pub phrases: Vec<&'static str>,
}

impl Index {
    /// From lists with commas between the phrases, each with its weight.
    pub fn new(lists: &[(f64, &'static str)]) -> Self {
        let mut index: HashMap<_, Vec<_>> = HashMap::new();
        for (weight, phrases) in lists {
            for phrase in phrases.split(", ") {
                let phrase = Phrase {
                    whole: phrase,
                    words: phrase.split(' ').map(hash).collect(),
                    weight: *weight,
                };
                index.entry(phrase.words[0]).or_default().push(phrase);
            }
        }
        for phrases in index.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
        }
        let mut begin = NumberSet::new();
        for word in index.keys() {
            begin.add(number(*word));
        }
        Self {
            phrases: index,
            begin,
        }
    }

    /// A phrase counts once, however often it stands there, and no word counts
    /// in two phrases.
    pub fn hits(&self, words: &Words<'_>) -> Hits {
        let (mut hits, mut place) = (Hits::default(), 0);
        while place < words.len() {
            let phrase = self.at(&words[place..]);
            if let Some(phrase) = phrase {
                hits.add(phrase);
            }
            place += phrase.map_or(1, |phrase| phrase.words.len());
        }
        hits
    }

    fn at(&self, words: &Words<'_>) -> Option<&Phrase> {
        let first = words.first()?.hash;
        let begins = self.begin.has(number(first));
        let phrases = begins.then(|| self.phrases.get(&first))??;
        phrases.iter().find(|phrase| phrase.begins(words))
    }
}

impl Hits {
    fn add(&mut self, phrase: &Phrase) {
        if !self.phrases.contains(&phrase.whole) {
            self.weight += phrase.weight;
            self.phrases.push(phrase.whole);
        }
    }
}

impl Phrase {
    fn begins(&self, rest: &Words<'_>) -> bool {
        let mut pairs = self.words.iter().zip(rest);
        rest.len() >= self.words.len() && pairs.all(|(wanted, word)| word.hash == *wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::Plain;
    use super::*;

    #[test]
    fn a_phrase_counts_once_and_the_longest_counts() {
        let index = Index::new(&[(1.0, "i need, how much"), (2.0, "i need a site, need")]);
        let text = Plain::of("How MUCH? I need a site, i need, i need a dog. How");
        let hits = index.hits(&text.words());
        assert_eq!(hits.phrases, ["how much", "i need a site", "i need"]);
        assert_eq!(hits.weight, 4.0);
    }
}
