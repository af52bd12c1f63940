//! The newsletter: the issue that is being written, its test and sending, past issues, subscribers.

use std::path;

use anyhow::Context as _;
use axum::Json;
use axum::extract::{Path, Query};
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use lettre::message::Mailbox;
use serde::{Deserialize, Serialize};

use super::inbox::next_page;
use super::reply::Preview;
use super::session::name_of;
use super::{Desk, DeskError, DraftText, JsonBody, JsonResponse, Message, NewDraft, confirm};
use crate::content::{SiteFacts, site};
use crate::domain::{count, sentence};
use crate::mail::MailServer;
use crate::newsletter::{
    DEFAULT_RATE, EVERYONE_HAS_IT, Issue, IssueError, MAX_FILE, PAUSED, PictureError,
    require_postal_address, send_test, send_time,
};
use crate::store::{
    Cursor, Growth, IssueDraft, IssueState, IssueSummary, LEAVES_AFTER, RefusingSubscriber,
    Subscriber, SubscriberCounts, SubscriberFilter,
};

/// How many past issues are shown.
const ISSUES: usize = 30;
const SUBSCRIBERS: usize = 100;
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The `file_name` of issues that were written at the desk.
const FILE_NAME: &str = "desk";

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Newsletter {
    /// The issue that is being written here.
    draft: IssueDraft,
    tested_text_is_current: bool,
    counts: SubscriberCounts,
    gained_in_30_days: i64,
    growth: Vec<Growth>,
    suspended: Vec<SubscriberRow>,
    issues: Vec<IssueRow>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SubscriberRow {
    id: String,
    email: String,
    state: &'static str,
    since: Timestamp,
    refusal: Option<String>,
    suspended: bool,
}

impl From<Subscriber> for SubscriberRow {
    fn from(subscriber: Subscriber) -> Self {
        let refused = subscriber.refused_at.map(|time| site().day(time));
        let code = subscriber.refused_code.zip(refused);
        Self {
            refusal: code.map(|(code, day)| format!("{}, {day}", in_words(&code))),
            id: subscriber.id,
            email: subscriber.email,
            state: subscriber.state.as_str(),
            since: subscriber.consent.created_at,
            suspended: subscriber.suspended_at.is_some(),
        }
    }
}

/// A mail server's reply, with what its most frequent codes mean.
fn in_words(code: &str) -> String {
    match code.rsplit(' ').next() {
        Some("5.1.1") => format!("the address doesn't exist ({code})"),
        Some("5.2.2" | "4.2.2") => format!("the mailbox is full ({code})"),
        _ => code.to_owned(),
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct IssueRow {
    #[serde(flatten)]
    issue: IssueSummary,
    state: IssueState,
    refusals: Vec<RefusingSubscriber>,
}

pub async fn show(desk: Desk) -> JsonResponse<Newsletter> {
    let (store, now) = (&desk.store, desk.now);
    let draft = store.issue_draft().await?;
    let counts = store.subscriber_counts().await?;
    let before = store.confirmed_at(&[now - MONTH]).await?[0];
    let filter = SubscriberFilter {
        suspended: true,
        limit: SUBSCRIBERS,
        ..SubscriberFilter::default()
    };
    let suspended = store.subscribers(filter).await?;
    let mut issues = Vec::new();
    for issue in store.issues(None, ISSUES, now).await? {
        let mut refusals = match issue.refused {
            0 => Vec::new(),
            _ => store.issue_refusals(&issue.issue.id, SUBSCRIBERS).await?,
        };
        for each in &mut refusals {
            each.code = in_words(&each.code);
        }
        issues.push(IssueRow {
            state: issue.state(),
            refusals,
            issue,
        });
    }
    let current = read(&draft.text).ok().map(|issue| issue.id);
    Ok(Json(Newsletter {
        tested_text_is_current: draft.tested.is_some() && draft.tested == current,
        draft,
        gained_in_30_days: counts.confirmed as i64 - before as i64,
        counts,
        growth: store.growth(now).await?,
        suspended: suspended.into_iter().map(SubscriberRow::from).collect(),
        issues,
    }))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeptDraft {
    kept_at: Timestamp,
}

pub async fn keep(
    desk: Desk,
    JsonBody(NewDraft { text, before }): JsonBody<NewDraft>,
) -> JsonResponse<KeptDraft> {
    if text.len() > MAX_FILE {
        let message = "The issue is larger than 256 KiB. It wasn't kept.";
        return Err(DeskError::invalid(message));
    }
    let (before, now) = (before.as_deref(), desk.now);
    if !desk.store.keep_issue_draft(&text, before, now).await? {
        return Err(DeskError::draft_changed("Somebody"));
    }
    Ok(Json(KeptDraft { kept_at: now }))
}

/// Parses an issue. A link that begins with a slash is completed with the site's address.
fn read(text: &str) -> Result<Issue, String> {
    let no_file = path::Path::new("");
    let issue = Issue::of_file(text.as_bytes(), no_file, site(), |_| None);
    issue.map_err(|error| match error {
        IssueError::Picture(PictureError::NotBeside(_)) => {
            "an issue written here can't have pictures of its own: send it from a file, with \
             `frontdoor newsletter send`"
                .into()
        }
        error => error.to_string(),
    })
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssuePreview {
    #[serde(flatten)]
    mail: Preview,
    words: usize,
    problem: Option<String>,
}

pub async fn preview(
    desk: Desk,
    JsonBody(DraftText { text }): JsonBody<DraftText>,
) -> JsonResponse<IssuePreview> {
    let words = text.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    let (subject, html, problem) = match read(&text) {
        Ok(issue) => {
            let html = issue.preview();
            (issue.subject, html, None)
        }
        Err(problem) => (String::new(), String::new(), Some(problem)),
    };
    let url = desk.shared.previews.keep(html);
    Ok(Json(IssuePreview {
        mail: Preview { subject, url },
        words: words.count(),
        problem,
    }))
}

/// Parses an issue, if it may be sent in the site's name.
fn sendable(text: &str) -> Result<Issue, DeskError> {
    if let Some(reason) = SiteFacts::unreadable() {
        return Err(DeskError::invalid(reason));
    }
    require_postal_address(site()).map_err(|why| DeskError::invalid(sentence(why)))?;
    read(text).map_err(|why| DeskError::invalid(format!("Not sent: {why}.")))
}

pub async fn test(
    desk: Desk,
    JsonBody(DraftText { text }): JsonBody<DraftText>,
) -> JsonResponse<Message> {
    let issue = sendable(&text)?;
    let mail = desk.mail().ok_or_else(DeskError::no_mail_server)?;
    let sent = async {
        let (from, all) = (mail.from()?, mail.notify()?);
        // Prefer the address with the signed-in person's name.
        let own = |to: &&Mailbox| name_of(to) == desk.by.name;
        let to = all.iter().find(own).or(all.first());
        let to = to.context("nobody is to be notified")?.email.clone();
        send_test(&MailServer::new(&mail.server)?, &from, &issue, &to).await?;
        anyhow::Ok(to)
    };
    let failed = |why| {
        let message = format!("The test wasn't sent: {why}.");
        DeskError::new(StatusCode::BAD_GATEWAY, message)
    };
    // Kept before: the issue may be sent, and its draft emptied, while the test is on its way.
    desk.store.keep_issue_draft(&text, None, desk.now).await?;
    let to = sent.await.map_err(failed)?;
    desk.store.record_tested(&issue.id, desk.now).await?;
    confirm(format!("A test is on its way to {to}."))
}

#[derive(Deserialize)]
pub struct Sending {
    text: String,
    /// The time in the site's zone; `None` means now.
    at: Option<String>,
}

/// An issue that can still be called back.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeavingIssue {
    id: String,
    leaves_at: Timestamp,
    message: String,
}

pub async fn send(
    desk: Desk,
    JsonBody(Sending { text, at }): JsonBody<Sending>,
) -> JsonResponse<LeavingIssue> {
    let (store, now, issue) = (&desk.store, desk.now, sendable(&text)?);
    if desk.mail().is_none() {
        return Err(DeskError::no_mail_server());
    }
    if store.issue_draft().await?.tested.as_ref() != Some(&issue.id) {
        let message = "The text was changed since the test. One more test unlocks sending.";
        return Err(DeskError::conflict(message));
    }
    let counts = store.issue_counts(&issue.id, now).await?;
    if counts.left == 0 {
        return Err(DeskError::conflict(match counts.sent {
            0 => "Nobody is subscribed at present. Nothing was scheduled.".into(),
            _ => sentence(EVERYONE_HAS_IT),
        }));
    }
    if at.is_none() && store.paused_at().await?.is_some() {
        return Err(DeskError::conflict(sentence(PAUSED)));
    }
    let wrong = |why| DeskError::invalid(format!("The time {why}."));
    let time = at.map(|text| send_time(&text, site(), now).map_err(wrong));
    let time = time.transpose()?;
    let leaves_at = time.unwrap_or(now + LEAVES_AFTER);
    let mut schedule = issue.schedule(FILE_NAME, DEFAULT_RATE, leaves_at);
    schedule.text = Some(text);
    store.schedule(schedule, now).await?;
    let people = count(counts.left, "subscriber", "subscribers");
    Ok(Json(LeavingIssue {
        id: issue.id,
        leaves_at,
        message: match time {
            Some(time) => format!("The issue goes to {people} on {}.", site().minute(time)),
            None => format!("The issue leaves for {people} in"),
        },
    }))
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueAction {
    Pause,
    Resume,
    Cancel,
}

pub async fn act(
    desk: Desk,
    Path((id, action)): Path<(String, IssueAction)>,
) -> JsonResponse<Message> {
    let (store, now) = (&desk.store, desk.now);
    let message = match action {
        IssueAction::Pause => "Sending is paused.",
        IssueAction::Resume => "Sending goes on.",
        IssueAction::Cancel => "The issue is called off.",
    };
    let is_done = match action {
        IssueAction::Cancel => store.cancel_issue(&id, now).await?,
        action => {
            store
                .pause_issue(&id, action == IssueAction::Pause, now)
                .await?
        }
    };
    if is_done {
        confirm(message)
    } else {
        Err(DeskError::conflict("It isn't scheduled any more."))
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Subscribers {
    subscribers: Vec<SubscriberRow>,
    after: Option<String>,
}

#[derive(Deserialize)]
pub struct SubscribersQuery {
    #[serde(default)]
    q: String,
    /// The cursor of the last row on the previous page.
    #[serde(default)]
    after: String,
}

pub async fn subscribers(
    desk: Desk,
    Query(query): Query<SubscribersQuery>,
) -> JsonResponse<Subscribers> {
    let filter = SubscriberFilter {
        search: Some(query.q.trim().to_lowercase()).filter(|text| !text.is_empty()),
        after: Cursor::parse(&query.after),
        limit: SUBSCRIBERS + 1,
        ..SubscriberFilter::default()
    };
    let mut found = desk.store.subscribers(filter).await?;
    let place = |last: &Subscriber| Cursor::new(last.consent.created_at, &last.id);
    let after = next_page(&mut found, SUBSCRIBERS, place);
    let subscribers = found.into_iter().map(SubscriberRow::from).collect();
    Ok(Json(Subscribers { subscribers, after }))
}

impl Desk {
    async fn subscriber(&self, id: &str) -> Result<Subscriber, DeskError> {
        let found = self.store.subscriber_by_id(id).await?;
        found.ok_or_else(|| DeskError::not_found("This subscriber is gone."))
    }
}

pub async fn resume(desk: Desk, Path(id): Path<String>) -> JsonResponse<Message> {
    let email = desk.subscriber(&id).await?.email;
    if desk.store.resume_subscriber(&email).await? {
        confirm(format!("{email} gets issues again."))
    } else {
        Err(DeskError::conflict(format!("{email} isn't suspended.")))
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProofLine {
    label: &'static str,
    value: String,
}

/// The proof of consent, as `frontdoor subscribers proof` prints it; the latest consent first.
pub async fn proof(desk: Desk, Path(id): Path<String>) -> JsonResponse<Vec<ProofLine>> {
    let Subscriber { email, consent, .. } = desk.subscriber(&id).await?;
    let past = desk.store.past_consents(&id).await?;
    let consents = [consent].into_iter().chain(past.into_iter().rev());
    let facts = consents.flat_map(|consent| consent.facts());
    let lines = [("Address", email)].into_iter().chain(facts);
    let line = |(label, value)| ProofLine { label, value };
    Ok(Json(lines.map(line).collect()))
}
