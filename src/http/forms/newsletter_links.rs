//! The links in newsletter mails: `/newsletter/confirm` and `/newsletter/unsubscribe`.
//!
//! Mail scanners open every link, so a GET only shows a page with a button, whose POST acts. The
//! origin isn't checked: the token itself is proof, and mail providers post for their users (RFC
//! 8058, one click, no page). The pages run no scripts, send no referrer and aren't cached. A
//! client that sends too many requests gets a 429.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::header::{HeaderValue, REFERRER_POLICY};
use http::{Method, StatusCode, Uri};

use super::body::{self, Format};
use super::{Call, Refusal, in_time};
use crate::domain::LinkToken;
use crate::http::edge::response::{self, Answer};
use crate::store::{LinkPurpose, LinkState};

pub const CONFIRM: &str = "/newsletter/confirm";
pub const UNSUBSCRIBE: &str = "/newsletter/unsubscribe";

/// The templates of the answers.
pub const PAGES: [&str; 6] = [
    "newsletter-confirm",
    "newsletter-confirmed",
    "newsletter-unsubscribe",
    "newsletter-unsubscribed",
    DEAD_LINK,
    FAILED,
];
const DEAD_LINK: &str = "newsletter-dead-link";
const FAILED: &str = "newsletter-failed";

pub async fn visit(call: Arc<Call>, body: Body) -> Answer {
    let acts = call.head.method == Method::POST;
    let purpose = match call.head.uri.path() {
        CONFIRM => LinkPurpose::Confirm,
        _ => LinkPurpose::Unsubscribe,
    };
    let one_click = acts && purpose == LinkPurpose::Unsubscribe && {
        let limit = Format::Form.limit();
        let body = body::read(body, limit, call.parts.body_timeout).await;
        body.is_ok_and(|bytes| is_one_click(&bytes))
    };
    let state = state(&call, purpose, acts).await;
    let answer = match &state {
        _ if one_click => plain(&state),
        Ok(state) => {
            let (status, name) = choose(purpose, acts, *state);
            page(&call, status, name)
        }
        Err(refusal) => page(&call, refusal.status, FAILED),
    };
    match state {
        Ok(_) => answer,
        Err(refusal) => refusal.finish(answer),
    }
}

pub fn failed(call: &Call) -> Answer {
    page(call, StatusCode::INTERNAL_SERVER_ERROR, FAILED)
}

fn page(call: &Call, status: StatusCode, name: &str) -> Answer {
    let pages = call.parts.site.pages();
    let answer = pages.template(name).answer(status, call.client.tls, &[]);
    without_referrer(answer)
}

/// Returns the link's state, and follows the link if `acts` is set.
async fn state(call: &Call, purpose: LinkPurpose, acts: bool) -> Result<LinkState, Refusal> {
    let Some(token) = token(&call.head.uri) else {
        return Ok(LinkState::Unknown);
    };
    let visit = call.parts.link_limit.admit(call.client.address);
    visit.map_err(Refusal::too_often)?;
    let (store, now) = (&call.parts.store, call.parts.store.now());
    in_time("a link could not be followed", async {
        let _turn = call.parts.link_permits.acquire().await;
        match acts {
            true => store.follow_link(&token, purpose, now).await,
            false => store.link_state(&token, purpose, now).await,
        }
    })
    .await
}

fn token(uri: &Uri) -> Option<LinkToken> {
    let mut query = form_urlencoded::parse(uri.query()?.as_bytes());
    let (_, value) = query.find(|(name, _)| name == "token")?;
    LinkToken::parse(&value)
}

/// Matches both encodings that mail providers may use.
fn is_one_click(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    body.contains("List-Unsubscribe") && body.contains("One-Click")
}

/// The status and the template.
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

/// The answer to a mail provider.
fn plain(state: &Result<LinkState, Refusal>) -> Answer {
    let (status, words) = match state {
        Ok(LinkState::Open | LinkState::Done) => (StatusCode::OK, "Unsubscribed\n"),
        Ok(LinkState::Gone | LinkState::Unknown) => {
            (StatusCode::NOT_FOUND, "This link is not known\n")
        }
        Err(refusal) => (refusal.status, "Please try again later\n"),
    };
    let words = Bytes::from_static(words.as_bytes());
    let answer = response::private(status, "text/plain; charset=utf-8", words);
    without_referrer(answer)
}

/// Keeps the token in the URL out of `Referer` headers.
fn without_referrer(mut answer: Answer) -> Answer {
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
