//! The answers to a contact form: JSON for our own script, a page for a
//! browser without JavaScript, both with the same words.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER,
};
use uuid::Uuid;

use super::app::AppParts;
use super::body::{self, Answer};
use super::client::Client;
use super::contact_form::Submission;
use super::error::Problem;
use super::form_body::{self, Format};
use crate::domain::{FieldError, FieldErrors, MESSAGES};

const SENT_PAGE: HeaderValue = HeaderValue::from_static("/contact/sent");

/// Why a form was not taken.
pub struct Refused {
    pub status: StatusCode,
    /// For developers.
    pub title: Option<&'static str>,
    /// For the visitor.
    pub message: String,
    pub fields: Vec<FieldError>,
    pub retry_after: Option<Duration>,
}

impl Refused {
    pub fn failed(status: StatusCode) -> Self {
        Self {
            status,
            title: None,
            message: MESSAGES.contact_failed.clone(),
            fields: Vec::new(),
            retry_after: None,
        }
    }
}

impl From<form_body::Refusal> for Refused {
    fn from((status, title): form_body::Refusal) -> Self {
        Self {
            title: Some(title),
            ..Self::failed(status)
        }
    }
}

impl From<FieldErrors> for Refused {
    fn from(errors: FieldErrors) -> Self {
        Self {
            message: errors.summary().to_owned(),
            fields: errors.as_slice().to_vec(),
            ..Self::failed(StatusCode::UNPROCESSABLE_ENTITY)
        }
    }
}

pub fn created(id: &str) -> Answer {
    let json = serde_json::json!({ "id": id }).to_string();
    let mut answer = Answer::new(body::empty());
    *answer.status_mut() = StatusCode::CREATED;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, json.len().into());
    *answer.body_mut() = body::bytes(Bytes::from(json));
    answer
}

/// A reload of the page that follows must not send the form again.
pub fn see_sent_page() -> Answer {
    let mut answer = Answer::new(body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    answer.headers_mut().insert(LOCATION, SENT_PAGE);
    answer
}

pub fn refusal(
    parts: &AppParts,
    format: Format,
    client: Client,
    typed: &Submission,
    refused: &Refused,
) -> Answer {
    let mut answer = match format {
        Format::Json => {
            let problem = Problem::new(refused.status, &refused.message);
            problem
                .titled(refused.title)
                .with_fields(&refused.fields)
                .answer()
        }
        Format::Form => {
            // The page's form gets a key of its own, so that sending it twice
            // stores one lead.
            let key = match typed.idempotency_key.as_str() {
                "" => Uuid::new_v4().to_string(),
                key => key.to_owned(),
            };
            let words = [
                ("title", "Message not sent"),
                ("state", "error"),
                ("message", &*refused.message),
                ("name", &typed.name),
                ("email", &typed.email),
                ("phone", &typed.phone),
                ("body", &typed.message),
                ("form_location", &typed.form_location),
                ("idempotency_key", &key),
            ];
            parts
                .pages
                .contact_outcome
                .answer(refused.status, client.tls, &words)
        }
    };
    if matches!(
        refused.status,
        StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE
    ) {
        // The rest of the body is not waited for.
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    if let Some(pause) = refused.retry_after {
        // Whole seconds, rounded up: a retry just in time must succeed.
        let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
        answer
            .headers_mut()
            .insert(RETRY_AFTER, seconds.max(1).into());
    }
    answer
}
