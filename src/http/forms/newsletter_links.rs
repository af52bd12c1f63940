//! The links in newsletter mails: `/newsletter/confirm` and `/newsletter/unsubscribe`.
//!
//! Mail scanners open every link, so a GET only shows a page with a button, whose POST acts. The
//! origin isn't checked: the token itself is proof, and mail providers post for their users (RFC
//! 8058, one click, no page). The pages run no scripts, send no referrer and aren't cached. A
//! client that sends too many requests gets a 429.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use http::header::{HeaderValue, REFERRER_POLICY};
use http::{Method, Request, StatusCode, Uri};

use super::body::{self, Format};
use super::{AppParts, Refusal, in_time};
use crate::domain::LinkToken;
use crate::http::edge::client::Client;
use crate::http::edge::response::{self, Answer};
use crate::http::site::PageTable;
use crate::http::site::template::Template;
use crate::store::{LinkPurpose, LinkState, StoreError};

pub const CONFIRM: &str = "/newsletter/confirm";
pub const UNSUBSCRIBE: &str = "/newsletter/unsubscribe";

pub async fn visit(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    let acts = head.method == Method::POST;
    let purpose = match head.uri.path() {
        CONFIRM => LinkPurpose::Confirm,
        _ => LinkPurpose::Unsubscribe,
    };
    let one_click = acts && purpose == LinkPurpose::Unsubscribe && {
        let (limit, within) = (Format::Form.limit(), parts.body_timeout);
        let body = body::read(&head.headers, limit, body, within).await;
        body.is_ok_and(|bytes| is_one_click(&bytes))
    };
    let state = state(&parts, &client, &head.uri, purpose, acts).await;
    let answer = match &state {
        _ if one_click => plain(&state),
        Ok(state) => {
            let pages = parts.site.pages();
            let (status, template) = choose(&pages, purpose, acts, *state);
            template.answer(status, client.tls, &[])
        }
        Err(refusal) => failure_page(&parts, refusal.status, client),
    };
    without_referrer(match state {
        Ok(_) => answer,
        Err(refusal) => refusal.finish(answer),
    })
}

pub fn failed(parts: &AppParts, _: Format, client: Client) -> Answer {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    without_referrer(failure_page(parts, status, client))
}

fn failure_page(parts: &AppParts, status: StatusCode, client: Client) -> Answer {
    let pages = parts.site.pages();
    pages.newsletter.failed.answer(status, client.tls, &[])
}

/// Returns the link's state, and follows the link if `acts` is set.
async fn state(
    parts: &AppParts,
    client: &Client,
    uri: &Uri,
    purpose: LinkPurpose,
    acts: bool,
) -> Result<LinkState, Refusal> {
    let Some(token) = token(uri) else {
        return Ok(LinkState::Unknown);
    };
    let visit = parts.link_limit.admit(client.address);
    visit.map_err(Refusal::too_often)?;
    let (store, now) = (&parts.store, parts.store.now());
    let answer = in_time(async {
        let _turn = parts.link_permits.acquire().await;
        match acts {
            true => store.follow_link(&token, purpose, now).await,
            false => store.link_state(&token, purpose, now).await,
        }
    });
    let too_long = |_| Err(StoreError::Unavailable("no answer in time".into()));
    let state = answer.await.unwrap_or_else(too_long);
    state.map_err(|error| {
        tracing::error!(%error, "a link could not be followed");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE)
    })
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

fn choose(
    pages: &PageTable,
    purpose: LinkPurpose,
    acted: bool,
    state: LinkState,
) -> (StatusCode, &Template) {
    let pages = &pages.newsletter;
    let (question, done) = match purpose {
        LinkPurpose::Confirm => (&pages.confirm, &pages.confirmed),
        LinkPurpose::Unsubscribe => (&pages.unsubscribe, &pages.unsubscribed),
    };
    match state {
        LinkState::Open if !acted => (StatusCode::OK, question),
        LinkState::Open | LinkState::Done => (StatusCode::OK, done),
        LinkState::Gone => (StatusCode::GONE, &pages.dead_link),
        LinkState::Unknown => (StatusCode::NOT_FOUND, &pages.dead_link),
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
    response::private(status, "text/plain; charset=utf-8", words)
}

/// Keeps the token in the URL out of `Referer` headers.
fn without_referrer(mut answer: Answer) -> Answer {
    let map = answer.headers_mut();
    response::secure(map);
    map.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
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
