//! The body of a form post: read within bounds, then understood as JSON or
//! as what a browser sends without JavaScript.

use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

/// So much more is read and thrown away before the refusal: a client that is
/// still sending would not see an answer on a closed connection.
const THROWN_AWAY: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Form,
}

/// Why a body cannot be used: the status and what is wrong, for developers.
pub type Refusal = (StatusCode, &'static str);

const TOO_SLOW: Refusal = (StatusCode::REQUEST_TIMEOUT, "Body did not arrive in time");
const BROKEN: Refusal = (StatusCode::BAD_REQUEST, "Body ended early");
const NOT_JSON: Refusal = (
    StatusCode::BAD_REQUEST,
    "Body is not JSON of the right shape",
);
const NOT_A_FORM: Refusal = (StatusCode::BAD_REQUEST, "Body is not a form");

impl Format {
    /// The largest body we take. A form has a letter in up to twelve bytes,
    /// where JSON has it in four: five thousand of them fit in both.
    fn limit(self) -> usize {
        match self {
            Self::Json => 32 * 1024,
            Self::Form => 64 * 1024,
        }
    }

    fn too_large(self) -> Refusal {
        let title = match self {
            Self::Json => "Body is larger than 32 KiB",
            Self::Form => "Body is larger than 64 KiB",
        };
        (StatusCode::PAYLOAD_TOO_LARGE, title)
    }

    /// By `Content-Type`, whatever its parameters.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Some(Self::Form)
        } else {
            None
        }
    }
}

/// The whole body, if it is small enough and comes within `patience`.
pub async fn read(
    headers: &HeaderMap,
    format: Format,
    body: axum::body::Body,
    patience: Duration,
) -> Result<Bytes, Refusal> {
    let limit = format.limit();
    let length = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    let length = length.and_then(|value| value.parse::<usize>().ok());
    // Whoever asks first has sent nothing yet and can be told at once.
    let hopeless = length.is_some_and(|length| length > limit + THROWN_AWAY);
    if hopeless || (headers.contains_key(EXPECT) && length.is_some_and(|length| length > limit)) {
        return Err(format.too_large());
    }
    timeout(patience, collect(body, format))
        .await
        .unwrap_or(Err(TOO_SLOW))
}

async fn collect(mut body: axum::body::Body, format: Format) -> Result<Bytes, Refusal> {
    let limit = format.limit();
    let mut collected = BytesMut::new();
    let mut total = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BROKEN)?.into_data() else {
            continue;
        };
        total += data.remaining();
        if total > limit + THROWN_AWAY {
            return Err(format.too_large());
        }
        if total <= limit {
            collected.extend_from_slice(&data);
        }
    }
    if total > limit {
        return Err(format.too_large());
    }
    Ok(collected.freeze())
}

/// An object only: a derived reader would take a list of its fields as well.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(NOT_JSON);
    }
    serde_json::from_slice(bytes).map_err(|_| NOT_JSON)
}

/// The fields of a form post. Of a repeated field the first one counts.
#[derive(Debug)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let is_form = bytes.is_empty() || bytes.contains(&b'=');
        if !is_form || std::str::from_utf8(bytes).is_err() {
            return Err(NOT_A_FORM);
        }
        Ok(Self(form_urlencoded::parse(bytes).into_owned().collect()))
    }

    pub fn take(&mut self, name: &str) -> Option<String> {
        let first = self.0.iter_mut().find(|(known, _)| known == name)?;
        Some(std::mem::take(&mut first.1))
    }
}

/// A JSON value that is taken when it is of the right type and otherwise
/// ignored: for what must never cost a lead.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum Lenient<T> {
    Value(T),
    #[default]
    #[serde(skip_deserializing)]
    Missing,
    Ignored(serde::de::IgnoredAny),
}

impl<T> Lenient<T> {
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Ignored(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_content_type_is_known_with_parameters_and_in_any_case() {
        let format = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
            Format::of(&headers)
        };
        assert_eq!(
            format("Application/JSON; charset=utf-8"),
            Some(Format::Json)
        );
        assert_eq!(
            format("application/x-www-form-urlencoded"),
            Some(Format::Form)
        );
        assert_eq!(format("text/plain"), None);
        assert_eq!(format("application/jsonp"), None);
        assert_eq!(Format::of(&HeaderMap::new()), None);
    }

    #[test]
    fn a_form_is_decoded_and_its_first_field_of_a_name_counts() {
        let mut fields = Fields::parse(b"a=1+%C3%A9%0A&b=&a=2").unwrap();
        assert_eq!(fields.take("a").as_deref(), Some("1 é\n"));
        assert_eq!(fields.take("b").as_deref(), Some(""));
        assert_eq!(fields.take("c"), None);
    }

    #[test]
    fn the_first_counts_however_often_a_field_is_repeated() {
        let mut fields = Fields::parse(b"x=0&a=1&a=2&a=3&b=4&b=5&b=6").unwrap();
        let taken = ["x", "b", "a"].map(|name| fields.take(name));
        assert_eq!(taken.map(Option::unwrap_or_default), ["0", "4", "1"]);
    }

    #[test]
    fn what_is_no_form_is_refused() {
        assert!(Fields::parse(b"{\"name\":1}").is_err());
        assert!(Fields::parse(b"a=\xff").is_err());
        assert!(Fields::parse(b"").is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Fields::parse(&bytes);
            let _ = json::<serde_json::Map<String, serde_json::Value>>(&bytes);
        }

        #[test]
        fn what_a_browser_encodes_comes_back(value in any::<String>()) {
            let body = form_urlencoded::Serializer::new(String::new())
                .append_pair("x", "y")
                .append_pair("message", &value)
                .finish();
            let mut fields = Fields::parse(body.as_bytes()).unwrap();
            prop_assert_eq!(fields.take("message"), Some(value));
        }
    }
}
