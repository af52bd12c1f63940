//! Where the visit that led to a lead began.
//!
//! It is a convenience for the owner, so a value that is too long is cut and
//! never refused: no lead is lost over it.

use serde::{Serialize, Serializer};

use super::text::one_line;

const MAX_CHARACTERS: usize = 200;

/// The first touch, each value one line and short; absent when empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    values: [Option<String>; Source::FIELDS.len()],
}

impl Source {
    /// The names of the values, which are the store's column names too.
    pub const FIELDS: [&'static str; 7] = [
        "landing_path",
        "referrer_host",
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
    ];

    /// The values in the order of [`Source::FIELDS`].
    pub fn from_values(values: [Option<String>; Self::FIELDS.len()]) -> Self {
        Self {
            values: values.map(|value| value.and_then(|text| cut(&text))),
        }
    }

    pub fn values(&self) -> &[Option<String>] {
        &self.values
    }

    /// Name and value of everything that is known.
    pub fn known(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let pairs = Self::FIELDS.into_iter().zip(&self.values);
        pairs.filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}

/// An object of what is known.
impl Serialize for Source {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_map(self.known())
    }
}

fn cut(text: &str) -> Option<String> {
    let line: String = one_line(text).chars().take(MAX_CHARACTERS).collect();
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_is_a_short_line(raw in proptest::option::of(any::<String>())) {
            let source = Source::from_values(Source::FIELDS.map(|_| raw.clone()));
            for (_, value) in source.known() {
                prop_assert!((1..=MAX_CHARACTERS).contains(&value.chars().count()));
                prop_assert!(!value.contains(char::is_control));
            }
        }
    }
}
