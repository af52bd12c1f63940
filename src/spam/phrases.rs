//! Phrases and where they stand in a text, found in one pass over its words.

use std::collections::HashMap;

use super::words::Words;

struct Phrase {
    words: Vec<&'static str>,
    weight: f64,
}

/// Phrases by their first word, the longest first: it says most.
pub struct Index(HashMap<&'static str, Vec<Phrase>>);

/// The phrases that stand in a text, and what they weigh together.
#[derive(Default)]
pub struct Hits {
    pub weight: f64,
    pub phrases: Vec<String>,
}

impl Index {
    /// From lists with commas between the phrases, each with its weight.
    pub fn new(lists: &[(f64, &'static str)]) -> Self {
        let mut index: HashMap<_, Vec<_>> = HashMap::new();
        for (weight, phrases) in lists {
            for phrase in phrases.split(", ") {
                let (words, weight): (Vec<_>, _) = (phrase.split(' ').collect(), *weight);
                index
                    .entry(words[0])
                    .or_default()
                    .push(Phrase { words, weight });
            }
        }
        for phrases in index.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
        }
        Self(index)
    }

    /// A phrase counts once, however often it stands there, and no word counts
    /// in two phrases.
    pub fn hits(&self, words: &Words) -> Hits {
        let (mut hits, mut place) = (Hits::default(), 0);
        while let Some(word) = words.0.get(place) {
            let candidates = self.0.get(word.as_str()).into_iter().flatten();
            let phrase = candidates
                .into_iter()
                .find(|phrase| phrase.begins(&words.0[place..]));
            if let Some(phrase) = phrase {
                hits.add(phrase);
            }
            place += phrase.map_or(1, |phrase| phrase.words.len());
        }
        hits
    }
}

impl Hits {
    fn add(&mut self, phrase: &Phrase) {
        let said = phrase.words.join(" ");
        if !self.phrases.contains(&said) {
            self.weight += phrase.weight;
            self.phrases.push(said);
        }
    }
}

impl Phrase {
    fn begins(&self, rest: &[String]) -> bool {
        let mut pairs = self.words.iter().zip(rest);
        rest.len() >= self.words.len() && pairs.all(|(wanted, word)| word == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_counts_once_and_the_longest_counts() {
        let index = Index::new(&[(1.0, "i need, how much"), (2.0, "i need a site, need")]);
        let hits = index.hits(&Words::of(
            "How MUCH? I need a site, i need, i need a dog. How",
        ));
        assert_eq!(hits.phrases, ["how much", "i need a site", "i need"]);
        assert_eq!(hits.weight, 4.0);
    }
}
