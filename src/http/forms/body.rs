//! Reads the body of a post, with limits on size and time: JSON, or a form sent without JavaScript.

use std::borrow::Cow;
use std::str::FromStr;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::http::request::Refusal;

/// How much of a body beyond its limit is read and discarded before it is refused: a client that is
/// still sending wouldn't see the response on a closed connection.
const DISCARD_LIMIT: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Form,
}

/// Why a body is refused: the status, and a reason for developers.
#[derive(Debug)]
pub struct BadBody(pub StatusCode, pub &'static str);

impl From<BadBody> for Refusal {
    fn from(BadBody(status, title): BadBody) -> Self {
        Self {
            title: Some(title),
            ..Self::new(status)
        }
    }
}

const TOO_SLOW: BadBody = BadBody(StatusCode::REQUEST_TIMEOUT, "Body did not arrive in time");
const BROKEN: BadBody = BadBody(StatusCode::BAD_REQUEST, "Body ended early");
const NOT_JSON: BadBody = BadBody(
    StatusCode::BAD_REQUEST,
    "Body isn't JSON of the right shape",
);
const NOT_A_FORM: BadBody = BadBody(StatusCode::BAD_REQUEST, "Body isn't a form");

/// The largest body that is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub bytes: usize,
    /// The reason given when a body is larger.
    pub refusal: &'static str,
}

impl Limit {
    fn passed(self) -> BadBody {
        BadBody(StatusCode::PAYLOAD_TOO_LARGE, self.refusal)
    }
}

impl Format {
    /// The limit for our forms, in which the longest message fits: a character takes up to twelve
    /// bytes in a form and four in JSON.
    pub fn limit(self) -> Limit {
        let (bytes, refusal) = match self {
            Self::Json => (32 * 1024, "Body is larger than 32 KiB"),
            Self::Form => (64 * 1024, "Body is larger than 64 KiB"),
        };
        Limit { bytes, refusal }
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

/// Returns the whole body, if it is small enough and arrives in time.
pub async fn read(body: Body, limit: Limit, within: Duration) -> Result<Bytes, BadBody> {
    let read = timeout(within, collect(body, limit)).await;
    read.unwrap_or(Err(TOO_SLOW))
}

async fn collect(mut body: Body, limit: Limit) -> Result<Bytes, BadBody> {
    let most = limit.bytes + DISCARD_LIMIT;
    if body.size_hint().lower() > most as u64 {
        return Err(limit.passed());
    }
    let mut collected = BytesMut::new();
    let mut total = 0;
    while total <= most
        && let Some(frame) = body.frame().await
    {
        let data = frame.map_err(|_| BROKEN)?.into_data().unwrap_or_default();
        total += data.len();
        if total <= limit.bytes {
            collected.extend_from_slice(&data);
        }
    }
    if total <= limit.bytes {
        Ok(collected.freeze())
    } else {
        Err(limit.passed())
    }
}

/// The submitted fields by name.
pub enum Posted<'a> {
    Json(Map<String, Value>),
    /// If a field is repeated, the first one counts.
    Form(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

impl<'a> Posted<'a> {
    pub fn parse(format: Format, bytes: &'a [u8]) -> Result<Self, BadBody> {
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

    /// The text of a field. A missing field or null is empty; another type is an error.
    pub fn text(&self, name: &str) -> Result<String, BadBody> {
        match self {
            Self::Json(members) => match members.get(name) {
                None | Some(Value::Null) => Ok(String::new()),
                Some(Value::String(text)) => Ok(text.clone()),
                Some(_) => Err(NOT_JSON),
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
