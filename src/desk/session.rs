//! Signing in and out, and the browsers that are signed in.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::response::IntoResponse;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, StatusCode};
use lettre::Message;
use lettre::message::MultiPart;
use serde::{Deserialize, Serialize};

use super::{Answered, By, Desk, Inner, JsonBody, Refusal};
use crate::config::MailSettings;
use crate::content::site;
use crate::domain::{LinkToken, fold_address};
use crate::mail::{MailServer, to_owner};
use crate::store::{DESK_SESSION_LASTS, DeskSession};

/// How many links may be asked for by mail, and within which time.
const MAILED_LINKS: usize = 3;
const MAILED_WITHIN: Duration = Duration::from_secs(10 * 60);

const NO_LONGER: &str = "This link was used before, or is older than ten minutes. \
    `frontdoor desk open` makes another.";

impl Inner {
    /// `__Host-` is for https only, and browsers want it wherever the desk isn't on this machine.
    fn cookie_name(&self) -> &'static str {
        match self.parts.url.scheme() {
            "https" => "__Host-desk",
            _ => "desk",
        }
    }

    fn cookie(&self, value: &str, seconds: u64) -> String {
        let (name, secure) = match self.cookie_name() {
            "desk" => ("desk", ""),
            name => (name, "; Secure"),
        };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }
}

/// The session of the request's cookie.
pub async fn of(desk: &Inner, headers: &HeaderMap) -> Result<Option<DeskSession>, Refusal> {
    let name = desk.cookie_name();
    let cookies = headers.get_all(COOKIE).iter();
    let pairs = cookies.flat_map(|line| line.to_str().unwrap_or_default().split("; "));
    let mut values = pairs.filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let Some(key) = values.next().and_then(LinkToken::parse) else {
        return Ok(None);
    };
    let store = &desk.parts.store;
    Ok(store.desk_session(&key, store.now()).await?)
}

#[derive(Deserialize)]
pub struct Token {
    token: String,
}

pub async fn sign_in(
    State(desk): Desk,
    JsonBody(Token { token }): JsonBody<Token>,
) -> Result<impl IntoResponse, Refusal> {
    let store = &desk.parts.store;
    let (link, key) = (LinkToken::parse(&token), LinkToken::random());
    let link = link.ok_or_else(|| Refusal::gone(NO_LONGER))?;
    match store.open_desk(&link, &key, store.now()).await? {
        None => Err(Refusal::gone(NO_LONGER)),
        Some(session) => {
            tracing::info!(session = session.id, "a browser signed in to the desk");
            let cookie = desk.cookie(key.as_str(), DESK_SESSION_LASTS.as_secs());
            Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]))
        }
    }
}

#[derive(Deserialize)]
pub struct MailLink {
    email: String,
}

/// Always gives the same answer: only the owner's mailbox shows whether the address is theirs.
pub async fn mail_link(
    State(desk): Desk,
    JsonBody(MailLink { email }): JsonBody<MailLink>,
) -> Result<StatusCode, Refusal> {
    let Some(mail) = desk.parts.settings.mail.clone() else {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "No mail server is set up.",
        ));
    };
    if desk.may_mail() {
        tokio::spawn(async move {
            if let Err(error) = send_link(&desk, &mail, &email).await {
                tracing::warn!(%error, "a link to the desk wasn't mailed");
            }
        });
    }
    Ok(StatusCode::ACCEPTED)
}

impl Inner {
    fn may_mail(&self) -> bool {
        let mut mailed = self.mailed.lock().unwrap_or_else(PoisonError::into_inner);
        mailed.retain(|time| time.elapsed() < MAILED_WITHIN);
        let may = mailed.len() < MAILED_LINKS;
        if may {
            mailed.push(Instant::now());
        }
        may
    }
}

async fn send_link(desk: &Inner, mail: &MailSettings, email: &str) -> anyhow::Result<()> {
    let wanted = fold_address(email.trim());
    let mut known = mail.notify()?.into_iter();
    let is_wanted = |known: &lettre::message::Mailbox| fold_address(known.email.as_ref()) == wanted;
    let Some(to) = known.find(is_wanted) else {
        return Ok(());
    };
    let (store, link) = (&desk.parts.store, LinkToken::random());
    let name = to
        .name
        .clone()
        .unwrap_or_else(|| to.email.user().to_owned());
    store.add_desk_link(&link, &name, store.now()).await?;
    let text = to_owner::desk_link(site(), &self::link(desk.parts.url.as_str(), &link));
    let message = Message::builder()
        .from(mail.from()?)
        .to(to)
        .subject(text.subject);
    let message = message.multipart(MultiPart::alternative_plain_html(text.text, text.html))?;
    let sent = MailServer::new(&mail.server)?.send(&message).await;
    sent.map(drop)
        .map_err(|error| anyhow::anyhow!(error.into_reason()))
}

/// The link that signs a browser in. The token is in the fragment, which no server, proxy or log
/// gets to see.
pub fn link(desk: &str, link: &LinkToken) -> String {
    format!("{}/#{}", desk.trim_end_matches('/'), link.as_str())
}

/// Who is signed in, and what the desk's pages need to know.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Me {
    name: String,
    session: String,
    site: MySite,
    promise_hours: i64,
    can_mail: bool,
    version: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct MySite {
    name: &'static str,
    url: &'static str,
    zone: &'static str,
    email: &'static str,
    booking_url: &'static str,
}

pub async fn me(State(desk): Desk, Extension(session): By) -> Json<Me> {
    let site = site();
    Json(Me {
        name: session.name,
        session: session.id,
        site: MySite {
            name: &site.name,
            url: &site.url,
            zone: &site.time_zone,
            email: &site.email,
            booking_url: &site.booking_url,
        },
        promise_hours: desk.parts.settings.promise.promise.as_hours(),
        can_mail: desk.parts.settings.mail.is_some(),
        version: env!("CARGO_PKG_VERSION"),
    })
}

pub async fn sign_out(
    State(desk): Desk,
    Extension(session): By,
) -> Result<impl IntoResponse, Refusal> {
    desk.parts
        .store
        .revoke_desk_sessions(Some(&session.id))
        .await?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, desk.cookie("", 0))]))
}

/// A signed-in browser.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionRow {
    #[serde(flatten)]
    session: DeskSession,
    this_browser: bool,
}

pub async fn list(State(desk): Desk, Extension(own): By) -> Answered<Vec<SessionRow>> {
    let store = &desk.parts.store;
    let sessions = store.desk_sessions(store.now()).await?.into_iter();
    let row = |session: DeskSession| SessionRow {
        this_browser: session.id == own.id,
        session,
    };
    Ok(Json(sessions.map(row).collect()))
}

pub async fn revoke(State(desk): Desk, Path(id): Path<String>) -> Result<StatusCode, Refusal> {
    match desk.parts.store.revoke_desk_sessions(Some(&id)).await? {
        0 => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "This browser is signed out already.",
        )),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
