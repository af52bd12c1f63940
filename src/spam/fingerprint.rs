//! By what the same text is known again, however it was spaced, capitalised or
//! numbered.

use sha2::{Digest as _, Sha256};

use super::links::Links;
use super::numbers::hash;
use super::words::Words;

/// "call me", "price for a website?": many people send the same few words.
const FEW_WORDS: usize = 8;

pub fn of(words: &Words<'_>, links: &Links) -> Option<String> {
    if words.len() + links.found.len() < FEW_WORDS && links.found.is_empty() {
        return None;
    }
    let words = words.iter().filter(|word| !is_number(word.text));
    let links = links.found.iter().map(|link| hash(link));
    let hashes = words.map(|word| word.hash).chain(links);
    let bytes: Vec<u8> = hashes.flat_map(u32::to_be_bytes).collect();
    let mut key = [0; 8];
    key.copy_from_slice(&Sha256::digest(bytes)[..8]);
    Some(format!("{:016x}", u64::from_be_bytes(key)))
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
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
