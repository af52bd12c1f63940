//! The words of a message that count when spam is learned: without the sender's
//! own name and address, without links, other addresses, and anything with a
//! digit (telephone numbers, prices, dates). That there was a link, a number or
//! a price is kept.

use super::links::Links;
use super::numbers::{NumberSet, hash, number};
use super::words::{Plain, Words};

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

/// The numbers of the words, and the words: each once.
pub struct Vocabulary<'a> {
    pub words: Vec<(u32, &'a str)>,
    numbers: NumberSet,
}

/// Of the words of a message.
pub fn numbers(name: &str, email: &str, message: &str) -> Vec<u32> {
    let links = Links::find(message);
    let plain = Plain::of(&links.rest);
    let words = Vocabulary::of(name, email, &links, &plain, &plain.words());
    words.words.into_iter().map(|(number, _)| number).collect()
}

impl<'a> Vocabulary<'a> {
    /// `plain` is the message without its links, and `words` are its words.
    pub fn of(name: &str, email: &str, links: &Links, plain: &Plain, words: &Words<'a>) -> Self {
        let sender = [name, email].map(Plain::of);
        let theirs: Vec<_> = sender.iter().flat_map(Plain::words).collect();
        let is_theirs = |hash| theirs.iter().any(|word| word.hash == hash);
        let mut found = Self {
            words: Vec::new(),
            numbers: NumberSet::new(),
        };
        if !links.found.is_empty() {
            found.add_text("(link)");
        }
        for (sign, meaning) in SIGNS {
            if plain.as_str().contains(sign) {
                found.add_text(meaning);
            }
        }
        for word in words.iter().filter(|word| !word.in_address) {
            let text = word.text;
            match text.contains(char::is_numeric) {
                true => found.add_text("(number)"),
                false if is_too_short(text) || is_theirs(word.hash) => {}
                false if is_unspaced(text) => pairs(text).for_each(|pair| found.add_text(pair)),
                false => found.add(text, word.hash),
            }
        }
        found
    }

    fn add_text(&mut self, word: &'a str) {
        self.add(word, hash(word));
    }

    fn add(&mut self, word: &'a str, hash: u32) {
        let number = number(hash);
        let is_bounded = self.words.len() < MOST && word.chars().count() <= LONGEST_WORD;
        if is_bounded && self.numbers.add(number) {
            self.words.push((number, word));
        }
    }
}

fn is_too_short(word: &str) -> bool {
    let is_alphabetic = || !word.contains(|c| matches!(c, '\u{3040}'..='\u{d7a3}'));
    word.chars().count() < SHORTEST_WORD && is_alphabetic() && !SHORT.contains(&word)
}

/// Chinese and Japanese have no blanks: each pair of signs is a word.
fn is_unspaced(word: &str) -> bool {
    word.chars().nth(2).is_some() && word.chars().all(|c| matches!(c, '\u{3040}'..='\u{9fff}'))
}

fn pairs(word: &str) -> impl Iterator<Item = &str> {
    let begins = word.char_indices().map(|(at, _)| at);
    let ends = word.char_indices().map(|(at, sign)| at + sign.len_utf8());
    begins.zip(ends.skip(1)).map(|(from, to)| &word[from..to])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SENDER: (&str, &str) = ("Ada Lovelace", "ada.byron@analytical.example");

    fn of(message: &str) -> Vec<u32> {
        numbers(SENDER.0, SENDER.1, message)
    }

    #[test]
    fn nothing_that_names_a_person_is_learned() {
        let links = Links::find(
            "cheap links, regards ada LOVELACE byron@other.example 416-555-0100 \
            https://ada.example/lovelace byron B2B",
        );
        let plain = Plain::of(&links.rest);
        let learned = Vocabulary::of(SENDER.0, SENDER.1, &links, &plain, &plain.words()).words;
        let words: BTreeSet<_> = learned.into_iter().map(|(_, word)| word).collect();
        let expected = ["cheap", "links", "regards", "(link)", "(number)"];
        assert_eq!(words, BTreeSet::from(expected));
    }

    #[test]
    fn what_is_learned_is_bounded() {
        let letter = |digit: char| char::from(digit as u8 - b'0' + b'a');
        let spelled = |number: u32| number.to_string().chars().map(letter).collect::<String>();
        let long: String = (0..5000).map(|number| spelled(number) + " ").collect();
        let learned = of(&long);
        assert_eq!(learned.len(), MOST);
    }

    #[test]
    fn signs_without_blanks_are_taken_in_pairs() {
        assert_eq!(of("网站建设").len(), 3);
    }
}
