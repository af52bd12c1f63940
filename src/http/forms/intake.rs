//! What every form goes through before its own rules: does it come from our
//! own pages (403), small and in time (413, 408), readable (400), not too
//! often (429). And how a refusal is told.

use std::time::{Duration, Instant};

use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, StatusCode};

use super::form_body::{self, Format, Refusal};
use crate::domain::{FieldError, FieldErrors};
use crate::http::app::AppParts;
use crate::http::edge::body::Answer;
use crate::http::edge::client::Client;
use crate::http::edge::error::Problem;
use crate::http::edge::same_origin::is_same_origin;

/// A visitor is told of a failure rather than left waiting for the store.
pub const STORE_PATIENCE: Duration = Duration::from_secs(5);

/// Why a form was not taken.
#[derive(Debug)]
pub struct Refused {
    pub status: StatusCode,
    /// For developers.
    title: Option<&'static str>,
    /// For the visitor; `None`: the form's own words for a failure.
    message: Option<String>,
    fields: Vec<FieldError>,
    retry_after: Option<Duration>,
}

impl Refused {
    pub fn failed(status: StatusCode) -> Self {
        Self {
            status,
            title: None,
            message: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    pub fn is_about(&self, field: &str) -> bool {
        self.fields.iter().any(|error| error.field == field)
    }

    pub fn message<'a>(&'a self, failure: &'a str) -> &'a str {
        self.message.as_deref().unwrap_or(failure)
    }

    /// For callers that speak JSON.
    pub fn problem(&self, failure: &str) -> Answer {
        Problem::new(self.status, self.message(failure))
            .titled(self.title)
            .with_fields(&self.fields)
            .answer()
    }

    /// Adds what the refusal means for the connection and the next attempt.
    pub fn finish(&self, mut answer: Answer) -> Answer {
        let headers = answer.headers_mut();
        if matches!(
            self.status,
            StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE
        ) {
            // The rest of the body is not waited for.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(pause) = self.retry_after {
            // Whole seconds, rounded up: a retry just in time must succeed.
            let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, seconds.max(1).into());
        }
        answer
    }
}

impl From<Refusal> for Refused {
    fn from((status, title): Refusal) -> Self {
        Self {
            title: Some(title),
            ..Self::failed(status)
        }
    }
}

impl From<FieldErrors> for Refused {
    fn from(errors: FieldErrors) -> Self {
        Self {
            message: Some(errors.summary().to_owned()),
            fields: errors.as_slice().to_vec(),
            ..Self::failed(StatusCode::UNPROCESSABLE_ENTITY)
        }
    }
}

/// Reads a form into `typed`, which is filled as soon as it is known: the
/// words are kept when a later check fails.
pub async fn receive<T: Default>(
    parts: &AppParts,
    client: Client,
    headers: &HeaderMap,
    format: Format,
    body: axum::body::Body,
    parse: impl FnOnce(Format, &[u8]) -> Result<T, Refusal>,
    typed: &mut T,
) -> Result<(), Refused> {
    if !is_same_origin(headers, &client) {
        return Err(Refused::failed(StatusCode::FORBIDDEN));
    }
    let bytes = form_body::read(headers, format, body, parts.body_patience).await?;
    let parsed = parse(format, &bytes);
    // An unreadable body counts as a post too.
    if let Err(pause) = parts.rate_limit.count(client.address, Instant::now()) {
        *typed = parsed.unwrap_or_default();
        return Err(Refused {
            retry_after: Some(pause),
            ..Refused::failed(StatusCode::TOO_MANY_REQUESTS)
        });
    }
    *typed = parsed?;
    Ok(())
}
