//! `POST /api/newsletter`: stores a subscription that waits for confirmation.
//!
//! The answer is the same for every valid address, so it doesn't reveal who is subscribed.

use http::header::REFERER;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::body::{BadBody, Format, Posted};
use super::{Call, Form, Refusal, in_time};
use crate::content::messages;
use crate::domain::{
    FieldErrors, HoldReason, Subscription, consent_page, consent_shown, subscriber_email,
};
use crate::http::edge::response::{self, Answer};
use crate::store::Subscribed;

/// The template of the answer to a form sent without JavaScript.
pub const ACCEPTED: &str = "newsletter-accepted";

#[derive(Default)]
pub struct NewsletterPost {
    email: String,
    /// A field that visitors can't see.
    decoy: Option<String>,
    consent_version: Option<u32>,
}

impl Form for NewsletterPost {
    const PAGE: &'static str = "newsletter-refused";
    const STATUS: &'static str = "newsletter-status";

    fn read(posted: &Posted<'_>) -> Result<Self, BadBody> {
        Ok(Self {
            email: posted.text("email")?,
            decoy: posted.lenient("leave_empty"),
            consent_version: posted.lenient("consent_version"),
        })
    }

    fn typed(&self) -> Vec<(&'static str, &str)> {
        vec![("email", &self.email)]
    }

    async fn accept(&self, call: &Call) -> Result<Answer, Refusal> {
        let decoy = self.decoy.as_deref().unwrap_or_default();
        let subscription = Subscription {
            email: subscriber_email(&self.email).map_err(FieldErrors::from)?,
            page: page_of(&call.head.headers),
            consent: consent_shown(self.consent_version),
            hold: (!decoy.trim().is_empty()).then_some(HoldReason::Decoy),
        };
        let (store, by_mail) = (&call.parts.store, call.parts.confirm_by_mail);
        let subscribing = store.subscribe(subscription, by_mail, store.now());
        match in_time("a subscription could not be stored", subscribing).await? {
            Subscribed::Unconfirmed => tracing::warn!(
                "a subscription stays unconfirmed: no mail server is set up (FRONTDOOR_SMTP_URL)"
            ),
            Subscribed::Invited | Subscribed::Unchanged => {}
        }
        Ok(match call.format() {
            Format::Json => {
                let json = serde_json::json!({ "message": messages().newsletter_accepted });
                response::json(StatusCode::ACCEPTED, "application/json", &json)
            }
            Format::Form => {
                let pages = call.parts.site.pages();
                let page = pages.template(ACCEPTED);
                page.answer(StatusCode::ACCEPTED, call.client.tls, &[])
            }
        })
    }

    fn failure() -> &'static str {
        &messages().newsletter_failed
    }
}

/// The path of the page with the form, kept as proof of consent.
fn page_of(headers: &HeaderMap) -> Option<String> {
    let referrer = headers.get(REFERER)?.to_str().ok()?;
    consent_page(Url::parse(referrer).ok()?.path())
}
