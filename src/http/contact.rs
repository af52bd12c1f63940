//! `POST /api/contacts`: from a filled-in form to a stored lead.
//!
//! In this order: does it come from our own pages (403), in a format we know
//! (415), small and in time (413, 408), not too often (429), readable (400),
//! valid (422), stored (503). A visitor without JavaScript gets a page with
//! the same words, and what was typed, instead of JSON.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER,
};
use http::{HeaderMap, Request, StatusCode};
use jiff::Timestamp;
use tokio::time::timeout;
use uuid::Uuid;

use super::app::AppParts;
use super::body::{self, Answer};
use super::client::Client;
use super::contact_form::Submission;
use super::error::Problem;
use super::form_body::{self, Format};
use super::same_origin::is_same_origin;
use crate::domain::{Contact, FieldError, FieldErrors, IdempotencyKey, MESSAGES, Source};
use crate::store::NewLead;

const SENT_PAGE: HeaderValue = HeaderValue::from_static("/contact/sent");
/// A visitor is told of a failure rather than left waiting for the store.
const STORE_PATIENCE: Duration = Duration::from_secs(5);

/// Why a form was not taken.
struct Refused {
    status: StatusCode,
    /// For developers.
    title: Option<&'static str>,
    /// For the visitor.
    message: String,
    fields: Vec<FieldError>,
    retry_after: Option<Duration>,
}

impl Refused {
    fn failed(status: StatusCode) -> Self {
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

pub async fn submit(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    request: Request<axum::body::Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    let Some(format) = Format::of(&head.headers) else {
        let refused = Refused::failed(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        return refusal(
            &parts,
            Format::Json,
            client,
            &Submission::default(),
            &refused,
        );
    };
    let mut submission = Submission::default();
    let outcome = accept(&parts, client, &head.headers, format, body, &mut submission).await;
    match (outcome, format) {
        (Ok(id), Format::Json) => created(&id),
        (Ok(_), Format::Form) => see_sent_page(),
        (Err(refused), _) => refusal(&parts, format, client, &submission, &refused),
    }
}

/// Fills `submission` as soon as it is known: the words typed are kept when
/// a later check fails.
async fn accept(
    parts: &AppParts,
    client: Client,
    headers: &HeaderMap,
    format: Format,
    body: axum::body::Body,
    submission: &mut Submission,
) -> Result<String, Refused> {
    if !is_same_origin(headers, &client) {
        return Err(Refused::failed(StatusCode::FORBIDDEN));
    }
    let bytes = form_body::read(headers, body, parts.body_patience).await?;
    let parsed = Submission::parse(format, &bytes);
    // An unreadable body counts as a post too.
    let counted = parts.rate_limit.count(client.address, Instant::now());
    *submission = parsed?;
    counted.map_err(|pause| Refused {
        retry_after: Some(pause),
        ..Refused::failed(StatusCode::TOO_MANY_REQUESTS)
    })?;
    let lead = new_lead(parts, headers, submission)?;
    store(parts, lead).await
}

fn new_lead(
    parts: &AppParts,
    headers: &HeaderMap,
    submission: &Submission,
) -> Result<NewLead, FieldErrors> {
    let contact = Contact::parse(submission.contact())?;
    let header = headers
        .get("idempotency-key")
        .map(|key| String::from_utf8_lossy(key.as_bytes()));
    let key = header.as_deref().unwrap_or(&submission.idempotency_key);
    Ok(NewLead {
        contact,
        source: Source::parse(submission.source.clone()),
        hold: submission.hold_reason(),
        idempotency_key: IdempotencyKey::parse(key)?,
        deliveries: parts.deliveries.clone(),
    })
}

async fn store(parts: &AppParts, lead: NewLead) -> Result<String, Refused> {
    let held = lead.hold.is_some();
    let stored = timeout(STORE_PATIENCE, parts.store.add_lead(lead, Timestamp::now())).await;
    let unavailable = || Refused::failed(StatusCode::SERVICE_UNAVAILABLE);
    let added = match stored {
        Ok(Ok(added)) => added,
        Ok(Err(error)) => {
            tracing::error!(%error, "a lead could not be stored");
            return Err(unavailable());
        }
        Err(_) => {
            tracing::error!("a lead could not be stored in time");
            return Err(unavailable());
        }
    };
    if added.created {
        parts.metrics.lead_stored(held);
        parts.waker.wake();
    }
    Ok(added.id)
}

fn created(id: &str) -> Answer {
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
fn see_sent_page() -> Answer {
    let mut answer = Answer::new(body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    answer.headers_mut().insert(LOCATION, SENT_PAGE);
    answer
}

fn refusal(
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
