//! Where the visit that led to a lead began.
//!
//! It is a convenience for the owner, so a value that is too long is cut and
//! never refused: no lead is lost over it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::one_line;

const MAX_CHARACTERS: usize = 200;

/// The first touch as the browser reports it. A value of a wrong type counts
/// as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RawSource {
    #[serde(deserialize_with = "text_or_nothing")]
    pub landing_path: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub referrer_host: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub utm_source: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub utm_medium: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub utm_campaign: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub utm_term: Option<String>,
    #[serde(deserialize_with = "text_or_nothing")]
    pub utm_content: Option<String>,
}

fn text_or_nothing<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(input)? {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    })
}

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

    pub fn parse(raw: RawSource) -> Self {
        Self::from_values([
            raw.landing_path,
            raw.referrer_host,
            raw.utm_source,
            raw.utm_medium,
            raw.utm_campaign,
            raw.utm_term,
            raw.utm_content,
        ])
    }

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

    #[test]
    fn a_value_that_is_no_text_counts_as_absent() {
        let raw: RawSource =
            serde_json::from_str(r#"{"landing_path": "/pricing", "utm_term": 7, "new": []}"#)
                .unwrap();
        let source = Source::parse(raw);
        assert_eq!(
            source.known().collect::<Vec<_>>(),
            [("landing_path", "/pricing")]
        );
    }

    proptest! {
        #[test]
        fn every_value_is_a_short_line(raw in proptest::option::of(any::<String>())) {
            let source = Source::parse(RawSource { utm_source: raw, ..RawSource::default() });
            for (_, value) in source.known() {
                prop_assert!((1..=MAX_CHARACTERS).contains(&value.chars().count()));
                prop_assert!(!value.contains(char::is_control));
            }
        }
    }
}
