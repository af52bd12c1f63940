//! The body of a post, in one of two formats, read within bounds.

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

/// The largest body that is taken.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub bytes: usize,
    /// What is said of a larger one.
    pub refusal: &'static str,
}

impl Limit {
    fn passed(self) -> Unusable {
        Unusable(StatusCode::PAYLOAD_TOO_LARGE, self.refusal)
    }
}

const TOO_SLOW: Unusable = Unusable(StatusCode::REQUEST_TIMEOUT, "Body did not arrive in time");
const BROKEN: Unusable = Unusable(StatusCode::BAD_REQUEST, "Body ended early");

impl Format {
    /// Of our forms. One has a letter in up to twelve bytes, where JSON has it
    /// in four: five thousand of them fit in both.
    pub fn limit(self) -> Limit {
        let (bytes, refusal) = match self {
            Self::Json => (32 * 1024, "Body is larger than 32 KiB"),
            Self::Form => (64 * 1024, "Body is larger than 64 KiB"),
        };
        Limit { bytes, refusal }
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
    limit: Limit,
    body: axum::body::Body,
    patience: Duration,
) -> Result<Bytes, Unusable> {
    let length = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    let length = length.and_then(|value| value.parse::<usize>().ok());
    // Whoever asks first has sent nothing yet and can be told at once.
    let longer = |than: usize| length.is_some_and(|length| length > than);
    if longer(limit.bytes + THROWN_AWAY) || (headers.contains_key(EXPECT) && longer(limit.bytes)) {
        return Err(limit.passed());
    }
    timeout(patience, collect(body, limit))
        .await
        .unwrap_or(Err(TOO_SLOW))
}

async fn collect(mut body: axum::body::Body, limit: Limit) -> Result<Bytes, Unusable> {
    let mut collected = BytesMut::new();
    let mut total = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BROKEN)?.into_data() else {
            continue;
        };
        total += data.remaining();
        if total > limit.bytes + THROWN_AWAY {
            return Err(limit.passed());
        }
        if total <= limit.bytes {
            collected.extend_from_slice(&data);
        }
    }
    if total > limit.bytes {
        return Err(limit.passed());
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
