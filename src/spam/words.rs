//! The features of a message for spam training: words and pairs of neighbouring words, as numbers.
//!
//! Names, addresses, links and anything with a digit (phone numbers, prices, dates) are left out;
//! only the presence of a link, a number or a price is kept. The numbers are hashes in a fixed
//! range, so the table of counts stays bounded and no word can be recovered from it.

use std::collections::HashSet;

use super::links::Links;

pub const NUMBERS: usize = 1 << 16;

/// The number of words and pairs learned from one message.
const MAX_TOKENS: usize = 400;
const MAX_WORD: usize = 24;
/// Shorter words indicate the language, not the subject...
const MIN_WORD: usize = 3;
/// ...except these, which show who is talking about whom.
const SHORT: [&str; 6] = ["i", "my", "me", "we", "us", "do"];
/// Characters that count as words.
const SIGNS: [(char, &str); 7] = [
    ('?', "?"),
    ('!', "!"),
    ('%', "%"),
    ('$', "price"),
    ('€', "price"),
    ('£', "price"),
    ('→', "→"),
];

/// Text in lower case with one kind of apostrophe.
pub struct Text(String);

/// A word, or a pair of neighbouring words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub number: u32,
    pub word: &'a str,
    pub next: Option<&'a str>,
}

/// The word numbers of a message.
pub fn numbers(name: &str, email: &str, message: &str) -> Vec<u32> {
    let links = Links::find(message);
    let text = Text::new(&links.rest);
    let tokens = text.tokens(name, email, &links);
    tokens.iter().map(|token| token.number).collect()
}

impl Text {
    pub fn new(text: &str) -> Self {
        Self(text.to_lowercase().replace('’', "'"))
    }

    pub fn words(&self) -> Vec<&str> {
        split(&self.0).collect()
    }

    /// Each word and pair once; `self` is the message without its links.
    pub fn tokens(&self, name: &str, email: &str, links: &Links) -> Vec<Token<'_>> {
        let sender = [name, email].map(Self::new);
        let sender: HashSet<_> = sender.iter().flat_map(Self::words).collect();
        let mut tokens = Tokens::default();
        if !links.found.is_empty() {
            tokens.add("(link)", None);
        }
        for (_, meaning) in SIGNS.iter().filter(|(sign, _)| self.0.contains(*sign)) {
            tokens.add(meaning, None);
        }
        let pieces = self.0.split_whitespace();
        let words: Vec<_> = pieces
            .filter(|piece| !piece.contains('@'))
            .flat_map(split)
            .collect();
        let is_left_out = |word: &str| has_digit(word) || sender.contains(word);
        for word in &words {
            match *word {
                word if has_digit(word) => tokens.add("(number)", None),
                word if is_left_out(word) || is_too_short(word) => {}
                word if is_unspaced(word) => pairs(word).for_each(|pair| tokens.add(pair, None)),
                word => tokens.add(word, None),
            }
        }
        for pair in words.windows(2) {
            if !pair.iter().any(|word| is_left_out(word)) {
                tokens.add(pair[0], Some(pair[1]));
            }
        }
        tokens.found
    }
}

#[derive(Default)]
struct Tokens<'a> {
    found: Vec<Token<'a>>,
    numbers: HashSet<u32>,
}

impl<'a> Tokens<'a> {
    fn add(&mut self, word: &'a str, next: Option<&'a str>) {
        let is_short = |word: &str| word.chars().count() <= MAX_WORD;
        if self.found.len() == MAX_TOKENS || !is_short(word) || !next.is_none_or(is_short) {
            return;
        }
        let number = number(word, next);
        if self.numbers.insert(number) {
            self.found.push(Token { number, word, next });
        }
    }
}

/// The FNV-1a hash of the words, joined by a space. The numbers are stored, so the hash must never
/// change.
fn number(word: &str, next: Option<&str>) -> u32 {
    let next = next
        .into_iter()
        .flat_map(|next| " ".bytes().chain(next.bytes()));
    let bytes = word.bytes().chain(next);
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    ((hash >> 16) ^ hash) % NUMBERS as u32
}

pub fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !is_mark(c) && c != '\'');
    let words = words.map(|word| word.trim_matches('\''));
    words.filter(|word| !word.is_empty())
}

/// Marks that belong to the preceding letter, as in Hindi or Tamil.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{200c}')
}

fn is_too_short(word: &str) -> bool {
    let is_alphabetic = || !word.contains(|c| matches!(c, '\u{3040}'..='\u{d7a3}'));
    word.chars().count() < MIN_WORD && is_alphabetic() && !SHORT.contains(&word)
}

/// Chinese and Japanese don't use spaces, so each pair of characters counts as a word.
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

    #[test]
    fn words_are_split_whatever_their_case_and_apostrophes() {
        let text = Text::new("We’ve 2 SHOPS, (don't' wait). नमस्ते");
        assert_eq!(text.words().join("|"), "we've|2|shops|don't|wait|नमस्ते");
        assert_eq!(numbers("", "", "网站建设").len(), 3);
    }

    #[test]
    fn the_numbers_of_words_never_change() {
        assert_eq!(number("website", None), 12325);
        assert_eq!(number("how", Some("much")), number("how much", None));
    }

    #[test]
    fn nothing_that_names_a_person_is_learned() {
        let links = Links::find(
            "cheap links, regards ada LOVELACE byron@other.example 416-555-0100 \
            https://ada.example/lovelace byron B2B",
        );
        let text = Text::new(&links.rest);
        let tokens = text.tokens("Ada Lovelace", "ada.byron@analytical.example", &links);
        let learned: BTreeSet<_> = tokens.iter().map(|each| (each.word, each.next)).collect();
        let expected = [
            ("cheap", None),
            ("links", None),
            ("regards", None),
            ("(link)", None),
            ("(number)", None),
            ("cheap", Some("links")),
            ("links", Some("regards")),
        ];
        assert_eq!(learned, BTreeSet::from(expected));
    }

    #[test]
    fn a_long_message_teaches_no_more_than_the_limit() {
        let letter = |digit: char| char::from(digit as u8 - b'0' + b'a');
        let spelled = |number: u32| number.to_string().chars().map(letter).collect::<String>();
        let long: String = (0..5000).map(|number| spelled(number) + " ").collect();
        assert_eq!(numbers("", "", &long).len(), MAX_TOKENS);
    }
}
