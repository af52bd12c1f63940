//! A message as words that phrases can be compared with: lower case, and one
//! kind of apostrophe.

pub struct Words(pub Vec<String>);

impl Words {
    pub fn of(text: &str) -> Self {
        let text = text.replace('’', "'");
        let words = text.split(|c: char| !c.is_alphanumeric() && !is_mark(c) && c != '\'');
        let words = words.map(|word| word.trim_matches('\''));
        Self(
            words
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect(),
        )
    }
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
        let words = Words::of("We’ve 2 SHOPS, (don't' wait). नमस्ते");
        assert_eq!(words.0.join("|"), "we've|2|shops|don't|wait|नमस्ते");
    }
}
