//! What the owner notes about a lead, for nobody else.

use super::invisible::is_blank;
use super::text::many_lines;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(String);

impl Note {
    pub const MAX_CHARACTERS: usize = 2_000;

    /// `None`: nothing to keep.
    pub fn parse(raw: &str) -> Result<Option<Self>, String> {
        let text = many_lines(raw);
        if text.chars().count() > Self::MAX_CHARACTERS {
            let most = Self::MAX_CHARACTERS;
            return Err(format!("a note must not exceed {most} characters"));
        }
        Ok((!is_blank(&text)).then_some(Self(text)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_bounded_and_an_empty_one_is_none() {
        assert_eq!(Note::parse(" \n\t"), Ok(None));
        let note = Note::parse(" called\r\nback \u{7}").unwrap().unwrap();
        assert_eq!(note.as_str(), "called\nback");
        assert!(Note::parse(&"x".repeat(2_000)).is_ok());
        assert!(Note::parse(&"x".repeat(2_001)).is_err());
    }
}
