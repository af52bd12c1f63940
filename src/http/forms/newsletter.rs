//! `POST /api/newsletter`: stores a subscription that waits for confirmation.
//!
//! The answer is the same for every valid address, so it doesn't reveal who is subscribed.

use http::header::REFERER;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::body::{BadBody, Format, Posted};
use super::{Form, Submission};
use crate::content::messages;
use crate::domain::{
    FieldErrors, HoldReason, Subscription, consent_shown, short_line, subscriber_email,
};
use crate::http::edge::response::{self, Answer};
use crate::http::site::PageTable;
use crate::http::site::template::Template;
use crate::store::{Result as Stored, Subscribed};

#[derive(Default)]
pub struct NewsletterPost {
    email: String,
    /// A field that visitors can't see.
    decoy: Option<String>,
    consent_version: Option<u32>,
}

impl Form for NewsletterPost {
    const NOUN: &'static str = "a subscription";
    const STATUS: &'static str = "newsletter-status";
    type Checked = Subscription;
    type Receipt = ();

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

    fn check(&self, submission: &Submission<'_>) -> Result<Subscription, FieldErrors> {
        let decoy = self.decoy.as_deref().unwrap_or_default();
        Ok(Subscription {
            email: subscriber_email(&self.email)?,
            page: page_of(submission.headers),
            consent: consent_shown(self.consent_version),
            hold: (!decoy.trim().is_empty()).then_some(HoldReason::Decoy),
        })
    }

    async fn store(submission: &Submission<'_>, subscription: Subscription) -> Stored<()> {
        let parts = submission.parts;
        let (by_mail, now) = (parts.confirm_by_mail, parts.store.now());
        match parts.store.subscribe(subscription, by_mail, now).await? {
            Subscribed::Unconfirmed => tracing::warn!(
                "a subscription stays unconfirmed: no mail server is set up (FRONTDOOR_SMTP_URL)"
            ),
            Subscribed::Invited | Subscribed::Unchanged => {}
        }
        Ok(())
    }

    fn accepted(submission: &Submission<'_>, (): &()) -> Answer {
        match submission.format {
            Format::Json => {
                let json = serde_json::json!({ "message": messages().newsletter_accepted });
                response::json(StatusCode::ACCEPTED, "application/json", &json)
            }
            Format::Form => {
                let pages = submission.parts.site.pages();
                let page = &pages.newsletter.accepted;
                page.answer(StatusCode::ACCEPTED, submission.client.tls, &[])
            }
        }
    }

    fn failure() -> &'static str {
        &messages().newsletter_failed
    }

    fn page(pages: &PageTable) -> &Template {
        &pages.newsletter.refused
    }
}

/// The path of the page with the form, kept as proof of consent.
fn page_of(headers: &HeaderMap) -> Option<String> {
    let referrer = headers.get(REFERER)?.to_str().ok()?;
    short_line(Url::parse(referrer).ok()?.path())
}
