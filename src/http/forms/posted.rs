//! What was posted, by the names of its fields: as JSON, or as a browser sends
//! a form without JavaScript.

use std::borrow::Cow;
use std::str::FromStr;

use http::StatusCode;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::{RawValue, Value};

use super::form_body::{Format, Unusable};

const NOT_JSON: Unusable = Unusable(
    StatusCode::BAD_REQUEST,
    "Body is not JSON of the right shape",
);
const NOT_A_FORM: Unusable = Unusable(StatusCode::BAD_REQUEST, "Body is not a form");

pub enum Posted<'a> {
    Json(Members<'a>),
    /// Of a repeated field the first one counts.
    Form(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

impl<'a> Posted<'a> {
    pub fn parse(format: Format, bytes: &'a [u8]) -> Result<Self, Unusable> {
        match format {
            Format::Json => serde_json::from_slice(bytes)
                .map(Self::Json)
                .map_err(|_| NOT_JSON),
            Format::Form => {
                let is_form = bytes.is_empty() || bytes.contains(&b'=');
                if !is_form || std::str::from_utf8(bytes).is_err() {
                    return Err(NOT_A_FORM);
                }
                Ok(Self::Form(form_urlencoded::parse(bytes).collect()))
            }
        }
    }

    /// A visitor's words. Absent, or null, is empty; another type is refused.
    pub fn text(&self, name: &str) -> Result<String, Unusable> {
        match self {
            Self::Json(members) => match members.value(name)? {
                Value::Null => Ok(String::new()),
                Value::String(text) => Ok(text),
                _ => Err(NOT_JSON),
            },
            Self::Form(fields) => Ok(first(fields, name).unwrap_or_default().to_owned()),
        }
    }

    /// A value that is taken when it is of the right type and otherwise
    /// ignored: for what must never cost a lead.
    pub fn lenient<T>(&self, name: &str) -> Result<Option<T>, Unusable>
    where
        T: DeserializeOwned + FromStr,
    {
        Ok(match self {
            Self::Json(members) => serde_json::from_value(members.value(name)?).ok(),
            Self::Form(fields) => first(fields, name).and_then(|text| text.trim().parse().ok()),
        })
    }

    /// Lenient texts that are an object of their own in JSON, and stand beside
    /// the rest in a form.
    pub fn group<const N: usize>(
        &self,
        name: &str,
        texts: [&str; N],
    ) -> Result<[Option<String>; N], Unusable> {
        Ok(match self {
            Self::Json(members) => {
                let group = members.value(name)?;
                texts.map(|text| Some(group.get(text)?.as_str()?.to_owned()))
            }
            Self::Form(fields) => texts.map(|text| first(fields, text).map(str::to_owned)),
        })
    }
}

fn first<'a>(fields: &'a [(Cow<'_, str>, Cow<'_, str>)], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| &**value)
}

/// Those of a JSON object, in order, their values still unread: what nobody
/// asks for is ignored, whatever JSON it is.
#[derive(Default)]
pub struct Members<'a>(Vec<(String, &'a RawValue)>);

impl Members<'_> {
    fn value(&self, name: &str) -> Result<Value, Unusable> {
        let mut values = self.0.iter().filter(|(known, _)| known == name);
        match (values.next(), values.next()) {
            (None, _) => Ok(Value::Null),
            (Some((_, value)), None) => serde_json::from_str(value.get()).map_err(|_| NOT_JSON),
            // Nobody could say which of the two is meant.
            (Some(_), Some(_)) => Err(NOT_JSON),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Members::default();
                while let Some(member) = map.next_entry()? {
                    members.0.push(member);
                }
                Ok(members)
            }
        }

        input.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(body: &[u8]) -> Posted<'_> {
        Posted::parse(Format::Form, body).expect("a form")
    }

    #[test]
    fn a_form_is_decoded_and_its_first_field_of_a_name_counts() {
        let posted = form(b"a=1+%C3%A9%0A&b=&a=2");
        let texts = ["a", "b", "c"].map(|name| posted.text(name).unwrap());
        assert_eq!(texts, ["1 é\n", "", ""]);
    }

    #[test]
    fn the_first_counts_however_often_a_field_is_repeated() {
        let posted = form(b"x=0&a=1&a=2&a=3&b=4&b=5&b=6");
        let texts = ["x", "b", "a"].map(|name| posted.text(name).unwrap());
        assert_eq!(texts, ["0", "4", "1"]);
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let parse = |bytes| Posted::parse(Format::Form, bytes);
        assert!(parse(b"{\"name\":1}").is_err());
        assert!(parse(b"a=\xff").is_err());
        assert!(parse(b"").is_ok());
    }

    #[test]
    fn only_an_object_is_json_of_the_right_shape() {
        for wrong in [
            "",
            "[]",
            "null",
            "\"x\"",
            "{",
            "{} x",
            "{\"a\":}",
            "[[\"a\",1]]",
        ] {
            assert!(
                Posted::parse(Format::Json, wrong.as_bytes()).is_err(),
                "{wrong}"
            );
        }
        let odd = b" {\"a\" : {\"b\": [1e999, \"\\ud800\"]}, \"\\u0063\": \"d\"} ";
        let odd = Posted::parse(Format::Json, odd).expect("nobody asks for `a`");
        assert_eq!(odd.text("c").unwrap(), "d");
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for format in [Format::Form, Format::Json] {
                if let Ok(posted) = Posted::parse(format, &bytes) {
                    let _ = posted.text("a");
                    let _ = posted.lenient::<f64>("a");
                }
            }
        }

        #[test]
        fn what_a_browser_encodes_comes_back(value in any::<String>()) {
            let body = form_urlencoded::Serializer::new(String::new())
                .append_pair("x", "y")
                .append_pair("message", &value)
                .finish();
            prop_assert_eq!(form(body.as_bytes()).text("message").unwrap(), value);
        }
    }
}
