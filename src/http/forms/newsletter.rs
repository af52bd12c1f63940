//! `POST /api/newsletter`: from an address to a subscription that waits for
//! its confirmation.
//!
//! The answer is the same for every address that looks like one: nobody can
//! find out through it who is subscribed.

use std::borrow::Cow;

use http::header::REFERER;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::form_body::{Format, Unusable};
use super::intake::{Arrival, Filled, Form};
use super::posted::Posted;
use crate::content::MESSAGES;
use crate::domain::{
    FieldErrors, HoldReason, Subscription, consent_page, consent_shown, subscriber_email,
};
use crate::http::edge::body::{self, Answer};
use crate::http::site::pages::Pages;
use crate::http::site::template::Template;
use crate::store::{Result as Stored, StoreError, Subscribed};

/// The form as it comes in.
#[derive(Default)]
pub struct NewsletterPost {
    email: String,
    /// A field that no visitor sees.
    decoy: Option<String>,
    consent_version: Option<u32>,
}

impl Filled for NewsletterPost {
    fn read(posted: &Posted<'_>) -> Result<Self, Unusable> {
        Ok(Self {
            email: posted.text("email")?,
            decoy: posted.lenient("leave_empty")?,
            consent_version: posted.lenient("consent_version")?,
        })
    }

    fn typed(&self) -> Vec<(&'static str, &str)> {
        vec![("email", &self.email)]
    }

    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        Vec::new()
    }
}

impl Form for NewsletterPost {
    const STATUS: &'static str = "newsletter-status";
    type Checked = Subscription;
    type Receipt = ();

    fn check(&self, arrival: &Arrival<'_>) -> Result<Subscription, FieldErrors> {
        let decoy = self.decoy.as_deref().unwrap_or_default();
        Ok(Subscription {
            email: subscriber_email(&self.email)?,
            page: page_of(arrival.headers),
            consent: consent_shown(self.consent_version),
            hold: (!decoy.trim().is_empty()).then_some(HoldReason::Decoy),
        })
    }

    async fn store(arrival: &Arrival<'_>, subscription: Subscription) -> Stored<()> {
        let (by_mail, now) = (arrival.parts.confirm_by_mail, arrival.parts.store.now());
        let storing = arrival.parts.store.subscribe(subscription, by_mail, now);
        match storing.await? {
            Subscribed::Unconfirmed => tracing::warn!(
                "a subscription stays unconfirmed: no mail server is set up (FRONTDOOR_SMTP_URL)"
            ),
            Subscribed::Invited | Subscribed::Unchanged => {}
        }
        Ok(())
    }

    fn not_stored(error: Option<StoreError>) {
        match error {
            Some(error) => tracing::debug!(%error, "a subscription could not be stored"),
            None => tracing::error!("a subscription could not be stored in time"),
        }
    }

    fn accepted(arrival: &Arrival<'_>, (): &()) -> Answer {
        match arrival.format {
            Format::Json => {
                let json = serde_json::json!({ "message": MESSAGES.newsletter_accepted });
                body::json(StatusCode::ACCEPTED, "application/json", &json)
            }
            Format::Form => {
                let pages = arrival.parts.pages.load();
                let page = &pages.newsletter.accepted;
                page.answer(StatusCode::ACCEPTED, arrival.client.tls, &[])
            }
        }
    }

    fn failure() -> &'static str {
        &MESSAGES.newsletter_failed
    }

    fn page(pages: &Pages) -> &Template {
        &pages.newsletter.refused
    }
}

/// The path of the page the form stood on, for the proof of consent.
fn page_of(headers: &HeaderMap) -> Option<String> {
    let referrer = headers.get(REFERER)?.to_str().ok()?;
    consent_page(Url::parse(referrer).ok()?.path())
}
