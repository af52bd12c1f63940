//! `POST /api/contacts`: from a filled-in form to a stored lead.
//!
//! In this order: does it come from our own pages (403), in a format we know
//! (415), small and in time (413, 408), not too often (429), readable (400),
//! valid (422), stored (503). A visitor without JavaScript gets a page with
//! the same words, and what was typed, instead of JSON.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use http::{HeaderMap, Request, StatusCode};
use jiff::Timestamp;
use tokio::time::timeout;

use super::contact_answer::{created, refusal, see_sent_page};
use super::contact_form::Submission;
use super::form_body::Format;
use super::intake::{self, Refused, STORE_PATIENCE};
use crate::domain::{Contact, FieldErrors, IdempotencyKey, Source};
use crate::http::app::AppParts;
use crate::http::edge::body::Answer;
use crate::http::edge::client::Client;
use crate::store::NewLead;

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

/// After a panic; the words went with it.
pub fn failed(parts: &AppParts, format: Format, client: Client) -> Answer {
    let refused = Refused::failed(StatusCode::INTERNAL_SERVER_ERROR);
    refusal(parts, format, client, &Submission::default(), &refused)
}

async fn accept(
    parts: &AppParts,
    client: Client,
    headers: &HeaderMap,
    format: Format,
    body: axum::body::Body,
    submission: &mut Submission,
) -> Result<String, Refused> {
    let parse = Submission::parse;
    intake::receive(parts, client, headers, format, body, parse, submission).await?;
    let lead = new_lead(parts, headers, submission)?;
    store(parts, format, lead).await
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

async fn store(parts: &AppParts, format: Format, lead: NewLead) -> Result<String, Refused> {
    let (held, now) = (lead.hold, Timestamp::now());
    let storing = async {
        match format {
            Format::Json => parts.store.add_lead(lead, now).await,
            Format::Form => parts.store.add_form_lead(lead, now).await,
        }
    };
    let stored = timeout(STORE_PATIENCE, storing).await;
    let unavailable = || Refused::failed(StatusCode::SERVICE_UNAVAILABLE);
    let added = match stored {
        Ok(Ok(added)) => added,
        Ok(Err(error)) => {
            // The store says so once, however many leads it concerns.
            tracing::debug!(%error, "a lead could not be stored");
            return Err(unavailable());
        }
        Err(_) => {
            tracing::error!("a lead could not be stored in time");
            return Err(unavailable());
        }
    };
    if added.created {
        if let Some(reason) = held {
            let (id, reason) = (&added.id, reason.as_str());
            tracing::warn!(
                id,
                reason,
                "a lead is held back: frontdoor leads list --held"
            );
        }
        parts.metrics.lead_stored(held.is_some());
        parts.waker.wake();
    }
    Ok(added.id)
}
