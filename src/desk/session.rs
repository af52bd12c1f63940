//! Signing in and out, and the browsers that are signed in.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, StatusCode};
use lettre::Message;
use lettre::message::{Mailbox, MultiPart};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Desk, DeskError, JsonBody, JsonResponse, Shared, SharedState};
use crate::config::MailSettings;
use crate::content::site;
use crate::domain::{SecretToken, capital, email_key};
use crate::mail::{MailServer, to_owner};
use crate::store::{DESK_SESSION_TTL, DeskSession, UNNAMED};

/// How many links may be requested by mail within [`MAILED_WITHIN`].
const MAILED_LINKS: usize = 3;
const MAILED_WITHIN: Duration = Duration::from_secs(10 * 60);

const NO_LONGER: &str =
    "This link was used before, or is older than ten minutes. Get another one here.";

impl Shared {
    /// Browsers accept the prefix `__Host-` only over https.
    fn cookie_name(&self) -> &'static str {
        match self.parts.url.scheme() {
            "https" => "__Host-desk",
            _ => "desk",
        }
    }

    fn cookie(&self, value: &str, seconds: u64) -> String {
        let name = self.cookie_name();
        let secure = if name == "desk" { "" } else { "; Secure" };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }
}

/// The session that the request's cookie belongs to.
pub async fn from_headers(
    shared: &Shared,
    headers: &HeaderMap,
) -> Result<Option<DeskSession>, DeskError> {
    let name = shared.cookie_name();
    let cookies = headers.get_all(COOKIE).iter();
    let pairs = cookies.flat_map(|line| line.to_str().unwrap_or_default().split("; "));
    let mut values = pairs.filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let Some(key) = values.next().and_then(SecretToken::parse) else {
        return Ok(None);
    };
    let store = &shared.parts.store;
    Ok(store.desk_session(&key, store.now()).await?)
}

#[derive(Deserialize)]
pub struct Token {
    token: String,
}

pub async fn sign_in(
    State(shared): SharedState,
    JsonBody(Token { token }): JsonBody<Token>,
) -> Result<impl IntoResponse, DeskError> {
    let (store, key) = (&shared.parts.store, SecretToken::random());
    let no_longer = || DeskError::new(StatusCode::GONE, NO_LONGER);
    let link = SecretToken::parse(&token).ok_or_else(no_longer)?;
    let opened = store.open_desk(&link, &key, store.now()).await?;
    let session = opened.ok_or_else(no_longer)?;
    tracing::info!(session = session.id, "a browser signed in to the desk");
    let cookie = shared.cookie(key.as_str(), DESK_SESSION_TTL.as_secs());
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]))
}

#[derive(Deserialize)]
pub struct MailLink {
    email: String,
}

/// Always gives the same response, so that it doesn't reveal the owner's address.
pub async fn mail_link(
    State(shared): SharedState,
    JsonBody(MailLink { email }): JsonBody<MailLink>,
) -> Result<StatusCode, DeskError> {
    let Some(mail) = shared.parts.settings.mail.clone() else {
        return Err(DeskError::not_found("No mail server is set up."));
    };
    let Some(to) = addressee(&mail, &email) else {
        return Ok(StatusCode::ACCEPTED);
    };
    if !shared.may_mail() {
        tracing::warn!("too many links to the desk were asked for by mail: the last wasn't sent");
        return Ok(StatusCode::ACCEPTED);
    }
    tokio::spawn(async move {
        if let Err(error) = send_link(&shared, &mail, to).await {
            tracing::warn!(%error, "a link to the desk wasn't mailed");
        }
    });
    Ok(StatusCode::ACCEPTED)
}

impl Shared {
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

fn addressee(mail: &MailSettings, email: &str) -> Option<Mailbox> {
    let wanted = email_key(email.trim());
    let mut known = mail.notify().ok()?.into_iter();
    known.find(|known| email_key(known.email.as_ref()) == wanted)
}

async fn send_link(shared: &Shared, mail: &MailSettings, to: Mailbox) -> anyhow::Result<()> {
    let (store, link) = (&shared.parts.store, SecretToken::random());
    let name = name_of(&to);
    store.add_desk_link(&link, &name, store.now()).await?;
    let text = to_owner::desk_link(site(), &self::link(shared.parts.url.as_str(), &link));
    let from = mail.from()?;
    let id = format!("<{}@{}>", Uuid::new_v4(), from.email.domain());
    let message = Message::builder()
        .message_id(Some(id))
        .from(from)
        .to(to)
        .subject(text.subject);
    let message = message.multipart(MultiPart::alternative_plain_html(text.text, text.html))?;
    MailServer::new(&mail.server)?.send(&message).await?;
    Ok(())
}

/// The mailbox's name, else the part before the @: "Anna" for anna@site.example. The site's own
/// address is nobody's.
pub fn name_of(mailbox: &Mailbox) -> String {
    if let Some(name) = &mailbox.name {
        return name.clone();
    }
    if mailbox.email.to_string() == site().email {
        return UNNAMED.into();
    }
    capital(mailbox.email.user())
}

/// The link that signs a browser in. The token is in the fragment, which no server, proxy or log
/// gets to see.
pub fn link(desk: &str, link: &SecretToken) -> String {
    format!("{}/#{}", desk.trim_end_matches('/'), link.as_str())
}

/// The signed-in person, and facts that the desk's pages need.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Me {
    name: String,
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

pub async fn me(desk: Desk) -> Json<Me> {
    let site = site();
    Json(Me {
        promise_hours: desk.promise().as_hours(),
        can_mail: desk.mail().is_some(),
        name: desk.by.name,
        site: MySite {
            name: &site.name,
            url: &site.url,
            zone: &site.time_zone,
            email: &site.email,
            booking_url: &site.booking_url,
        },
        version: env!("CARGO_PKG_VERSION"),
    })
}

pub async fn sign_out(desk: Desk) -> Result<impl IntoResponse, DeskError> {
    let own = Some(desk.by.id.as_str());
    desk.store.revoke_desk_sessions(own).await?;
    let cookie = desk.shared.cookie("", 0);
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionRow {
    #[serde(flatten)]
    session: DeskSession,
    this_browser: bool,
}

pub async fn list(desk: Desk) -> JsonResponse<Vec<SessionRow>> {
    Ok(Json(desk.sessions().await?))
}

impl Desk {
    pub(super) async fn sessions(&self) -> Result<Vec<SessionRow>, DeskError> {
        let sessions = self.store.desk_sessions(self.now).await?.into_iter();
        let row = |session: DeskSession| SessionRow {
            this_browser: session.id == self.by.id,
            session,
        };
        Ok(sessions.map(row).collect())
    }
}

pub async fn revoke(desk: Desk, Path(id): Path<String>) -> Result<StatusCode, DeskError> {
    match desk.store.revoke_desk_sessions(Some(&id)).await? {
        0 => Err(DeskError::not_found("This browser is signed out already.")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
