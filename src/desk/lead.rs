//! One lead: everything known about it, and what the owner does with it.

use axum::Json;
use axum::extract::Path;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::inbox::{LeadRow, next_call, origin, outcome};
use super::newsletter::SubscriberRow;
use super::reply::ReplyDraft;
use super::{Desk, DeskError, JsonBody, JsonResponse, Message, confirm};
use crate::content::site;
use crate::domain::{Note, count, email_key, sentence};
use crate::spam::{self, HOLD_FROM};
use crate::store::{
    ActionOutcome, BookingService, Delivery, DeliveryFilter, DeliveryKind, DeliveryState, Lead,
    LeadAction, LeadChange, LeadEvent, LeadFilter, LeadState, Residue, Retry,
};

/// How many earlier messages of the person a page shows.
const MAX_BEFORE: usize = 50;
const MAX_DELIVERIES: usize = 100;
/// How many waiting leads can be reached with the page's arrows.
const MAX_WAITING: usize = 5_000;

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeadPage {
    lead: WholeLead,
    position: Option<Position>,
    before: Vec<EarlierMessage>,
    subscriber: Option<SubscriberRow>,
    spam: SpamVerdict,
    deliveries: Vec<DeliveryRow>,
    history: Vec<HistoryEntry>,
    reply: ReplyDraft,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct WholeLead {
    #[serde(flatten)]
    row: LeadRow,
    message: String,
    phone: Option<String>,
    form: String,
    origin: Option<String>,
    landing_path: Option<String>,
    campaign: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Position {
    number: usize,
    of: usize,
    previous: Option<String>,
    next: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct EarlierMessage {
    id: String,
    created_at: Timestamp,
    excerpt: String,
    outcome: String,
}

/// What the spam filter found, in sentences.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SpamVerdict {
    verdict: &'static str,
    score: f64,
    held_from: f64,
    reasons: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DeliveryRow {
    id: String,
    what: &'static str,
    summary: String,
    at: Option<Timestamp>,
    failing: bool,
    can_retry: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct HistoryEntry {
    at: Timestamp,
    who: Option<String>,
    what: String,
}

pub async fn show(desk: Desk, Path(id): Path<String>) -> JsonResponse<LeadPage> {
    let (store, lead) = (&desk.store, desk.lead(&id).await?);
    let theirs = DeliveryFilter {
        contact_id: Some(id.clone()),
        limit: MAX_DELIVERIES,
        ..DeliveryFilter::default()
    };
    let deliveries = store.deliveries(theirs).await?;
    let changes = store.lead_changes(&id).await?.into_iter();
    let mut history: Vec<_> = changes.rev().map(entry).collect();
    history.push(arrival(&lead, store.booked_through(&id).await?));
    let call = next_call(&store.calls_of(&[&id]).await?, &lead, desk.now);
    let subscriber = store.subscriber(&lead.email).await?;
    let reply = desk.reply_draft(&lead).await?;
    Ok(Json(LeadPage {
        position: desk.position(&id).await?,
        before: desk.before(&lead).await?,
        subscriber: subscriber.map(SubscriberRow::from),
        spam: verdict(&lead),
        deliveries: deliveries.iter().map(DeliveryRow::new).collect(),
        history,
        lead: WholeLead {
            row: LeadRow::new(&lead, desk.promise(), None, call, reply.is_draft),
            origin: origin(&lead).map(str::to_owned),
            landing_path: lead.source.get("landing_path").map(str::to_owned),
            campaign: lead.source.get("utm_campaign").map(str::to_owned),
            form: lead.form_location,
            message: lead.message,
            phone: lead.phone,
        },
        reply,
    }))
}

impl Desk {
    pub(super) async fn lead(&self, id: &str) -> Result<Lead, DeskError> {
        let lead = self.store.lead(id).await?;
        lead.ok_or_else(DeskError::unknown_lead)
    }

    async fn position(&self, id: &str) -> Result<Option<Position>, DeskError> {
        let waiting = self.store.waiting_ids(MAX_WAITING).await?;
        let at = waiting.iter().position(|each| each == id);
        let id_at = |at: Option<usize>| waiting.get(at?).cloned();
        Ok(at.map(|at| Position {
            number: at + 1,
            of: waiting.len(),
            previous: id_at(at.checked_sub(1)),
            next: id_at(Some(at + 1)),
        }))
    }

    /// The person's other messages, newest first.
    async fn before(&self, lead: &Lead) -> Result<Vec<EarlierMessage>, DeskError> {
        let filter = LeadFilter {
            email: Some(lead.email.clone()),
            limit: MAX_BEFORE,
            ..LeadFilter::default()
        };
        let all = self.store.leads(filter).await?;
        let earlier = all.into_iter().filter(|each| each.id != lead.id);
        Ok(earlier
            .map(|each| EarlierMessage {
                outcome: outcome(&each, None).unwrap_or_else(|| "Waits for an answer".into()),
                excerpt: each.message.chars().take(120).collect(),
                id: each.id,
                created_at: each.created_at,
            })
            .collect())
    }
}

fn verdict(lead: &Lead) -> SpamVerdict {
    let verdict = match (lead.state, lead.hold_reason.is_some()) {
        (LeadState::Spam, _) => "You marked it as spam",
        (_, true) if lead.released_at.is_some() => "You said that it isn't spam",
        (_, true) => "It was held back",
        _ => "Reads like a real enquiry",
    };
    let reasons = lead.spam_reasons.iter();
    SpamVerdict {
        verdict,
        score: spam::sum(&lead.spam_reasons),
        held_from: HOLD_FROM,
        reasons: reasons.map(|each| sentence(&each.reason)).collect(),
    }
}

impl DeliveryRow {
    pub fn new(delivery: &Delivery) -> Self {
        let minute = |time: Timestamp| site().minute(time);
        let why = delivery.last_error.as_deref().unwrap_or("no answer");
        let summary = match (delivery.state, delivery.attempts) {
            (DeliveryState::Delivered, _) => "Accepted".to_owned(),
            (DeliveryState::Held, _) => "Held back until you release or reopen the lead".into(),
            (DeliveryState::GivenUp, _) => format!("Given up: {why}"),
            (DeliveryState::Pending, 0) => "On its way".into(),
            (DeliveryState::Pending, tries) => {
                let next = delivery.next_attempt_at.map(minute).unwrap_or_default();
                let times = count(tries.into(), "time", "times");
                format!("Failed {times} ({why}). Next try at {next}.")
            }
        };
        let failing = delivery.state == DeliveryState::GivenUp
            || delivery.state == DeliveryState::Pending && delivery.attempts > 0;
        Self {
            id: delivery.id.clone(),
            what: kind_name(delivery.kind),
            summary,
            at: delivery.finished_at.or(delivery.next_attempt_at),
            failing,
            can_retry: failing && !delivery.is_refused,
        }
    }
}

fn kind_name(kind: DeliveryKind) -> &'static str {
    match kind {
        DeliveryKind::AutoReply => "Thank-you",
        DeliveryKind::Reply => "Your reply",
        DeliveryKind::LeadMail => "To you",
        DeliveryKind::LeadWebhook => "Webhook",
        DeliveryKind::ReminderMail => "Reminder to you",
        DeliveryKind::ReminderWebhook => "Reminder to the webhook",
        DeliveryKind::CallCancelled => "Cancelled call, to you",
        DeliveryKind::HeldNotice => "Notice of held leads",
        DeliveryKind::Confirm => "Confirmation request",
        DeliveryKind::Digest => "Daily digest",
        DeliveryKind::FaultMail | DeliveryKind::FaultWebhook => "Fault report",
    }
}

fn arrival(lead: &Lead, booked: Option<BookingService>) -> HistoryEntry {
    let what = match booked {
        Some(service) => format!("booked a call through {}", service.name()),
        None => format!("wrote through the form on the {} page", lead.form_location),
    };
    HistoryEntry {
        at: lead.created_at,
        who: None,
        what: format!("{} {what}", lead.name),
    }
}

fn entry(change: LeadChange) -> HistoryEntry {
    let what = match change.what {
        LeadEvent::State if change.state == LeadState::New => "opened it again".into(),
        LeadEvent::State => format!("marked it {}", change.state.as_str()),
        LeadEvent::Noted => "wrote a note".into(),
        LeadEvent::Released => "marked it as not spam".into(),
        LeadEvent::Replied => "replied".into(),
        LeadEvent::Moved => "moved the call".into(),
        LeadEvent::Undone => "undid that".into(),
    };
    HistoryEntry {
        at: change.changed_at,
        who: change.who,
        what,
    }
}

/// What was done, in words, and how to undo it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {
    message: String,
    undo: Option<Undo>,
    next: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undo {
    lead: String,
    number: u32,
}

impl Desk {
    async fn act(&self, lead: Lead, action: LeadAction, done: &str) -> JsonResponse<Done> {
        let position = self.position(&lead.id).await?;
        let next = position.and_then(|position| position.next.or(position.previous));
        let changed = self
            .store
            .act_on_lead(&lead.id, action, Some(&self.by.name), self.now);
        let (message, number) = match changed.await? {
            ActionOutcome::Done(changed) => {
                (format!("{} {done}.", lead.name), Some(changed.number))
            }
            ActionOutcome::Already => (format!("Nothing changed: {} {done}.", lead.name), None),
            ActionOutcome::IsSpam => {
                return Err(DeskError::conflict("It is spam: open it again first."));
            }
            ActionOutcome::UnknownLead => return Err(DeskError::unknown_lead()),
        };
        let lead = lead.id;
        Ok(Json(Done {
            message,
            undo: number.map(|number| Undo { lead, number }),
            next,
        }))
    }
}

#[derive(Deserialize)]
pub struct NewState {
    state: String,
    /// The state that this browser shows: another browser may have changed it since.
    from: Option<String>,
}

pub async fn set_state(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(NewState { state, from }): JsonBody<NewState>,
) -> JsonResponse<Done> {
    let wrong = |_| DeskError::invalid("There is no such state.");
    let state: LeadState = state.parse().map_err(wrong)?;
    let done = match state {
        LeadState::New => "waits for an answer again",
        LeadState::Answered => "is answered",
        LeadState::Booked => "has a call booked",
        LeadState::Closed => "is closed",
        LeadState::Spam => "is marked as spam: nothing more is sent about it",
    };
    let lead = desk.lead(&id).await?;
    let found = lead.state.as_str();
    if from.is_some_and(|from| from != found) {
        let message = format!("{} is {found} now. Nothing was changed.", lead.name);
        return Err(DeskError::conflict(message));
    }
    desk.act(lead, LeadAction::Mark(state), done).await
}

#[derive(Deserialize)]
pub struct NewNote {
    note: String,
    /// The note that this browser shows.
    from: Option<String>,
}

pub async fn set_note(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(NewNote { note, from }): JsonBody<NewNote>,
) -> JsonResponse<Done> {
    let note = Note::parse(&note).map_err(DeskError::invalid)?;
    let done = match note {
        Some(_) => "has your note",
        None => "has no note any more",
    };
    let lead = desk.lead(&id).await?;
    if from.is_some_and(|from| from != lead.note.as_deref().unwrap_or_default()) {
        let message = format!(
            "{} has another note by now. Nothing was changed.",
            lead.name
        );
        return Err(DeskError::conflict(message));
    }
    desk.act(lead, LeadAction::Note(note), done).await
}

pub async fn release(desk: Desk, Path(id): Path<String>) -> JsonResponse<Done> {
    let lead = desk.lead(&id).await?;
    if lead.state == LeadState::Spam {
        let reopen = LeadAction::Mark(LeadState::New);
        return desk.act(lead, reopen, "isn't spam and waits again").await;
    }
    let done = "is released: what was held goes out now";
    desk.act(lead, LeadAction::Release, done).await
}

pub async fn undo(desk: Desk, JsonBody(undo): JsonBody<Undo>) -> JsonResponse<Message> {
    let name = desk.lead(&undo.lead).await?.name;
    let (Undo { lead, number }, who) = (undo, Some(desk.by.name.as_str()));
    if desk.store.undo_change(&lead, number, who, desk.now).await? {
        confirm(format!("Undone: {name} is as before."))
    } else {
        Err(DeskError::conflict(format!(
            "Something else was done with {name} since. Nothing was changed."
        )))
    }
}

pub async fn seen(desk: Desk, Path(id): Path<String>) -> Result<StatusCode, DeskError> {
    desk.store.record_seen(&id, desk.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub struct Writing {
    writing: bool,
}

pub async fn writing(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(Writing { writing }): JsonBody<Writing>,
) -> Result<StatusCode, DeskError> {
    let (session, lead) = (&desk.by.id, writing.then_some(id.as_str()));
    desk.store.record_writing(session, lead, desk.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn retry(desk: Desk, Path(id): Path<String>) -> JsonResponse<Message> {
    match desk
        .store
        .retry_deliveries(Retry::One(id), desk.now)
        .await?
    {
        0 => Err(DeskError::conflict(
            "It is on its way, has arrived, or is about spam. Nothing was changed.",
        )),
        _ => confirm("Trying again now."),
    }
}

/// Does the same as `frontdoor deliveries retry --all`.
pub async fn retry_all(desk: Desk) -> JsonResponse<Message> {
    let number = desk.store.retry_deliveries(Retry::All, desk.now).await?;
    let deliveries = count(number, "delivery is", "deliveries are");
    confirm(format!("{deliveries} tried again now."))
}

#[derive(Deserialize)]
pub struct Forget {
    /// The address that the owner typed to confirm.
    email: String,
}

pub async fn forget(
    desk: Desk,
    Path(id): Path<String>,
    JsonBody(Forget { email }): JsonBody<Forget>,
) -> JsonResponse<Message> {
    let lead = desk.lead(&id).await?;
    if email_key(email.trim()) != email_key(&lead.email) {
        let message = "This isn't the person's address. Nothing was removed.";
        return Err(DeskError::invalid(message));
    }
    let gone = desk.store.forget(&lead.email).await?;
    let leads = count(gone.contacts, "lead", "leads");
    let rest = match gone.remains {
        Residue::None => String::new(),
        Residue::UntilVacuum => " The database server overwrites it at its next VACUUM.".into(),
        Residue::InFiles(why) => {
            format!(" Traces may be left in the database's files ({why}): forget them again later.")
        }
    };
    confirm(format!(
        "Removed {leads}, and all else about this person.{rest}"
    ))
}
