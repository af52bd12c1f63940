//! Characters that show nothing.
//!
//! Unicode's "default ignorable" ones (zero width, joiners, variation
//! selectors, fillers, tags), which a browser's `\p{DI}` names too, and a few
//! that are blank all the same. They have their use between letters, so they
//! are only not enough by themselves.

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
    // A braille cell without dots.
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    // The last three are the marks of an annotation.
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

pub fn is_invisible(c: char) -> bool {
    let shows_nothing = |(first, last): &(char, char)| (*first..=*last).contains(&c);
    c.is_whitespace() || c.is_control() || INVISIBLE.iter().any(shows_nothing)
}

/// Nothing to see, whatever was typed.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// Turns the direction of writing for what follows, also of what is not the
/// visitor's: a subject line, a row of a table.
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
