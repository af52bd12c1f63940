//! `POST /api/contacts`: turns a submitted form into a stored lead.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::{HeaderMap, HeaderValue, LOCATION};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::Form;
use super::body::{Format, Posted};
use crate::content::{Fields, messages, site};
use crate::domain::{Contact, ContactForm, FieldErrors, HoldReason, IdempotencyKey, Source};
use crate::html::escape;
use crate::http::edge::client::Client;
use crate::http::edge::response::{self, HttpResponse};
use crate::http::request::{ApiRequest, Refusal, in_time};
use crate::spam::{self, Message};
use crate::store::{self, AddedLead, Lead, NewLead, Store};

/// With this header, `frontdoor check` asks which address the server sees as the client's; any
/// client may ask about itself.
pub const CHECK_HEADER: &str = "frontdoor-check";
/// The client's address, and whether a trusted proxy reported it.
pub const CLIENT_HEADER: &str = "frontdoor-client";
pub const PROXY_HEADER: &str = "frontdoor-proxy";

/// The page after a form sent without JavaScript.
pub const SENT: &str = "/contact/sent";
/// How long that page shows a lead's booking links: its address, with the lead's id, stays in the
/// browser's history.
const SENT_PAGE_WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// The form's hidden fields.
const HIDDEN_FIELDS: &[&str] = &["form_location", "idempotency_key"];

/// No person is faster from opening the page to sending the form, even with autofill and pasting.
/// The value is low because letting a bot through is better than holding back a person's message.
const FASTEST_PERSON_MS: f64 = 300.0;

/// The submitted fields before validation.
#[derive(Default)]
pub struct ContactPost {
    texts: HashMap<&'static str, String>,
    source: Source,
    /// Why the form seems to have been filled in by a bot.
    hold: Option<HoldReason>,
    /// The time from opening the page to sending; not measured without JavaScript.
    elapsed: Option<Duration>,
}

impl ContactPost {
    fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }
}

impl Form for ContactPost {
    const TEMPLATE: &'static str = "contact-outcome";
    const STATUS_ELEMENT: &'static str = "contact-status";

    fn read(posted: &Posted<'_>) -> Result<Self, Refusal> {
        let names = [Fields::NAMES, HIDDEN_FIELDS].concat().into_iter();
        let texts = names.map(|name| Ok((name, posted.text(name)?)));
        let elapsed: Option<f64> = posted.lenient("elapsed_ms");
        // A field that visitors can't see.
        let honeypot: Option<String> = posted.lenient("leave_empty");
        let hold = if honeypot.is_some_and(|text| !text.trim().is_empty()) {
            Some(HoldReason::Honeypot)
        } else {
            let is_too_fast = elapsed.is_some_and(|elapsed| elapsed < FASTEST_PERSON_MS);
            is_too_fast.then_some(HoldReason::TooFast)
        };
        Ok(Self {
            texts: texts.collect::<Result<_, Refusal>>()?,
            source: Source::from_values(posted.group("source", Source::FIELDS)),
            hold,
            elapsed: elapsed.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
        })
    }

    fn entered(&self) -> Vec<(&'static str, &str)> {
        let names = Fields::NAMES.iter();
        names.map(|name| (*name, self.text(name))).collect()
    }

    /// Gives the form a key of its own, so that sending it twice stores one lead.
    fn hidden_fields(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        let value = |name| match (name, self.text(name)) {
            ("idempotency_key", "") => Uuid::new_v4().to_string().into(),
            (_, text) => text.into(),
        };
        HIDDEN_FIELDS
            .iter()
            .map(|name| (*name, value(*name)))
            .collect()
    }

    async fn accept(&self, request: &ApiRequest) -> Result<HttpResponse, Refusal> {
        let contact = Contact::parse(ContactForm::read(|name| self.text(name)))?;
        let key = request.head.headers.get("idempotency-key");
        let key = key.map(|key| String::from_utf8_lossy(key.as_bytes()));
        let key = key.unwrap_or_else(|| self.text("idempotency_key").into());
        let sent = Message {
            name: contact.name.as_str(),
            email: contact.email.as_str(),
            message: contact.message.as_str(),
            elapsed: self.elapsed,
        };
        let weights = request.state.spam_weights.current().await;
        let lead = NewLead {
            spam: spam::assess(sent, &weights),
            source: self.source.clone(),
            hold: self.hold,
            idempotency_key: IdempotencyKey::parse(&key).map_err(FieldErrors::from)?,
            request_id: Some(request.request_id.as_str().to_owned()),
            deliveries: request.state.deliveries.clone(),
            ..NewLead::new(contact)
        };
        let added = in_time("a lead could not be stored", add(request, lead)).await?;
        if added.created {
            if let Some(reason) = added.hold {
                let (id, reason) = (&added.id, reason.as_str());
                tracing::warn!(
                    id,
                    reason,
                    request_id = request.request_id.as_str(),
                    "a lead looks like spam and is held back; run `frontdoor leads list --held`"
                );
            }
            request.state.metrics.lead_stored(added.hold.is_some());
        }
        Ok(accepted(request, &added.id))
    }

    fn failure() -> &'static str {
        &messages().contact_failed
    }
}

async fn add(request: &ApiRequest, lead: NewLead) -> store::Result<AddedLead> {
    let store = &request.state.store;
    let now = store.now();
    match request.format() {
        Format::Json => store.add_lead(lead, now).await,
        Format::Form => add_plain_form(store, lead, now).await,
    }
}

fn accepted(request: &ApiRequest, id: &str) -> HttpResponse {
    match request.format() {
        Format::Json => {
            let json = serde_json::json!({ "id": id });
            let mut answer = response::json(StatusCode::CREATED, "application/json", &json);
            if request.head.headers.contains_key(CHECK_HEADER) {
                add_sender_headers(answer.headers_mut(), &request.client);
            }
            answer
        }
        // A redirect, so that reloading the next page doesn't submit the form again.
        Format::Form => {
            let mut answer = response::bare(StatusCode::SEE_OTHER);
            // The page fills in its booking links for this lead.
            let location = HeaderValue::try_from(format!("{SENT}?lead={id}"));
            let location = location.unwrap_or(HeaderValue::from_static(SENT));
            answer.headers_mut().insert(LOCATION, location);
            answer
        }
    }
}

/// The page after a form sent without JavaScript, with booking links that carry what was typed.
pub async fn show_sent_page(request: &ApiRequest) -> HttpResponse {
    let (head, tls) = (&request.head, request.client.tls);
    let lead = lead_of(request).await;
    let pages = request.state.releases.pages();
    let page = pages.get(SENT).unwrap_or_else(|| pages.missing(SENT));
    match lead {
        Some(lead) => {
            let urls = [&site().booking_url, &lead.booking_link(site())];
            let [plain, filled] = urls.map(|url| format!("href=\"{}\"", escape(url)));
            let html = page.text().replace(&plain, &filled);
            page.answer_with(StatusCode::OK, tls, html)
        }
        None => page.answer(&head.method, &head.headers, tls),
    }
}

async fn lead_of(request: &ApiRequest) -> Option<Lead> {
    let (state, query) = (&request.state, request.head.uri.query()?);
    let id = Uuid::parse_str(query.strip_prefix("lead=")?).ok()?;
    state.link_limit.admit(request.client.address).ok()?;
    let id = id.to_string();
    let lead = in_time("a lead could not be read", state.store.lead(&id));
    let lead = lead.await.ok()??;
    (lead.created_at + SENT_PAGE_WINDOW > state.store.now()).then_some(lead)
}

/// Stores a form sent without JavaScript. A visitor who goes back and changes the text sends the
/// same key again: different text is another lead, and sending that twice stores it once as well.
async fn add_plain_form(
    store: &Store,
    mut lead: NewLead,
    now: Timestamp,
) -> store::Result<AddedLead> {
    let added = store.add_form_lead(lead.clone(), now).await?;
    let Some(key) = lead.idempotency_key.take().filter(|_| !added.created) else {
        return Ok(added);
    };
    let texts: Vec<_> = lead
        .contact
        .entered()
        .map(|(_, text)| text.map(Cow::from))
        .collect();
    let has_same_texts = |first: Lead| {
        let stored = first.fields().entered.into_iter().map(|field| field.value);
        stored.eq(texts.iter().cloned())
    };
    if store.lead(&added.id).await?.is_none_or(has_same_texts) {
        return Ok(added);
    }
    let digest = Sha256::digest(format!("{key:?} {texts:?}"));
    lead.idempotency_key =
        IdempotencyKey::parse(&URL_SAFE_NO_PAD.encode(digest)).unwrap_or(Some(key));
    store.add_form_lead(lead, now).await
}

fn add_sender_headers(headers: &mut HeaderMap, client: &Client) {
    let proxy = if client.proxied { "trusted" } else { "none" };
    headers.insert(PROXY_HEADER, HeaderValue::from_static(proxy));
    if let Ok(address) = HeaderValue::try_from(client.address.to_string()) {
        headers.insert(CLIENT_HEADER, address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: Format, body: &str) -> Result<ContactPost, Refusal> {
        ContactPost::read(&Posted::parse(format, body.as_bytes())?)
    }

    fn json(text: &str) -> ContactPost {
        read(Format::Json, text).expect("a body of the right shape")
    }

    #[test]
    fn a_filled_honeypot_and_a_form_sent_too_fast_hold_a_lead_back() {
        for (body, hold) in [
            (r#"{"leave_empty":"x"}"#, Some(HoldReason::Honeypot)),
            (r#"{"leave_empty":" "}"#, None),
            (r#"{"elapsed_ms":299}"#, Some(HoldReason::TooFast)),
            (r#"{"elapsed_ms":300}"#, None),
            ("{}", None),
            // Malformed extras never cost a lead.
            (
                r#"{"source":[1],"elapsed_ms":"soon","leave_empty":{}}"#,
                None,
            ),
        ] {
            assert_eq!(json(body).hold, hold, "{body}");
        }
        let form = read(Format::Form, "elapsed_ms=+12.5+").unwrap();
        assert_eq!(form.hold, Some(HoldReason::TooFast));
    }

    #[test]
    fn the_first_touch_is_taken_from_both_formats() {
        let post = json(r#"{"source":{"utm_source":"news","referrer_host":7,"new":[]}}"#);
        let known: Vec<_> = post.source.known().collect();
        assert_eq!(known, [("utm_source", "news")]);
        let fields = Source::FIELDS.map(|name| format!("{name}=of-{name}"));
        let post = read(Format::Form, &fields.join("&")).unwrap();
        let known = post
            .source
            .known()
            .map(|(name, value)| format!("{name}={value}"));
        assert_eq!(known.collect::<Vec<_>>(), fields);
    }
}
