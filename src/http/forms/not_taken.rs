//! Why a form was not taken, and how that is told.

use std::time::Duration;

use http::StatusCode;
use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};

use super::form_body::Unusable;
use crate::domain::{FieldError, FieldErrors};
use crate::http::edge::body::Answer;
use crate::http::edge::error::Problem;

#[derive(Debug)]
pub struct NotTaken {
    pub status: StatusCode,
    /// For developers.
    title: Option<&'static str>,
    /// For the visitor; `None`: the form's own words for a failure.
    message: Option<String>,
    fields: Vec<FieldError>,
    retry_after: Option<Duration>,
}

impl NotTaken {
    pub fn failed(status: StatusCode) -> Self {
        Self {
            status,
            title: None,
            message: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    pub fn too_often(pause: Duration) -> Self {
        Self {
            retry_after: Some(pause),
            ..Self::failed(StatusCode::TOO_MANY_REQUESTS)
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

    /// Adds what it means for the connection and the next attempt.
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

impl From<Unusable> for NotTaken {
    fn from(Unusable(status, title): Unusable) -> Self {
        Self {
            title: Some(title),
            ..Self::failed(status)
        }
    }
}

impl From<FieldErrors> for NotTaken {
    fn from(errors: FieldErrors) -> Self {
        Self {
            message: Some(errors.summary().to_owned()),
            fields: errors.as_slice().to_vec(),
            ..Self::failed(StatusCode::UNPROCESSABLE_ENTITY)
        }
    }
}
