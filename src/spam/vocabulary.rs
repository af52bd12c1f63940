//! The words of a message that count when spam is learned: without the sender's
//! own name and address, without links, other addresses, and anything with a
//! digit (telephone numbers, prices, dates). That there was a link, a number or
//! a price is kept.
//!
//! Each word has a number from a fixed range: what is learned is bounded, and no
//! word can be read out of it.

use std::collections::{BTreeMap, BTreeSet};

use super::links::Links;
use super::words::Words;

const NUMBERS: u32 = 1 << 16;
/// No message teaches more.
const MOST: usize = 200;
const LONGEST_WORD: usize = 24;
/// Shorter ones say in which language it is written, not what about.
const SHORTEST_WORD: usize = 3;
/// But for those that say who speaks of whom.
const SHORT: [&str; 6] = ["i", "my", "me", "we", "us", "do"];
/// Signs that say something by themselves.
const SIGNS: [(char, &str); 7] = [
    ('?', "?"),
    ('!', "!"),
    ('%', "%"),
    ('$', "price"),
    ('€', "price"),
    ('£', "price"),
    ('→', "→"),
];

/// The numbers of the words, and the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary(pub(super) BTreeMap<u32, String>);

impl Vocabulary {
    pub fn of(name: &str, email: &str, message: &str) -> Self {
        let theirs: BTreeSet<String> = [name, email]
            .map(Words::of)
            .into_iter()
            .flat_map(|words| words.0)
            .collect();
        let links = Links::find(message);
        let mut found = Self::default();
        if !links.found.is_empty() {
            found.add("(link)");
        }
        for (sign, meaning) in SIGNS {
            if links.rest.contains(sign) {
                found.add(meaning);
            }
        }
        for piece in links
            .rest
            .split_whitespace()
            .filter(|piece| !piece.contains('@'))
        {
            for word in Words::of(piece).0 {
                match word.contains(char::is_numeric) {
                    true => found.add("(number)"),
                    false if theirs.contains(&word) || is_too_short(&word) => {}
                    false => pieces(&word).iter().for_each(|word| found.add(word)),
                }
            }
        }
        found
    }

    /// Of the words alone.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.0.keys().copied()
    }

    fn add(&mut self, word: &str) {
        if self.0.len() < MOST && word.chars().count() <= LONGEST_WORD {
            self.0.insert(number(word), word.to_owned());
        }
    }
}

fn is_too_short(word: &str) -> bool {
    let is_alphabetic = !word.contains(|c| matches!(c, '\u{3040}'..='\u{d7a3}'));
    is_alphabetic && word.chars().count() < SHORTEST_WORD && !SHORT.contains(&word)
}

/// Chinese and Japanese have no blanks: each pair of signs is a word.
fn pieces(word: &str) -> Vec<String> {
    let signs: Vec<char> = word.chars().collect();
    match signs.len() > 2 && signs.iter().all(|c| matches!(c, '\u{3040}'..='\u{9fff}')) {
        true => signs.windows(2).map(|pair| pair.iter().collect()).collect(),
        false => vec![word.to_owned()],
    }
}

/// FNV-1a, folded. The numbers are stored: it never changes.
fn number(word: &str) -> u32 {
    let hash = word.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    ((hash >> 16) ^ hash) % NUMBERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Vocabulary {
        Vocabulary::of("Ada Lovelace", "ada.byron@analytical.example", message)
    }

    #[test]
    fn nothing_that_names_a_person_is_learned() {
        let learned = of(
            "cheap links, regards ada LOVELACE byron@other.example 416-555-0100 \
            https://ada.example/lovelace byron B2B",
        );
        let words: Vec<_> = learned.0.values().map(String::as_str).collect();
        let words = BTreeSet::from_iter(words);
        let expected = ["cheap", "links", "regards", "(link)", "(number)"];
        assert_eq!(words, BTreeSet::from(expected));
    }

    #[test]
    fn what_is_learned_is_bounded() {
        let letter = |digit: char| char::from(digit as u8 - b'0' + b'a');
        let spelled = |number: u32| number.to_string().chars().map(letter).collect::<String>();
        let long: String = (0..5000).map(|number| spelled(number) + " ").collect();
        let learned = of(&long);
        assert_eq!(learned.0.len(), MOST);
        assert!(learned.numbers().all(|number| number < NUMBERS));
    }

    #[test]
    fn the_numbers_of_words_never_change() {
        assert_eq!(number("website"), 12325);
        assert_eq!(of("网站建设").0.len(), 3);
    }
}
