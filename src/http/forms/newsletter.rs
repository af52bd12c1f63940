//! The newsletter: its form, `POST /api/newsletter`, which stores a subscription that waits for
//! confirmation, and the links in its mails, `/newsletter/confirm` and `/newsletter/unsubscribe`.
//!
//! The response to the form is the same for every valid address, so it doesn't reveal who is
//! subscribed.
//!
//! Mail scanners open every link, so a GET only shows a page with a button; the button's POST
//! changes the subscription. The origin isn't checked: the token itself is proof, and mail
//! providers post for their users (RFC 8058: one click, no page). The pages run no scripts, send no
//! referrer and aren't cached. A client that sends too many requests gets a 429.

use axum::body::Body;
use bytes::Bytes;
use http::header::{HeaderValue, REFERER, REFERRER_POLICY};
use http::{HeaderMap, Method, StatusCode, Uri};
use url::Url;

use super::Form;
use super::body::{Format, Posted};
use crate::content::messages;
use crate::domain::{
    FieldErrors, HoldReason, SecretToken, Subscription, consent_shown, short_line, subscriber_email,
};
use crate::http::edge::response::{self, HttpResponse};
use crate::http::request::{ApiRequest, Refusal, in_time};
use crate::store::{LinkPurpose, LinkState, Subscribed};

pub const CONFIRM: &str = "/newsletter/confirm";
pub const UNSUBSCRIBE: &str = "/newsletter/unsubscribe";

/// The templates for a form sent without JavaScript and for links in mails.
pub const PAGES: [&str; 7] = [
    ACCEPTED,
    "newsletter-confirm",
    "newsletter-confirmed",
    "newsletter-unsubscribe",
    "newsletter-unsubscribed",
    DEAD_LINK,
    FAILED,
];
const ACCEPTED: &str = "newsletter-accepted";
const DEAD_LINK: &str = "newsletter-dead-link";
const FAILED: &str = "newsletter-failed";

#[derive(Default)]
pub struct NewsletterPost {
    email: String,
    /// A field that visitors can't see.
    honeypot: Option<String>,
    consent_version: Option<u32>,
}

impl Form for NewsletterPost {
    const TEMPLATE: &'static str = "newsletter-refused";
    const STATUS_ELEMENT: &'static str = "newsletter-status";

    fn read(posted: &Posted<'_>) -> Result<Self, Refusal> {
        Ok(Self {
            email: posted.text("email")?,
            honeypot: posted.lenient("leave_empty"),
            consent_version: posted.lenient("consent_version"),
        })
    }

    fn entered(&self) -> Vec<(&'static str, &str)> {
        vec![("email", &self.email)]
    }

    async fn accept(&self, request: &ApiRequest) -> Result<HttpResponse, Refusal> {
        let honeypot = self.honeypot.as_deref().unwrap_or_default();
        let subscription = Subscription {
            email: subscriber_email(&self.email).map_err(FieldErrors::from)?,
            page: page_of(&request.head.headers),
            consent: consent_shown(self.consent_version),
            hold: (!honeypot.trim().is_empty()).then_some(HoldReason::Honeypot),
        };
        let (store, by_mail) = (&request.state.store, request.state.confirm_by_mail);
        let subscribing = store.subscribe(subscription, by_mail, store.now());
        match in_time("a subscription could not be stored", subscribing).await? {
            Subscribed::Unconfirmed => tracing::warn!(
                "a subscription stays unconfirmed: no mail server is set up (FRONTDOOR_SMTP_URL)"
            ),
            Subscribed::Invited | Subscribed::Unchanged => {}
        }
        Ok(match request.format() {
            Format::Json => {
                let json = serde_json::json!({ "message": messages().newsletter_accepted });
                response::json(StatusCode::ACCEPTED, "application/json", &json)
            }
            Format::Form => {
                let pages = request.state.releases.pages();
                let page = pages.template(ACCEPTED);
                page.answer(StatusCode::ACCEPTED, request.client.tls, &[])
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
    short_line(Url::parse(referrer).ok()?.path())
}

pub async fn visit_link(purpose: LinkPurpose, request: &ApiRequest, body: Body) -> HttpResponse {
    let acts = request.head.method == Method::POST;
    let one_click = acts && purpose == LinkPurpose::Unsubscribe && {
        let body = request.read(body, Format::Form.limit()).await;
        body.is_ok_and(|bytes| is_one_click(&bytes))
    };
    let state = state(request, purpose, acts).await;
    let answer = match &state {
        _ if one_click => plain(&state),
        Ok(state) => {
            let (status, name) = choose(purpose, acts, *state);
            page(request, status, name)
        }
        Err(refusal) => page(request, refusal.status, FAILED),
    };
    match state {
        Ok(_) => answer,
        Err(refusal) => refusal.finish(answer),
    }
}

pub fn link_failed(request: &ApiRequest) -> HttpResponse {
    page(request, StatusCode::INTERNAL_SERVER_ERROR, FAILED)
}

fn page(request: &ApiRequest, status: StatusCode, name: &str) -> HttpResponse {
    let pages = request.state.releases.pages();
    let answer = pages.template(name).answer(status, request.client.tls, &[]);
    without_referrer(answer)
}

/// Returns the state of the link. If `acts` is set, confirms or unsubscribes first.
async fn state(
    request: &ApiRequest,
    purpose: LinkPurpose,
    acts: bool,
) -> Result<LinkState, Refusal> {
    let Some(token) = token(&request.head.uri) else {
        return Ok(LinkState::Unknown);
    };
    let visit = request.state.link_limit.admit(request.client.address);
    visit.map_err(Refusal::too_often)?;
    let (store, now) = (&request.state.store, request.state.store.now());
    in_time("a mail's link could not be followed", async {
        let _permit = request.state.link_permits.acquire().await;
        if acts {
            store.follow_link(&token, purpose, now).await
        } else {
            store.link_state(&token, purpose, now).await
        }
    })
    .await
}

fn token(uri: &Uri) -> Option<SecretToken> {
    let mut query = form_urlencoded::parse(uri.query()?.as_bytes());
    let (_, value) = query.find(|(name, _)| name == "token")?;
    SecretToken::parse(&value)
}

/// Recognizes both form encodings that mail providers may use.
fn is_one_click(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    body.contains("List-Unsubscribe") && body.contains("One-Click")
}

fn choose(purpose: LinkPurpose, acted: bool, state: LinkState) -> (StatusCode, &'static str) {
    let (question, done) = match purpose {
        LinkPurpose::Confirm => ("newsletter-confirm", "newsletter-confirmed"),
        LinkPurpose::Unsubscribe => ("newsletter-unsubscribe", "newsletter-unsubscribed"),
    };
    match state {
        LinkState::Open if !acted => (StatusCode::OK, question),
        LinkState::Open | LinkState::Done => (StatusCode::OK, done),
        LinkState::Gone => (StatusCode::GONE, DEAD_LINK),
        LinkState::Unknown => (StatusCode::NOT_FOUND, DEAD_LINK),
    }
}

/// The response to a mail provider.
fn plain(state: &Result<LinkState, Refusal>) -> HttpResponse {
    let (status, text) = match state {
        Ok(LinkState::Open | LinkState::Done) => (StatusCode::OK, "Unsubscribed\n"),
        Ok(LinkState::Gone | LinkState::Unknown) => {
            (StatusCode::NOT_FOUND, "This link isn't known\n")
        }
        Err(refusal) => (refusal.status, "Please try again later\n"),
    };
    let text = Bytes::from_static(text.as_bytes());
    let answer = response::private(status, "text/plain; charset=utf-8", text);
    without_referrer(answer)
}

/// Keeps the token in the URL out of `Referer` headers.
fn without_referrer(mut answer: HttpResponse) -> HttpResponse {
    let policy = HeaderValue::from_static("no-referrer");
    answer.headers_mut().insert(REFERRER_POLICY, policy);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_click_is_known_in_both_encodings() {
        assert!(is_one_click(b"List-Unsubscribe=One-Click"));
        assert!(is_one_click(
            b"--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--"
        ));
        assert!(!is_one_click(b""));
        assert!(!is_one_click(b"token=One-Click"));
    }
}
