//! The alphabet of a message. The site speaks English and many of its visitors
//! write in another script, so this counts little by itself.

use super::Assessment;
use super::links::Links;

/// Fewer letters are a name or a greeting.
const FEW_LETTERS: usize = 12;

pub fn judge(message: &str, links: &Links, found: &mut Assessment) {
    if message.is_ascii() {
        return;
    }
    let letters = || message.chars().filter(|c| c.is_alphabetic());
    let all = letters().count();
    let foreign = letters().filter(|c| !is_latin(*c)).count();
    if all < FEW_LETTERS || foreign * 2 < all {
        return;
    }
    found.add(0.5, "an alphabet that the site does not use");
    if !links.found.is_empty() {
        found.add(1.5, "an alphabet that the site does not use, and a link");
    }
}

fn is_latin(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(message: &str) -> f64 {
        let mut found = Assessment::default();
        judge(message, &Links::find(message), &mut found);
        found.score()
    }

    #[test]
    fn another_alphabet_counts_little_and_more_with_a_link() {
        assert_eq!(score("Où êtes-vous ? Ça m'intéresse, Łukasz & Đặng"), 0.0);
        assert_eq!(
            score("Namaste, नमस्ते, please call me about the website"),
            0.0
        );
        assert_eq!(score("Потрібен простий сайт для пекарні"), 0.5);
        assert_eq!(score("Потрібен простий сайт http://a.example"), 2.0);
    }
}
