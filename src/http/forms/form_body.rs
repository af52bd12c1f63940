//! The body of a form post, in one of two formats, read within bounds.

use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
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
#[derive(Debug)]
pub struct Unusable(pub StatusCode, pub &'static str);

const TOO_SLOW: Unusable = Unusable(StatusCode::REQUEST_TIMEOUT, "Body did not arrive in time");
const BROKEN: Unusable = Unusable(StatusCode::BAD_REQUEST, "Body ended early");

impl Format {
    /// The largest body we take. A form has a letter in up to twelve bytes,
    /// where JSON has it in four: five thousand of them fit in both.
    fn limit(self) -> usize {
        match self {
            Self::Json => 32 * 1024,
            Self::Form => 64 * 1024,
        }
    }

    fn too_large(self) -> Unusable {
        let title = match self {
            Self::Json => "Body is larger than 32 KiB",
            Self::Form => "Body is larger than 64 KiB",
        };
        Unusable(StatusCode::PAYLOAD_TOO_LARGE, title)
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
) -> Result<Bytes, Unusable> {
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

async fn collect(mut body: axum::body::Body, format: Format) -> Result<Bytes, Unusable> {
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

#[cfg(test)]
mod tests {
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
}
