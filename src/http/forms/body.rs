//! Reads the body of a post, with limits on size and time: JSON, or a form sent without JavaScript.

use std::borrow::Cow;
use std::str::FromStr;

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::http::request::{ApiRequest, Refusal};

/// How much of a body beyond its limit is read and discarded before it is refused: a client that is
/// still sending wouldn't see the response on a closed connection.
const DISCARD_LIMIT: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Form,
}

impl Format {
    /// The largest body of our forms, in bytes. The longest message fits: a character takes up to
    /// twelve bytes in a form and four in JSON.
    pub fn limit(self) -> usize {
        match self {
            Self::Json => 32 * 1024,
            Self::Form => 64 * 1024,
        }
    }

    /// Reads `Content-Type` and ignores its parameters.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
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

impl ApiRequest {
    /// The format of the post and of its response. A post in an unknown format gets JSON.
    pub fn format(&self) -> Format {
        Format::from_headers(&self.head.headers).unwrap_or(Format::Json)
    }

    /// Returns the whole body, if it has at most `limit` bytes and arrives in time.
    pub async fn read(&self, body: Body, limit: usize) -> Result<Bytes, Refusal> {
        let read = timeout(self.state.body_timeout, collect(body, limit)).await;
        let too_slow = "Body did not arrive in time";
        read.unwrap_or_else(|_| Err(Refusal::bad_body(StatusCode::REQUEST_TIMEOUT, too_slow)))
    }
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let too_large = || {
        let reason = format!("Body is larger than {limit} bytes");
        Err(Refusal::bad_body(StatusCode::PAYLOAD_TOO_LARGE, reason))
    };
    let broken = |_| Refusal::bad_body(StatusCode::BAD_REQUEST, "Body ended early");
    let most = limit + DISCARD_LIMIT;
    if body.size_hint().lower() > most as u64 {
        return too_large();
    }
    let mut collected = BytesMut::new();
    let mut total = 0;
    while total <= most
        && let Some(frame) = body.frame().await
    {
        let data = frame.map_err(broken)?.into_data().unwrap_or_default();
        total += data.len();
        if total <= limit {
            collected.extend_from_slice(&data);
        }
    }
    if total <= limit {
        Ok(collected.freeze())
    } else {
        too_large()
    }
}

fn not_json() -> Refusal {
    Refusal::bad_body(
        StatusCode::BAD_REQUEST,
        "Body isn't JSON of the right shape",
    )
}

/// The submitted fields by name.
pub enum Posted<'a> {
    Json(Map<String, Value>),
    /// If a field is repeated, the first one counts.
    Form(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

impl<'a> Posted<'a> {
    pub fn parse(format: Format, bytes: &'a [u8]) -> Result<Self, Refusal> {
        match format {
            Format::Json => {
                let parsed = serde_json::from_slice(bytes).map(Self::Json);
                parsed.map_err(|_| not_json())
            }
            Format::Form => {
                let is_form = bytes.is_empty() || bytes.contains(&b'=');
                if !is_form || std::str::from_utf8(bytes).is_err() {
                    let reason = "Body isn't a form";
                    return Err(Refusal::bad_body(StatusCode::BAD_REQUEST, reason));
                }
                Ok(Self::Form(form_urlencoded::parse(bytes).collect()))
            }
        }
    }

    /// The text of a field. A missing field or null is empty; another type is an error.
    pub fn text(&self, name: &str) -> Result<String, Refusal> {
        match self {
            Self::Json(members) => match members.get(name) {
                None | Some(Value::Null) => Ok(String::new()),
                Some(Value::String(text)) => Ok(text.clone()),
                Some(_) => Err(not_json()),
            },
            Self::Form(fields) => Ok(first(fields, name).unwrap_or_default().to_owned()),
        }
    }

    /// A value of the right type, or `None`. For extras: a malformed one must never cost a lead.
    pub fn lenient<T: DeserializeOwned + FromStr>(&self, name: &str) -> Option<T> {
        match self {
            Self::Json(members) => serde_json::from_value(members.get(name)?.clone()).ok(),
            Self::Form(fields) => first(fields, name)?.trim().parse().ok(),
        }
    }

    /// Texts, read leniently, that are nested in an object in JSON and ordinary fields in a form.
    pub fn group<const N: usize>(&self, name: &str, texts: [&str; N]) -> [Option<String>; N] {
        texts.map(|text| match self {
            Self::Json(members) => members.get(name)?.get(text)?.as_str().map(str::to_owned),
            Self::Form(fields) => first(fields, text).map(str::to_owned),
        })
    }
}

fn first<'a>(fields: &'a [(Cow<'_, str>, Cow<'_, str>)], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| &**value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_content_type_is_known_with_parameters_and_in_any_case() {
        for (value, format) in [
            ("Application/JSON; charset=utf-8", Some(Format::Json)),
            ("application/x-www-form-urlencoded", Some(Format::Form)),
            ("text/plain", None),
            ("application/jsonp", None),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, value.parse().unwrap())]);
            assert_eq!(Format::from_headers(&headers), format, "{value}");
        }
    }

    #[test]
    fn a_form_is_decoded_and_its_first_field_of_a_name_counts() {
        let posted = Posted::parse(Format::Form, b"x=0&a=1+%C3%A9%0A&b=&a=2&a=3").unwrap();
        let texts = ["a", "b", "c", "x"].map(|name| posted.text(name).unwrap());
        assert_eq!(texts, ["1 é\n", "", "", "0"]);
        let parse = |bytes| Posted::parse(Format::Form, bytes);
        assert!(parse(b"{\"name\":1}").is_err() && parse(b"a=\xff").is_err());
        assert!(parse(b"").is_ok());
    }

    proptest! {
        #[test]
        fn what_a_browser_encodes_comes_back(value in any::<String>()) {
            let body = form_urlencoded::Serializer::new(String::new())
                .append_pair("x", "y")
                .append_pair("message", &value)
                .finish();
            let posted = Posted::parse(Format::Form, body.as_bytes()).unwrap();
            prop_assert_eq!(posted.text("message").unwrap(), value);
        }
    }
}
