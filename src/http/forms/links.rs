//! Where the links in our mails lead: `/newsletter/confirm` and
//! `/newsletter/unsubscribe`.
//!
//! Programs that check mail open every link, so a GET only shows a page with
//! a button; the button's POST acts. Neither asks where it comes from: who
//! knows the token was sent it, and mail providers post for their users
//! (RFC 8058, one click, no page). The pages run no script, tell nobody the
//! address they were opened with, and are kept by nobody. An address that comes too
//! often is asked to come again later (429).

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::State;
use bytes::Bytes;
use http::header::{HeaderValue, REFERRER_POLICY};
use http::{Request, StatusCode, Uri};

use super::form_body::{self, Format};
use super::intake::in_time;
use super::not_taken::NotTaken;
use crate::domain::LinkToken;
use crate::http::edge::body::{self, Answer};
use crate::http::edge::client::Client;
use crate::http::edge::headers;
use crate::http::parts::AppParts;
use crate::http::site::pages::NewsletterPages;
use crate::http::site::template::Template;
use crate::store::{LinkPurpose, LinkState, StoreError};

type Parts = State<Arc<AppParts>>;
type Caller = Extension<Client>;
type Outcome = Result<LinkState, NotTaken>;

pub async fn ask_to_confirm(parts: Parts, client: Caller, uri: Uri) -> Answer {
    let state = state(&parts, &client, &uri, LinkPurpose::Confirm, false).await;
    page(&parts, client, LinkPurpose::Confirm, false, state)
}

pub async fn ask_to_unsubscribe(parts: Parts, client: Caller, uri: Uri) -> Answer {
    let state = state(&parts, &client, &uri, LinkPurpose::Unsubscribe, false).await;
    page(&parts, client, LinkPurpose::Unsubscribe, false, state)
}

pub async fn confirm(parts: Parts, client: Caller, uri: Uri) -> Answer {
    let state = state(&parts, &client, &uri, LinkPurpose::Confirm, true).await;
    page(&parts, client, LinkPurpose::Confirm, true, state)
}

pub async fn unsubscribe(
    parts: Parts,
    client: Caller,
    request: Request<axum::body::Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    let body = form_body::read(
        &head.headers,
        Format::Form.limit(),
        body,
        parts.body_patience,
    )
    .await;
    let one_click = body.is_ok_and(|bytes| is_one_click(&bytes));
    let state = state(&parts, &client, &head.uri, LinkPurpose::Unsubscribe, true).await;
    match one_click {
        true => plain(state),
        false => page(&parts, client, LinkPurpose::Unsubscribe, true, state),
    }
}

/// After a panic.
pub fn failed(parts: &AppParts, _: Format, client: Client) -> Answer {
    let pages = parts.pages.load();
    let page = &pages.newsletter.failed;
    untold(page.answer(StatusCode::INTERNAL_SERVER_ERROR, client.tls, &[]))
}

/// Of the link that was opened, or followed when `act`.
async fn state(
    parts: &AppParts,
    client: &Client,
    uri: &Uri,
    purpose: LinkPurpose,
    act: bool,
) -> Outcome {
    let Some(token) = token(uri) else {
        return Ok(LinkState::Unknown);
    };
    let visit = parts.link_limit.count(client.address, Instant::now());
    visit.map_err(NotTaken::too_often)?;
    let (store, now) = (&parts.store, parts.store.now());
    let answer = in_time(async {
        let _turn = parts.link_turns.acquire().await;
        match act {
            true => store.follow_link(&token, purpose, now).await,
            false => store.look_at_link(&token, purpose, now).await,
        }
    });
    let too_long = |_| Err(StoreError::Unavailable("no answer in time".into()));
    let state = answer.await.unwrap_or_else(too_long);
    state.map_err(|error| {
        tracing::error!(%error, "a link could not be followed");
        NotTaken::failed(StatusCode::SERVICE_UNAVAILABLE)
    })
}

fn token(uri: &Uri) -> Option<LinkToken> {
    let mut query = form_urlencoded::parse(uri.query()?.as_bytes());
    let (_, value) = query.find(|(name, _)| name == "token")?;
    LinkToken::parse(&value)
}

/// In either of the encodings that mail providers may use.
fn is_one_click(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    body.contains("List-Unsubscribe") && body.contains("One-Click")
}

fn page(
    parts: &AppParts,
    Extension(client): Caller,
    purpose: LinkPurpose,
    acted: bool,
    state: Outcome,
) -> Answer {
    let pages = parts.pages.load();
    let pages = &pages.newsletter;
    untold(match state {
        Ok(state) => {
            let (status, template) = choose(pages, purpose, acted, state);
            template.answer(status, client.tls, &[])
        }
        Err(why) => why.finish(pages.failed.answer(why.status, client.tls, &[])),
    })
}

fn choose(
    pages: &NewsletterPages,
    purpose: LinkPurpose,
    acted: bool,
    state: LinkState,
) -> (StatusCode, &Template) {
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

/// For a mail provider's program.
fn plain(state: Outcome) -> Answer {
    let (status, words) = match &state {
        Ok(LinkState::Open | LinkState::Done) => (StatusCode::OK, "Unsubscribed\n"),
        Ok(LinkState::Gone | LinkState::Unknown) => {
            (StatusCode::NOT_FOUND, "This link is not known\n")
        }
        Err(why) => (why.status, "Please try again later\n"),
    };
    let words = Bytes::from_static(words.as_bytes());
    let answer = body::private(status, "text/plain; charset=utf-8", words);
    untold(match state {
        Ok(_) => answer,
        Err(why) => why.finish(answer),
    })
}

/// Nobody is told the address it was opened with.
fn untold(mut answer: Answer) -> Answer {
    let map = answer.headers_mut();
    headers::secure(map);
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

    #[test]
    fn a_token_is_taken_from_the_query_and_from_nowhere_else() {
        let real = LinkToken::random();
        let uri = format!("/newsletter/confirm?a=b&token={}", real.as_str());
        assert_eq!(token(&uri.parse().unwrap()), Some(real));
        for bad in ["/x", "/x?token", "/x?token=", "/x?token=short", "/x?tok=a"] {
            assert_eq!(token(&bad.parse().unwrap()), None, "{bad}");
        }
    }
}
