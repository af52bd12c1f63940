//! The plain text fields (name, phone, message, the owner's note) and the errors shown to visitors.
//!
//! Control characters never cost a lead: in one-line fields they become a space, so that a line
//! break can't reach a mail header; from the message they are removed, except line breaks and tabs.
//! This covers NUL, which PostgreSQL can't store. Text of invisible characters counts as empty.

use crate::content::{Field, fields, messages};

macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        // Personal data must not reach a log through a stray `{:?}`.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}
pub(super) use text_type;

text_type!(
    /// The visitor's name: one line, required.
    Name
);
text_type!(
    /// A phone number as the visitor typed it: one line.
    Phone
);
text_type!(
    /// The visitor's message: several lines, required.
    Message
);

impl Name {
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        required(one_line(raw), &fields().name).map(Self)
    }
}

impl Phone {
    /// Returns `None` if the field is empty.
    pub fn parse(raw: &str) -> Result<Option<Self>, FieldError> {
        Ok(checked(one_line(raw), &fields().phone)?.map(Self))
    }
}

impl Message {
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        required(many_lines(raw), &fields().message).map(Self)
    }
}

/// Requires a value even if `contract/fields.json` made the field optional.
pub(super) fn required(value: String, field: &Field) -> Result<String, FieldError> {
    checked(value, field)?.ok_or_else(|| FieldError::required(field))
}

/// Returns `None` for an empty optional field. The limit counts Unicode scalar values, which are
/// closer to what people count than bytes or UTF-16 units.
fn checked(value: String, field: &Field) -> Result<Option<String>, FieldError> {
    match is_blank(&value) {
        true if field.required => Err(FieldError::required(field)),
        true => Ok(None),
        false if value.chars().count() > field.limit => Err(FieldError::too_long(field)),
        false => Ok(Some(value)),
    }
}

/// Trims the same characters as a browser's `trim()`, including the byte order mark.
pub(super) fn trim(raw: &str) -> &str {
    raw.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Makes one line of the text: line breaks and other control characters become a space, and
/// characters that change the writing direction are removed.
pub fn one_line(raw: &str) -> String {
    let mut line = String::with_capacity(raw.len());
    let mut in_gap = false;
    for c in trim(raw).chars().filter(|c| !turns_direction(*c)) {
        if breaks_line(c) {
            in_gap = true;
            continue;
        }
        if in_gap && !line.ends_with(' ') && c != ' ' {
            line.push(' ');
        }
        in_gap = false;
        line.push(c);
    }
    trim(&line).to_owned()
}

pub(super) fn many_lines(raw: &str) -> String {
    let unix = raw.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = unix
        .chars()
        .filter(|c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect();
    trim(&kept).to_owned()
}

fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The owner's private note about a lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(String);

impl Note {
    pub const MAX_CHARACTERS: usize = 2_000;

    /// Returns `None` for an empty note.
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

/// Invisible characters: Unicode's "default ignorable" ones (zero width, joiners, variation
/// selectors, fillers, tags), as in a browser's `\p{DI}`, and a few more that are blank. They are
/// legitimate between letters, so they are kept, but text of nothing else is empty.
const INVISIBLE: [(char, char); 18] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    // The empty braille cell.
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    // Includes the three interlinear annotation characters.
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

pub fn is_invisible(c: char) -> bool {
    let shows_nothing = |(first, last): &(char, char)| (*first..=*last).contains(&c);
    c.is_whitespace() || c.is_control() || INVISIBLE.iter().any(shows_nothing)
}

pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// Whether the character changes the writing direction for the rest of a line, which may not be the
/// visitor's: a mail's subject, a row of a table.
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The error of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub field: &'static str,
    pub message: String,
}

impl FieldError {
    pub fn required(field: &Field) -> Self {
        Self::new(field.name, messages().required.clone())
    }

    pub fn email_shape(field: &Field) -> Self {
        Self::new(field.name, messages().email_shape.clone())
    }

    pub fn too_long(field: &Field) -> Self {
        let message = messages()
            .too_long
            .replace("{field}", field.in_a_sentence());
        Self::new(
            field.name,
            message.replace("{limit}", &field.limit.to_string()),
        )
    }

    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }
}

/// The errors of a form, in the order of its fields; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// `errors` must not be empty.
    pub(super) fn new(errors: Vec<FieldError>) -> Self {
        Self(errors)
    }

    pub fn as_slice(&self) -> &[FieldError] {
        &self.0
    }

    /// The one message for the whole form. An empty required field outranks all other errors: the
    /// specification requires its message whenever one is empty.
    pub fn summary(&self) -> &str {
        let required = &messages().required;
        self.0
            .iter()
            .find(|error| &error.message == required)
            .or(self.0.first())
            .map_or(required, |error| &error.message)
    }
}

impl From<FieldError> for FieldErrors {
    fn from(error: FieldError) -> Self {
        Self(vec![error])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_alone_is_empty() {
        let blank = " \t\r\n\u{a0}\u{3000}\u{feff}\0";
        assert_eq!(
            Name::parse(blank),
            Err(FieldError::required(&fields().name))
        );
        assert_eq!(
            Message::parse(blank),
            Err(FieldError::required(&fields().message))
        );
        assert_eq!(Phone::parse(blank), Ok(None));
    }

    #[test]
    fn length_is_counted_in_characters_after_trimming() {
        let longest = "🍁".repeat(fields().name.limit);
        assert!(Name::parse(&format!("  {longest}  ")).is_ok());
        let error = Name::parse(&format!("{longest}x")).unwrap_err();
        assert_eq!(error.message, "Name is too long: at most 200 characters");
    }

    #[test]
    fn a_line_break_in_a_name_becomes_a_space() {
        let name = Name::parse("Eve\r\nBcc: all@example.org").unwrap();
        assert_eq!(name.as_str(), "Eve Bcc: all@example.org");
    }

    #[test]
    fn direction_is_turned_in_no_line_but_may_be_in_a_message() {
        let name = Name::parse("\u{202e} Ada\u{2066}\u{202c}").unwrap();
        assert_eq!(name.as_str(), "Ada");
        let message = Message::parse("\u{2067}שלום\u{2069} hello").unwrap();
        assert_eq!(message.as_str(), "\u{2067}שלום\u{2069} hello");
    }

    #[test]
    fn a_message_keeps_its_lines_and_loses_other_control_characters() {
        let message = Message::parse("one\r\ntwo\rthree\0\u{1b}[31m\tfour").unwrap();
        assert_eq!(message.as_str(), "one\ntwo\nthree[31m\tfour");
    }

    #[test]
    fn a_note_is_bounded_and_an_empty_one_is_none() {
        assert_eq!(Note::parse(" \n\t"), Ok(None));
        let note = Note::parse(" called\r\nback \u{7}").unwrap().unwrap();
        assert_eq!(note.as_str(), "called\nback");
        assert!(Note::parse(&"x".repeat(2_000)).is_ok());
        assert!(Note::parse(&"x".repeat(2_001)).is_err());
    }

    #[test]
    fn debug_output_hides_what_was_written() {
        let name = Name::parse("Ada").unwrap();
        assert_eq!(format!("{name:?}"), "Name(…)");
    }

    proptest! {
        #[test]
        fn a_name_is_one_trimmed_line_within_its_limit(raw in any::<String>()) {
            if let Ok(name) = Name::parse(&raw) {
                let value = name.as_str();
                prop_assert!(!value.is_empty() && value.chars().count() <= fields().name.limit);
                prop_assert_eq!(trim(value), value);
                prop_assert!(!value.chars().any(|c| breaks_line(c) || turns_direction(c)));
            }
        }

        #[test]
        fn parsing_a_message_twice_changes_nothing(raw in "[a-z \\t\\r\\n\\x00\\x1b\u{feff}]{0,200}") {
            if let Ok(once) = Message::parse(&raw) {
                prop_assert_eq!(&Message::parse(once.as_str()).unwrap(), &once);
                prop_assert!(!once.as_str().contains('\0'));
            }
        }
    }
}
