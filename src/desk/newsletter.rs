//! The newsletter: the issue that is being written, its test and sending, past issues, subscribers.

use std::path;

use axum::Json;
use axum::extract::{Extension, Path, State};
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::lead::Said;
use super::reply::Preview;
use super::{Answered, Asked, By, Desk, Inner, JsonBody, Refusal};
use crate::content::{SiteFacts, site};
use crate::domain::{LinkToken, count};
use crate::mail::{MailServer, to_visitors};
use crate::newsletter::{Issue, MAX_FILE, send_time, write_mail};
use crate::store::{
    Cursor, Growth, IssueRecord, IssueState, NewSchedule, Subscriber, SubscriberFilter,
};

/// How many past issues are shown.
const ISSUES: usize = 30;
const SUBSCRIBERS: usize = 100;
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Mails a second, as `frontdoor newsletter send` has it.
const RATE: u32 = 10;
/// What the desk's issues have in place of a file's name.
const WRITTEN_HERE: &str = "desk";

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Newsletter {
    draft: IssueDraft,
    counts: SubscriberCounts,
    growth: Vec<Growth>,
    suspended: Vec<SubscriberRow>,
    issues: Vec<IssueRow>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct IssueDraft {
    text: String,
    kept_at: Option<Timestamp>,
    tested_at: Option<Timestamp>,
    tested_text_is_current: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SubscriberCounts {
    confirmed: u64,
    pending: u64,
    unsubscribed: u64,
    suspended: u64,
    gained_in_30_days: i64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SubscriberRow {
    id: String,
    email: String,
    state: &'static str,
    since: Timestamp,
    says: Option<String>,
    suspended: bool,
}

impl From<Subscriber> for SubscriberRow {
    fn from(subscriber: Subscriber) -> Self {
        let refused = subscriber.refused_at.map(|time| site().day(time));
        let code = subscriber.refused_code.zip(refused);
        Self {
            says: code.map(|(code, day)| format!("{code}, {day}")),
            id: subscriber.id,
            email: subscriber.email,
            state: subscriber.state.as_str(),
            since: subscriber.consent.created_at,
            suspended: subscriber.suspended_at.is_some(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct IssueRow {
    id: String,
    subject: String,
    state: IssueState,
    at: Option<Timestamp>,
    sent: u64,
    refused: u64,
    unsure: u64,
    left: u64,
    refusals: Vec<RefusedBy>,
    says: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct RefusedBy {
    email: String,
    says: String,
}

pub async fn show(State(desk): Desk) -> Answered<Newsletter> {
    let store = &desk.parts.store;
    let now = store.now();
    let draft = store.issue_draft().await?;
    let counts = store.subscriber_counts().await?;
    let growth = store.growth(now).await?;
    let before = store.confirmed_at(&[now - MONTH]).await?[0];
    let filter = SubscriberFilter {
        suspended: true,
        limit: SUBSCRIBERS,
        ..SubscriberFilter::default()
    };
    let suspended = store.subscribers(filter).await?;
    let mut issues = Vec::new();
    for issue in store.issues(None, ISSUES).await? {
        let refusals = match issue.refused {
            0 => Vec::new(),
            _ => store.issue_refusals(&issue.issue.id, SUBSCRIBERS).await?,
        };
        let refusals = refusals
            .into_iter()
            .map(|(email, says)| RefusedBy { email, says });
        issues.push(IssueRow {
            state: issue.state(),
            at: issue.send_at.or(issue.first_sent_at),
            sent: issue.sent,
            refused: issue.refused,
            unsure: issue.unsure,
            left: issue.left,
            refusals: refusals.collect(),
            says: issue.last_error,
            id: issue.issue.id,
            subject: issue.issue.subject,
        });
    }
    let tested = draft.as_ref().and_then(|draft| draft.tested.clone());
    let text = draft.as_ref().map_or("", |draft| &draft.text);
    let is_current = tested.is_some() && tested == read(text).ok().map(|issue| issue.id);
    Ok(Json(Newsletter {
        draft: IssueDraft {
            text: text.to_owned(),
            tested_at: draft.as_ref().and_then(|draft| draft.tested_at),
            tested_text_is_current: is_current,
            kept_at: draft.map(|draft| draft.kept_at),
        },
        counts: SubscriberCounts {
            confirmed: counts.confirmed,
            pending: counts.pending,
            unsubscribed: counts.unsubscribed,
            suspended: counts.suspended,
            gained_in_30_days: counts.confirmed as i64 - before as i64,
        },
        growth,
        suspended: suspended.into_iter().map(SubscriberRow::from).collect(),
        issues,
    }))
}

#[derive(Deserialize)]
pub struct Written {
    text: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeptDraft {
    kept_at: Timestamp,
}

pub async fn keep(
    State(desk): Desk,
    JsonBody(Written { text }): JsonBody<Written>,
) -> Answered<KeptDraft> {
    if text.len() > MAX_FILE {
        let words = "The issue is larger than 256 KiB. It wasn't kept.";
        return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words));
    }
    let (store, kept_at) = (&desk.parts.store, desk.parts.store.now());
    store.keep_issue_draft(&text, kept_at).await?;
    Ok(Json(KeptDraft { kept_at }))
}

/// A link to the site that begins with a slash works in a mail, too.
fn read(text: &str) -> Result<Issue, String> {
    let no_file = path::Path::new("");
    let issue = Issue::of_file(text.as_bytes(), no_file, site(), |_| None);
    issue.map_err(|error| error.to_string())
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
    State(desk): Desk,
    JsonBody(Written { text }): JsonBody<Written>,
) -> Answered<IssuePreview> {
    let words = text
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count();
    let (subject, html, problem) = match read(&text) {
        Ok(issue) => {
            let link = format!("{}/newsletter/unsubscribe?token=preview", site().url);
            let Issue {
                subject,
                text,
                html,
                ..
            } = &issue;
            let mail = to_visitors::issue(site(), subject, text, html, &link);
            (issue.subject, mail.html, None)
        }
        Err(problem) => (String::new(), String::new(), Some(problem)),
    };
    let url = desk.previews.keep(html);
    let mail = Preview { subject, url };
    Ok(Json(IssuePreview {
        mail,
        words,
        problem,
    }))
}

impl Inner {
    /// The issue, if it may be sent in the site's name.
    fn issue(&self, text: &str) -> Result<Issue, Refusal> {
        let refuse = |words: String| Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words));
        if let Some(reason) = SiteFacts::unreadable() {
            return refuse(reason.into());
        }
        if site().location.trim().is_empty() {
            let words = "Fill in `location` in content/site.toml first: the law asks for a postal \
                address in every newsletter.";
            return refuse(words.into());
        }
        read(text).or_else(|why| refuse(format!("Not sent: {why}.")))
    }
}

pub async fn test(
    State(desk): Desk,
    Extension(by): By,
    JsonBody(Written { text }): JsonBody<Written>,
) -> Answered<Said> {
    let issue = desk.issue(&text)?;
    let failed = |why: String| {
        Refusal::new(
            StatusCode::BAD_GATEWAY,
            format!("The test wasn't sent: {why}."),
        )
    };
    let no_mail = || {
        Refusal::new(
            StatusCode::CONFLICT,
            "No mail server is set up: set FRONTDOOR_SMTP_URL.",
        )
    };
    let mail = desk.parts.settings.mail.as_ref().ok_or_else(no_mail)?;
    let own = |error: anyhow::Error| failed(error.to_string());
    let (from, all) = (mail.from().map_err(own)?, mail.notify().map_err(own)?);
    // One's own address, where it is known by the name.
    let named = all
        .iter()
        .find(|to| to.name.as_deref() == Some(by.name.as_str()));
    let to = named
        .or(all.first())
        .ok_or_else(|| failed("nobody is to be notified".into()))?;
    let (store, token) = (&desk.parts.store, LinkToken::random());
    let written = write_mail(&issue, &from, &to.email, "test", &token, store.now()).map_err(own)?;
    let server = MailServer::new(&mail.server).map_err(own)?;
    server
        .send(&written)
        .await
        .map_err(|error| failed(error.into_reason()))?;
    store.keep_issue_draft(&text, store.now()).await?;
    store.note_tested(&issue.id, store.now()).await?;
    Ok(Json(Said {
        said: format!("A test is on its way to {}.", to.email),
    }))
}

#[derive(Deserialize)]
pub struct Sending {
    text: String,
    /// In the site's zone; `None`: now.
    at: Option<String>,
}

pub async fn send(
    State(desk): Desk,
    JsonBody(Sending { text, at }): JsonBody<Sending>,
) -> Answered<Said> {
    let (store, issue) = (&desk.parts.store, desk.issue(&text)?);
    let refuse = |words: &str| Err(Refusal::new(StatusCode::CONFLICT, words));
    if desk.parts.settings.mail.is_none() {
        return refuse("No mail server is set up: set FRONTDOOR_SMTP_URL.");
    }
    let draft = store.issue_draft().await?;
    if draft.and_then(|draft| draft.tested).as_ref() != Some(&issue.id) {
        return refuse("The text was changed since the test. One more test unlocks sending.");
    }
    let counts = store.issue_counts(&issue.id).await?;
    if counts.left == 0 {
        return refuse(match counts.sent {
            0 => "Nobody has subscribed yet. Nothing was scheduled.",
            _ => "Everyone already has this issue. Nothing was scheduled.",
        });
    }
    let is_paused = store.paused_at().await?.is_some();
    if is_paused && at.is_none() {
        return refuse("Sending is paused after a restore: frontdoor deliveries resume");
    }
    let wrong = |why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, format!("The time {why}."));
    let now = store.now();
    let send_at = match &at {
        Some(text) => send_time(text, site(), now).map_err(wrong)?,
        None => now,
    };
    let json = serde_json::to_string(&issue).expect("texts and bytes only");
    let record = IssueRecord {
        id: issue.id,
        subject: issue.subject,
        file_name: WRITTEN_HERE.into(),
    };
    let schedule = NewSchedule {
        issue: record,
        content: json,
        rate: RATE,
        send_at,
    };
    store.schedule(schedule, now).await?;
    store.keep_issue_draft("", now).await?;
    let people = count(counts.left, "subscriber", "subscribers");
    Ok(Json(Said {
        said: match at {
            Some(_) => format!("It goes to {people} on {}.", site().minute(send_at)),
            None => format!("It is on its way to {people}."),
        },
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueAction {
    Pause,
    Resume,
    Cancel,
}

pub async fn act(
    State(desk): Desk,
    Path((id, action)): Path<(String, IssueAction)>,
) -> Answered<Said> {
    let (store, now) = (&desk.parts.store, desk.parts.store.now());
    let (done, said) = match action {
        IssueAction::Pause => (store.pause_issue(&id, true, now).await?, "It is paused."),
        IssueAction::Resume => (store.pause_issue(&id, false, now).await?, "It goes on."),
        IssueAction::Cancel => (store.cancel_issue(&id, now).await?, "It is cancelled."),
    };
    match done {
        true => Ok(Json(Said { said: said.into() })),
        false => Err(Refusal::new(
            StatusCode::CONFLICT,
            "It isn't scheduled any more.",
        )),
    }
}

#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    q: String,
    #[serde(default)]
    after: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Subscribers {
    subscribers: Vec<SubscriberRow>,
    after: Option<String>,
}

pub async fn subscribers(State(desk): Desk, Asked(wanted): Asked<Wanted>) -> Answered<Subscribers> {
    let store = &desk.parts.store;
    let filter = SubscriberFilter {
        search: Some(wanted.q.trim().to_lowercase()).filter(|text| !text.is_empty()),
        after: Cursor::parse(&wanted.after),
        limit: SUBSCRIBERS + 1,
        ..SubscriberFilter::default()
    };
    let mut found = store.subscribers(filter).await?;
    let is_more = found.len() > SUBSCRIBERS;
    found.truncate(SUBSCRIBERS);
    let last = found.last().filter(|_| is_more);
    let after = last.map(|last| Cursor::new(last.consent.created_at, &last.id).to_string());
    let subscribers = found.into_iter().map(SubscriberRow::from).collect();
    Ok(Json(Subscribers { subscribers, after }))
}

impl Inner {
    async fn subscriber(&self, id: &str) -> Result<Subscriber, Refusal> {
        let found = self.parts.store.subscriber_by_id(id).await?;
        found.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "This subscriber is gone."))
    }
}

pub async fn resume(State(desk): Desk, Path(id): Path<String>) -> Answered<Said> {
    let subscriber = desk.subscriber(&id).await?;
    let email = subscriber.email;
    match desk.parts.store.resume(&email).await? {
        true => Ok(Json(Said {
            said: format!("{email} gets issues again."),
        })),
        false => Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("{email} isn't suspended."),
        )),
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Proof {
    lines: Vec<ProofLine>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ProofLine {
    label: &'static str,
    value: String,
}

/// The proof of consent, as `frontdoor subscribers proof` prints it.
pub async fn proof(State(desk): Desk, Path(id): Path<String>) -> Answered<Proof> {
    let subscriber = desk.subscriber(&id).await?;
    let past = desk.parts.store.past_consents(&id).await?;
    let time = |time: Option<Timestamp>| time.map(|time| site().minute(time));
    let mut lines = vec![ProofLine {
        label: "Address",
        value: subscriber.email,
    }];
    for consent in [subscriber.consent].into_iter().chain(past) {
        let facts = [
            ("Asked", time(Some(consent.created_at))),
            ("On page", consent.page),
            ("Wording", consent.consent_text),
            ("Confirmed", time(consent.confirmed_at)),
            ("Withdrawn", time(consent.unsubscribed_at)),
            ("Imported from", consent.import_file),
            ("Given", consent.import_source),
        ];
        let known = facts.into_iter().filter_map(|(label, value)| {
            Some(ProofLine {
                label,
                value: value?,
            })
        });
        lines.extend(known);
    }
    Ok(Json(Proof { lines }))
}
