//! A message as words that phrases can be compared with: lower case, and one
//! kind of apostrophe.

use super::numbers::hash;

/// Read once, for all that look at its words.
pub struct Plain(String);

/// They are compared by their hashes.
#[derive(Clone, Copy)]
pub struct Word<'a> {
    pub text: &'a str,
    pub hash: u32,
    /// Of somebody's address: `ada@example.org`.
    pub in_address: bool,
}

pub type Words<'a> = [Word<'a>];

impl Plain {
    pub fn of(text: &str) -> Self {
        let plain = text.to_lowercase();
        match plain.contains('’') {
            true => Self(plain.replace('’', "'")),
            false => Self(plain),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn words(&self) -> Vec<Word<'_>> {
        let mut words = Vec::with_capacity(self.0.len() / 4);
        for piece in self.0.split_whitespace() {
            let in_address = piece.as_bytes().contains(&b'@');
            words.extend(split(piece).map(|text| Word {
                text,
                hash: hash(text),
                in_address,
            }));
        }
        words
    }
}

fn split(plain: &str) -> impl Iterator<Item = &str> {
    let words = plain.split(|c: char| !c.is_alphanumeric() && !is_mark(c) && c != '\'');
    let words = words.map(|word| word.trim_matches('\''));
    words.filter(|word| !word.is_empty())
}

/// Signs that belong to the letter before them, as in Hindi or Tamil.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{200c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_whatever_their_case_and_apostrophes() {
        let plain = Plain::of("We’ve 2 SHOPS, (don't' wait). नमस्ते");
        let words: Vec<_> = plain.words().iter().map(|word| word.text).collect();
        assert_eq!(words.join("|"), "we've|2|shops|don't|wait|नमस्ते");
        let words = Plain::of("to ada@a.example, me");
        let words = words.words();
        let of_address: Vec<_> = words.iter().filter(|word| word.in_address).collect();
        assert_eq!((words.len(), of_address.len()), (5, 3));
    }
}
