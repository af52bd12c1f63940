//! Replies to a lead: the draft, its preview, sending it and calling it back.

use axum::Json;
use axum::extract::Path;
use http::StatusCode;
use serde::Serialize;

use super::{Desk, DeskError, JsonBody, JsonResponse, NewDraft};
use crate::content::{SavedReply, saved_replies, site};
use crate::domain::one_line;
use crate::mail::to_visitors;
use crate::store::{Lead, LeavingReply, Reply, ReplyRefusal, UNNAMED};

/// Longer than any real reply, and short enough for mail servers.
const MAX_TEXT: usize = 20_000;

/// What the composer begins with.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReplyDraft {
    subject: String,
    from: String,
    bcc: bool,
    text: String,
    pub is_draft: bool,
    saved: &'static [SavedReply],
    leaving: Option<LeavingReply>,
    /// The owner has yet to resume sending after a restore.
    is_paused: bool,
}

/// How to address somebody: "Ada" for "Ada Byron", but the whole name for "Dr. Ada Byron".
fn first_name(name: &str) -> String {
    match name.split(' ').next() {
        Some(first) if first.chars().count() > 1 && !first.ends_with('.') => first.to_owned(),
        _ => name.to_owned(),
    }
}

impl Desk {
    pub(super) async fn reply_draft(&self, lead: &Lead) -> Result<ReplyDraft, DeskError> {
        let (mail, who) = (self.mail(), &self.by.name);
        let draft = self.store.reply_draft(&lead.id).await?;
        let leaving = self.store.leaving_reply(&lead.id).await?;
        let written = leaving.as_ref().map(|reply| reply.text.clone());
        let written = written.or_else(|| draft.clone());
        let from = mail.and_then(|mail| mail.reply_from(who).ok());
        Ok(ReplyDraft {
            subject: to_visitors::reply_subject(site(), self.has_auto_replies()),
            from: from.map_or(String::new(), |from| from.to_string()),
            bcc: mail.is_some_and(|mail| mail.reply_copy),
            is_draft: draft.is_some(),
            text: written.unwrap_or_else(|| self.greeting(lead)),
            saved: saved_replies(),
            leaving,
            is_paused: self.store.paused_at().await?.is_some(),
        })
    }

    fn has_auto_replies(&self) -> bool {
        self.mail().is_some_and(|mail| mail.auto_reply)
    }

    /// What every reply begins and ends with.
    fn greeting(&self, lead: &Lead) -> String {
        let signature = match self.by.name.as_str() {
            UNNAMED => &site().name,
            name => name,
        };
        let name = first_name(&one_line(&lead.name));
        format!("Hello {name},\n\n\n\n{signature}")
    }

    /// The name of somebody who writes to this lead in another browser.
    async fn writer(&self, lead: &str) -> Result<String, DeskError> {
        let mut sessions = self.store.desk_sessions(self.now).await?;
        sessions.retain(|each| each.id != self.by.id && each.name != UNNAMED);
        let mut others = sessions.into_iter();
        let writer = others.find(|each| each.writing_to(self.now) == Some(lead));
        Ok(writer.map_or_else(|| "Somebody".into(), |writer| writer.name))
    }

    async fn refusal(&self, why: ReplyRefusal, lead: &str) -> Result<DeskError, DeskError> {
        Ok(match why {
            ReplyRefusal::AnotherIsLeaving => DeskError::conflict(
                "Another reply to this lead is leaving. Copy your text, then reload.",
            ),
            ReplyRefusal::DraftChanged => DeskError::draft_changed(&self.writer(lead).await?),
            ReplyRefusal::UnknownLead => DeskError::unknown_lead(),
        })
    }

    /// Checks a reply and signs it with the name of the signed-in person.
    fn signed(&self, reply: Reply) -> Result<Reply, DeskError> {
        let who = self.by.name.clone();
        match reply.text.trim() {
            "" => Err(DeskError::invalid("There is nothing to send yet.")),
            text if text.chars().count() > MAX_TEXT => Err(DeskError::invalid(
                "The reply is longer than 20,000 characters.",
            )),
            _ => Ok(Reply { who, ..reply }),
        }
    }
}

pub async fn keep(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(NewDraft { text, before }): JsonBody<NewDraft>,
) -> Result<StatusCode, DeskError> {
    let cut = |text: String| text.chars().take(MAX_TEXT).collect::<String>();
    let (text, before) = (cut(text), before.map(cut));
    let (store, before) = (&desk.store, before.as_deref());
    match store.keep_reply_draft(&id, &text, before, desk.now).await? {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(why) => Err(desk.refusal(why, &id).await?),
    }
}

/// A mail as it will arrive, at an address of its own for a frame.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Preview {
    pub subject: String,
    pub url: String,
}

pub async fn preview(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(reply): JsonBody<Reply>,
) -> JsonResponse<Preview> {
    let lead = desk.lead(&id).await?;
    let reply = desk.signed(reply)?;
    let mail = to_visitors::reply(site(), &lead, &reply, desk.has_auto_replies());
    Ok(Json(Preview {
        subject: mail.subject,
        url: desk.shared.previews.keep(mail.html),
    }))
}

pub async fn send(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(reply): JsonBody<Reply>,
) -> JsonResponse<LeavingReply> {
    if desk.mail().is_none() {
        let message =
            "No mail server is set up: set FRONTDOOR_SMTP_URL, or answer from your mail program.";
        return Err(DeskError::conflict(message));
    }
    let (store, lead) = (&desk.store, desk.lead(&id).await?);
    let reply = desk.signed(reply)?;
    if reply
        .text
        .split_whitespace()
        .eq(desk.greeting(&lead).split_whitespace())
    {
        return Err(DeskError::invalid("There is only the greeting so far."));
    }
    let leaving = match store.add_reply(&id, reply, desk.now).await? {
        Ok(leaving) => leaving,
        Err(why) => return Err(desk.refusal(why, &id).await?),
    };
    store.record_writing(&desk.by.id, None, desk.now).await?;
    Ok(Json(leaving))
}

pub async fn call_back(desk: Desk, Path(id): Path<String>) -> JsonResponse<CalledBack> {
    let text = desk.store.call_back(&id, desk.now).await?;
    let left = || {
        let message = "Too late: the mail server has it already.";
        DeskError::new(StatusCode::GONE, message)
    };
    let text = text.ok_or_else(left)?;
    Ok(Json(CalledBack { text }))
}

/// The draft again.
#[derive(Serialize)]
pub struct CalledBack {
    text: String,
}
