//! A message as words that phrases can be compared with: lower case, and one
//! kind of apostrophe.

/// Read once, for all that look at its words.
pub struct Plain(String);

pub type Words<'a> = Vec<&'a str>;

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

    pub fn words(&self) -> Words<'_> {
        split(&self.0).collect()
    }
}

/// The words of a text that is plain already.
pub fn split(plain: &str) -> impl Iterator<Item = &str> {
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
        assert_eq!(plain.words().join("|"), "we've|2|shops|don't|wait|नमस्ते");
    }
}
