//! By what the same text is known again, however it was spaced, capitalised or
//! numbered.

use sha2::{Digest as _, Sha256};

use super::links::Links;
use super::words::Words;

/// "call me", "price for a website?": many people send the same few words.
const FEW_WORDS: usize = 8;

pub fn of(words: &Words<'_>, links: &Links) -> Option<String> {
    if words.len() + links.found.len() < FEW_WORDS && links.found.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    let is_number = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let words = words.iter().copied().filter(|word| !is_number(word));
    for word in words.chain(links.found.iter().map(String::as_str)) {
        hash.update(word);
        hash.update([0]);
    }
    let mut key = [0; 8];
    key.copy_from_slice(&hash.finalize()[..8]);
    Some(format!("{:016x}", u64::from_be_bytes(key)))
}

#[cfg(test)]
mod tests {
    use super::super::words::Plain;
    use super::*;

    fn key(text: &str) -> Option<String> {
        let links = Links::find(text);
        of(&Plain::of(&links.rest).words(), &links)
    }

    #[test]
    fn the_same_text_has_one_key_and_few_words_have_none() {
        let text = "We sell 500 links for $49, order now from our site";
        assert_eq!(
            key(text),
            key("we SELL 700 links   for $59 - order now\nfrom our site")
        );
        assert_ne!(
            key(text),
            key("We sell 500 pills for $49, order now from our site")
        );
        assert_eq!(key("Please call me back"), None);
        assert!(key("look http://a.example").is_some());
    }
}
