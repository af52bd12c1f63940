//! The plain text fields (name, phone, message, the owner's note) and the errors shown to visitors.
//!
//! Control characters never cost a lead: in one-line fields they become a space, so that a line
//! break can't reach a mail header; from the message they are removed, except line breaks and tabs.
//! This covers NUL, which PostgreSQL can't store. Text of invisible characters counts as empty.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

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

        // Personal data and tokens must not reach a log through a stray `{:?}`.
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
text_type!(
    /// The owner's private note about a lead.
    Note
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
    let is_blank = is_blank(&value);
    if is_blank && field.required {
        Err(FieldError::required(field))
    } else if !is_blank && value.chars().count() > field.limit {
        Err(FieldError::too_long(field))
    } else {
        Ok((!is_blank).then_some(value))
    }
}

/// Trims the same characters as a browser's `trim()`, including the byte order mark.
pub(super) fn trim(raw: &str) -> &str {
    raw.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Makes one line of the text: line breaks and other control characters become a space, and
/// characters that change the writing direction are removed.
pub fn one_line(raw: &str) -> String {
    let text = raw.replace("\r\n", "\n");
    let text = text.chars().filter(|c| !changes_direction(*c));
    let line: String = text.map(|c| if breaks_line(c) { ' ' } else { c }).collect();
    trim(&line).to_owned()
}

/// One line, cut off at 200 characters, for values that are never a reason to refuse a form.
pub fn short_line(raw: &str) -> Option<String> {
    let line: String = one_line(raw).chars().take(200).collect();
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

fn many_lines(raw: &str) -> String {
    let text = raw.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = text
        .chars()
        .filter(|c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect();
    trim(&kept).to_owned()
}

fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

impl Note {
    pub const MAX_CHARACTERS: usize = 2_000;

    /// Returns `None` for an empty note.
    pub fn parse(raw: &str) -> Result<Option<Self>, String> {
        let text = many_lines(raw);
        if text.chars().count() > Self::MAX_CHARACTERS {
            let limit = Self::MAX_CHARACTERS;
            return Err(format!("a note must not exceed {limit} characters"));
        }
        Ok((!is_blank(&text)).then_some(Self(text)))
    }
}

/// The characters of a pattern, which the browser's code also has (`web/src/lib/validate.ts`).
pub(super) struct CharClass(ClassUnicode);

impl CharClass {
    pub fn new(pattern: &str) -> Self {
        match regex_syntax::parse(pattern).map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => Self(class),
            other => unreachable!("{pattern} is a class of characters: {other:?}"),
        }
    }

    pub fn contains(&self, c: char) -> bool {
        let ranges = self.0.ranges();
        let index = ranges.partition_point(|range| range.end() < c);
        ranges.get(index).is_some_and(|range| range.start() <= c)
    }
}

/// Invisible characters: white space, control characters, Unicode's "default ignorable" ones (zero
/// width, joiners, variation selectors, fillers, tags), the empty braille cell and interlinear
/// annotations. They are legitimate between letters, so they are kept, but text of nothing else is
/// empty.
pub(super) fn is_invisible(c: char) -> bool {
    static INVISIBLE: LazyLock<CharClass> =
        LazyLock::new(|| CharClass::new(r"[\s\p{Cc}\p{DI}\u2800\ufff9-\ufffb]"));
    INVISIBLE.contains(c)
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// Whether the character changes the writing direction of the rest of its line, which may contain
/// more than the visitor's text: a mail's subject, a row of a table.
fn changes_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub field: &'static str,
    pub message: String,
}

impl FieldError {
    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { field, message }
    }

    pub(super) fn email_shape(field: &Field) -> Self {
        Self::new(field.name, &messages().email_shape)
    }

    fn required(field: &Field) -> Self {
        Self::new(field.name, &messages().required)
    }

    fn too_long(field: &Field) -> Self {
        let (label, limit) = (field.in_a_sentence(), field.limit.to_string());
        let message = messages().too_long.replace("{field}", label);
        Self::new(field.name, message.replace("{limit}", &limit))
    }
}

/// The errors of a form, in the order of its fields; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldErrors(pub(super) Vec<FieldError>);

impl FieldErrors {
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

/// The text with a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    format!("{}.", capital(text))
}

pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Replaces control characters and those that change the writing direction: a visitor's
/// text must not be able to move the cursor or disguise itself.
pub fn printable(text: &str) -> String {
    let is_mark = |c| changes_direction(c) || matches!(c, '\u{200e}' | '\u{200f}');
    text.replace(
        |c: char| (c.is_control() && c != '\n') || is_mark(c),
        "\u{fffd}",
    )
}

/// [`printable`] text on one line.
pub fn printable_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(printable).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_alone_is_empty() {
        let blank = " \t\r\n\u{a0}\u{3000}\u{feff}\0";
        let (name, message) = (&fields().name, &fields().message);
        assert_eq!(Name::parse(blank), Err(FieldError::required(name)));
        assert_eq!(Message::parse(blank), Err(FieldError::required(message)));
        assert_eq!(Phone::parse(blank), Ok(None));
    }

    #[test]
    fn a_name_is_one_line_and_a_message_keeps_its_lines_but_no_control_characters() {
        let name = Name::parse("\u{202e} Eve\u{2066}\r\nBcc: all@example.org\u{202c}").unwrap();
        assert_eq!(name.as_str(), "Eve Bcc: all@example.org");
        let message = Message::parse("one\r\ntwo\rthree\0\u{1b}[31m\tfour").unwrap();
        assert_eq!(message.as_str(), "one\ntwo\nthree[31m\tfour");
        let message = Message::parse("\u{2067}שלום\u{2069} hello").unwrap();
        assert_eq!(message.as_str(), "\u{2067}שלום\u{2069} hello");
        assert_eq!(format!("{name:?}"), "Name(…)", "a log must not show it");
    }

    #[test]
    fn a_note_is_bounded_and_an_empty_one_is_none() {
        assert_eq!(Note::parse(" \n\t"), Ok(None));
        let note = Note::parse(" called\r\nback \u{7}").unwrap().unwrap();
        assert_eq!(note.as_str(), "called\nback");
        assert!(Note::parse(&"x".repeat(2_000)).is_ok());
        assert!(Note::parse(&"x".repeat(2_001)).is_err());
    }

    proptest! {
        #[test]
        fn a_name_is_one_trimmed_line_within_its_limit(raw in any::<String>()) {
            if let Ok(name) = Name::parse(&raw) {
                let value = name.as_str();
                prop_assert!(!value.is_empty() && value.chars().count() <= fields().name.limit);
                prop_assert_eq!(trim(value), value);
                prop_assert!(!value.chars().any(|c| breaks_line(c) || changes_direction(c)));
            }
        }
    }

    #[test]
    fn escape_sequences_and_turned_text_are_disarmed() {
        let text = printable("a\u{1b}[2Jb\u{202e}c\u{9b}d\ne");
        assert_eq!(text, "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\ne");
    }
}
