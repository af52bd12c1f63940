//! `POST /api/contacts`: from a filled-in form to a stored lead.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::{HeaderMap, HeaderValue, LOCATION};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::contact_form::ContactPost;
use super::form_body::Format;
use super::intake::{Arrival, Form};
use crate::content::MESSAGES;
use crate::domain::{Contact, FieldErrors, IdempotencyKey};
use crate::http::edge::body::{self, Answer};
use crate::http::edge::client::Client;
use crate::http::site::pages::Pages;
use crate::http::site::template::Template;
use crate::spam::{self, Sent};
use crate::store::{AddedLead, Lead, NewLead, Result as Stored, Store, StoreError};
use crate::trace::Origin;

/// With it our own check asks whom the server takes for the sender; anybody may,
/// of themselves.
pub const CHECK_HEADER: &str = "frontdoor-check";
/// Their address, and whether a proxy that we trust has said so.
pub const CLIENT_HEADER: &str = "frontdoor-client";
pub const PROXY_HEADER: &str = "frontdoor-proxy";

const SENT_PAGE: HeaderValue = HeaderValue::from_static("/contact/sent");

impl Form for ContactPost {
    const STORING: &'static str = "store lead";
    const STATUS: &'static str = "contact-status";
    type Checked = NewLead;
    /// The lead's id.
    type Receipt = String;

    fn check(&self, arrival: &Arrival<'_>) -> Result<NewLead, FieldErrors> {
        let contact = Contact::parse(self.contact())?;
        let key = arrival.headers.get("idempotency-key");
        let key = key.map(|key| String::from_utf8_lossy(key.as_bytes()));
        let key = key.unwrap_or_else(|| self.text("idempotency_key").into());
        let sent = Sent {
            name: contact.name.as_str(),
            email: contact.email.as_str(),
            message: contact.message.as_str(),
            elapsed: self.elapsed,
        };
        // So that what is delivered later belongs to the same trace.
        let origin = Origin {
            request_id: arrival.request_id.as_str(),
            place: arrival.place,
        };
        Ok(NewLead {
            spam: spam::assess(sent, &arrival.parts.spam_weights.current()),
            contact,
            source: self.source.clone(),
            hold: self.hold,
            idempotency_key: IdempotencyKey::parse(&key)?,
            request_id: Some(origin.to_string()),
            deliveries: arrival.parts.deliveries.clone(),
        })
    }

    async fn store(arrival: &Arrival<'_>, lead: NewLead) -> Stored<String> {
        let store = &arrival.parts.store;
        let now = store.now();
        let added = match arrival.format {
            Format::Json => store.add_lead(lead, now).await,
            Format::Form => add_plain_form(store, lead, now).await,
        }?;
        if added.created {
            if let Some(reason) = added.hold {
                let (id, reason) = (&added.id, reason.as_str());
                tracing::warn!(
                    id,
                    reason,
                    request_id = arrival.request_id.as_str(),
                    "a lead is held back: frontdoor leads list --held"
                );
            }
            arrival.parts.metrics.lead_stored(added.hold.is_some());
        }
        Ok(added.id)
    }

    fn not_stored(error: Option<StoreError>) {
        match error {
            // The store says so once, however many leads it concerns.
            Some(error) => tracing::debug!(%error, "a lead could not be stored"),
            None => tracing::error!("a lead could not be stored in time"),
        }
    }

    fn accepted(arrival: &Arrival<'_>, id: &String) -> Answer {
        match arrival.format {
            Format::Json => {
                let json = serde_json::json!({ "id": id });
                let mut answer = body::json(StatusCode::CREATED, "application/json", &json);
                if arrival.headers.contains_key(CHECK_HEADER) {
                    name_sender(answer.headers_mut(), &arrival.client);
                }
                answer
            }
            Format::Form => see_sent_page(),
        }
    }

    fn failure() -> &'static str {
        &MESSAGES.contact_failed
    }

    fn page(pages: &Pages) -> &Template {
        &pages.contact_outcome
    }
}

/// A visitor who goes back and writes something else sends the key of the page
/// again: other words are another lead, and sent twice they are one, too.
async fn add_plain_form(store: &Store, mut lead: NewLead, now: Timestamp) -> Stored<AddedLead> {
    let added = store.add_form_lead(lead.clone(), now).await?;
    let Some(key) = lead.idempotency_key.take().filter(|_| !added.created) else {
        return Ok(added);
    };
    let words = lead.contact.typed().map(|(_, words)| words);
    let words: Vec<_> = words.map(|words| words.map(Cow::from)).collect();
    let has_them = |first: Lead| {
        let stored = first.facts().typed.into_iter();
        stored.map(|fact| fact.value).eq(words.iter().cloned())
    };
    if store.lead(&added.id).await?.is_none_or(has_them) {
        return Ok(added);
    }
    let both = format!("{key:?} {words:?}");
    let both = URL_SAFE_NO_PAD.encode(Sha256::digest(both));
    lead.idempotency_key = IdempotencyKey::parse(&both).unwrap_or(Some(key));
    store.add_form_lead(lead, now).await
}

fn name_sender(headers: &mut HeaderMap, client: &Client) {
    let proxy = match client.proxied {
        true => "trusted",
        false => "none",
    };
    headers.insert(PROXY_HEADER, HeaderValue::from_static(proxy));
    if let Ok(address) = HeaderValue::try_from(client.address.to_string()) {
        headers.insert(CLIENT_HEADER, address);
    }
}

/// A reload of the page that follows must not send the form again.
fn see_sent_page() -> Answer {
    let mut answer = body::bare(StatusCode::SEE_OTHER);
    answer.headers_mut().insert(LOCATION, SENT_PAGE);
    answer
}
