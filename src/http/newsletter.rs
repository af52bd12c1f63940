//! `POST /api/newsletter`: from an address to a subscription that waits for
//! its confirmation.
//!
//! The answer is the same for every address that looks like one: nobody can
//! find out through it who is subscribed.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use http::header::REFERER;
use http::{HeaderMap, Request, StatusCode};
use jiff::Timestamp;
use serde::Deserialize;
use tokio::time::timeout;
use url::Url;

use super::app::AppParts;
use super::body::{self, Answer};
use super::client::Client;
use super::form_body::{self, Fields, Format, Lenient, Refusal};
use super::intake::{self, Refused, STORE_PATIENCE};
use super::template::mark;
use crate::content::MESSAGES;
use crate::domain::{
    FieldErrors, HoldReason, Subscription, consent_page, consent_shown, subscriber_email,
};
use crate::store::Subscribed;

/// The form's own name for the element that tells what is wrong.
const STATUS: &str = "newsletter-status";

/// The form as it comes in.
#[derive(Default)]
struct Submission {
    email: String,
    /// A field that no visitor sees.
    decoy: String,
    consent_version: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Json {
    email: Option<String>,
    leave_empty: Lenient<String>,
    consent_version: Lenient<u32>,
}

impl Submission {
    fn parse(format: Format, bytes: &[u8]) -> Result<Self, Refusal> {
        match format {
            Format::Json => form_body::json(bytes).map(|json: Json| Self {
                email: json.email.unwrap_or_default(),
                decoy: json.leave_empty.value().unwrap_or_default(),
                consent_version: json.consent_version.value(),
            }),
            Format::Form => Fields::parse(bytes).map(|mut fields| Self {
                email: fields.take("email").unwrap_or_default(),
                decoy: fields.take("leave_empty").unwrap_or_default(),
                consent_version: fields
                    .take("consent_version")
                    .and_then(|text| text.trim().parse().ok()),
            }),
        }
    }

    fn check(&self, headers: &HeaderMap) -> Result<Subscription, FieldErrors> {
        let decoy_filled = !self.decoy.trim().is_empty();
        Ok(Subscription {
            email: subscriber_email(&self.email)?,
            page: page_of(headers),
            consent: consent_shown(self.consent_version),
            hold: decoy_filled.then_some(HoldReason::Decoy),
        })
    }
}

/// The path of the page the form stood on, for the proof of consent.
fn page_of(headers: &HeaderMap) -> Option<String> {
    let referrer = headers.get(REFERER)?.to_str().ok()?;
    consent_page(Url::parse(referrer).ok()?.path())
}

pub async fn submit(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    request: Request<axum::body::Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    let Some(format) = Format::of(&head.headers) else {
        let refused = Refused::failed(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        return refused.problem(&MESSAGES.newsletter_failed);
    };
    let mut typed = Submission::default();
    let outcome = accept(&parts, client, &head.headers, format, body, &mut typed).await;
    match (outcome, format) {
        (Ok(()), Format::Json) => accepted(),
        (Ok(()), Format::Form) => {
            let page = &parts.pages.newsletter.accepted;
            page.answer(StatusCode::ACCEPTED, client.tls, &[])
        }
        (Err(refused), _) => refusal(&parts, format, client, &typed, &refused),
    }
}

/// After a panic.
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
    typed: &mut Submission,
) -> Result<(), Refused> {
    let parse = Submission::parse;
    intake::receive(parts, client, headers, format, body, parse, typed).await?;
    store(parts, typed.check(headers)?).await
}

async fn store(parts: &AppParts, subscription: Subscription) -> Result<(), Refused> {
    let (by_mail, now) = (parts.confirm_by_mail, Timestamp::now());
    let storing = parts.store.subscribe(subscription, by_mail, now);
    let stored = match timeout(STORE_PATIENCE, storing).await {
        Ok(Ok(stored)) => stored,
        Ok(Err(error)) => {
            tracing::debug!(%error, "a subscription could not be stored");
            return Err(Refused::failed(StatusCode::SERVICE_UNAVAILABLE));
        }
        Err(_) => {
            tracing::error!("a subscription could not be stored in time");
            return Err(Refused::failed(StatusCode::SERVICE_UNAVAILABLE));
        }
    };
    match stored {
        Subscribed::Invited => parts.waker.wake(),
        Subscribed::Unconfirmed => tracing::warn!(
            "a subscription stays unconfirmed: no mail server is set up (FRONTDOOR_SMTP_URL)"
        ),
        Subscribed::Unchanged => {}
    }
    Ok(())
}

fn accepted() -> Answer {
    let json = serde_json::json!({ "message": MESSAGES.newsletter_accepted });
    body::json(StatusCode::ACCEPTED, "application/json", &json)
}

fn refusal(
    parts: &AppParts,
    format: Format,
    client: Client,
    typed: &Submission,
    refused: &Refused,
) -> Answer {
    let message = refused.message(&MESSAGES.newsletter_failed);
    let answer = match format {
        Format::Json => refused.problem(message),
        Format::Form => {
            let (invalid, described) = mark(refused.is_about("email"), STATUS);
            let words = [
                ("message", message),
                ("email", &*typed.email),
                ("email_invalid", invalid),
                ("email_described", described),
            ];
            let page = &parts.pages.newsletter.refused;
            page.answer(refused.status, client.tls, &words)
        }
    };
    refused.finish(answer)
}
