//! Replies to a lead: the draft, the mail as it will arrive, sending and calling back.

use axum::Json;
use axum::extract::{Extension, Path, State};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Answered, By, Desk, Inner, JsonBody, Refusal};
use crate::content::{SavedReply, mails, saved_replies, site};
use crate::domain::one_line;
use crate::mail::to_visitors;
use crate::store::{Lead, Reply};

/// Longer than anybody writes; a mail server would take it, too.
const MAX_TEXT: usize = 20_000;

/// What the composer begins with.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReplyDraft {
    subject: String,
    from: String,
    bcc: bool,
    text: String,
    is_draft: bool,
    saved: &'static [SavedReply],
    leaving: Option<Leaving>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Leaving {
    id: String,
    leaves_at: Timestamp,
}

/// A reply as the composer sends it.
#[derive(Deserialize)]
pub struct Written {
    text: String,
    #[serde(default)]
    booking: bool,
    #[serde(default)]
    quote: bool,
}

impl Written {
    fn by(self, who: &str) -> Result<Reply, Refusal> {
        let Self {
            text,
            booking,
            quote,
        } = self;
        let words = match text.trim() {
            "" => "There is nothing to send yet.",
            text if text.chars().count() > MAX_TEXT => {
                "The reply is longer than 20,000 characters."
            }
            _ => {
                let who = who.to_owned();
                return Ok(Reply {
                    who,
                    text,
                    booking,
                    quote,
                });
            }
        };
        Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words))
    }
}

impl Inner {
    pub(super) async fn reply_draft(&self, lead: &Lead, who: &str) -> Result<ReplyDraft, Refusal> {
        let store = &self.parts.store;
        let draft = store.reply_draft(&lead.id).await?;
        let leaving = store.leaving_reply(&lead.id).await?;
        let mail = self.parts.settings.mail.as_ref();
        let from = mail.and_then(|mail| mail.reply_from(who).ok());
        let first_name = one_line(&lead.name);
        let first_name = first_name.split(' ').next().unwrap_or_default();
        Ok(ReplyDraft {
            subject: format!("Re: {}", mails().auto_reply.subject),
            from: from.map_or(String::new(), |from| from.to_string()),
            bcc: mail.is_some_and(|mail| mail.reply_copy),
            is_draft: draft.is_some(),
            text: draft.unwrap_or_else(|| format!("Hello {first_name},\n\n\n\n{who}")),
            saved: saved_replies(),
            leaving: leaving.map(|reply| Leaving {
                id: reply.id,
                leaves_at: reply.leaves_at,
            }),
        })
    }
}

#[derive(Deserialize)]
pub struct Draft {
    text: String,
}

pub async fn keep(
    State(desk): Desk,
    Path(id): Path<String>,
    JsonBody(Draft { text }): JsonBody<Draft>,
) -> Result<StatusCode, Refusal> {
    let store = &desk.parts.store;
    let text: String = text.chars().take(MAX_TEXT).collect();
    store.keep_reply_draft(&id, &text, store.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A mail as it will arrive, at an address of its own for a frame.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Preview {
    pub subject: String,
    pub url: String,
}

pub async fn preview(
    State(desk): Desk,
    Extension(by): By,
    Path(id): Path<String>,
    JsonBody(written): JsonBody<Written>,
) -> Answered<Preview> {
    let lead = desk.lead(&id).await?;
    let mail = to_visitors::reply(site(), &lead, &written.by(&by.name)?);
    Ok(Json(Preview {
        subject: mail.subject,
        url: desk.previews.keep(mail.html),
    }))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Queued {
    id: String,
    leaves_at: Timestamp,
    said: String,
}

pub async fn send(
    State(desk): Desk,
    Extension(by): By,
    Path(id): Path<String>,
    JsonBody(written): JsonBody<Written>,
) -> Answered<Queued> {
    if desk.parts.settings.mail.is_none() {
        let words =
            "No mail server is set up: set FRONTDOOR_SMTP_URL, or answer from your mail program.";
        return Err(Refusal::new(StatusCode::CONFLICT, words));
    }
    let (store, lead) = (&desk.parts.store, desk.lead(&id).await?);
    let added = store
        .add_reply(&id, written.by(&by.name)?, store.now())
        .await?;
    let reply = added.ok_or_else(Refusal::unknown_lead)?;
    store.note_writing(&by.id, None, store.now()).await?;
    Ok(Json(Queued {
        id: reply.id,
        leaves_at: reply.leaves_at,
        said: format!(
            "Your reply to {} leaves in 10 seconds.",
            one_line(&lead.name)
        ),
    }))
}

pub async fn call_back(State(desk): Desk, Path(id): Path<String>) -> Answered<CalledBack> {
    let store = &desk.parts.store;
    match store.call_back(&id, store.now()).await? {
        Some(text) => Ok(Json(CalledBack {
            text,
            said: "Your reply wasn't sent. It is a draft again.".into(),
        })),
        None => Err(Refusal::gone(
            "It has left already: the mail server has it.",
        )),
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CalledBack {
    text: String,
    said: String,
}
