//! What is typed by no person: letters without sense, and shouting.

use super::Assessment;
use super::words::Words;

/// Shorter words are names, acronyms and slips of the finger.
const LONG_WORD: usize = 7;

pub fn judge(name: &str, message: &str, words: &Words<'_>, found: &mut Assessment) {
    if is_key_soup(message.trim()) {
        found.add(5.0, "letters without sense");
    } else if words.len() <= 6 && words.iter().any(|word| is_hard_to_say(word.text)) {
        found.add(2.0, "words that nobody can say");
    }
    if is_key_soup(name) {
        found.add(2.0, "a name of letters without sense");
    }
    if is_shouted(message) {
        found.add(0.7, "written in capitals");
    }
    if message.contains("!!!") || message.contains(">>>") {
        found.add(0.7, "marks that shout (!!!)");
    }
}

/// One long word with capitals in its middle: `QjVbTzXkLp`.
fn is_key_soup(text: &str) -> bool {
    let one_word = text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let turns = text.as_bytes().windows(2);
    let turns = turns.filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    one_word && text.len() > LONG_WORD && turns.count() >= 3
}

/// Six consonants in a row, in a word of plain letters: hardly any word of a
/// language goes that far.
pub fn is_hard_to_say(word: &str) -> bool {
    let is_vowel = |c: char| "aeiouy".contains(c);
    let plain = word.chars().all(|c| c.is_ascii_lowercase());
    let runs = word.split(is_vowel).map(|run| run.chars().count());
    plain && word.len() >= LONG_WORD && runs.max().unwrap_or_default() >= 6
}

fn is_shouted(message: &str) -> bool {
    let capitals = message.chars().filter(|c| c.is_uppercase()).count();
    let small = || message.chars().filter(|c| c.is_lowercase()).count();
    capitals > 25 && capitals > small() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_without_sense_are_told_from_words() {
        for soup in ["WxyTRqLmNzpKdJ", "QjVbTzXkLpWm"] {
            assert!(is_key_soup(soup), "{soup}");
        }
        for word in [
            "WordPress",
            "JavaScript",
            "McDonalds",
            "YouTube",
            "HELLOTHERE",
        ] {
            assert!(!is_key_soup(word), "{word}");
        }
        assert!(is_hard_to_say("xkqzvwtr"));
        for word in ["szczepanski", "hello", "rhythms", "witchcraft"] {
            assert!(!is_hard_to_say(word), "{word}");
        }
    }
}
