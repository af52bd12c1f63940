//! The inbox: leads by their due times, the counts of each view, and who else is signed in.

use axum::Json;
use axum::extract::Query;
use axum::response::IntoResponse;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::numbers::PromisesKept;
use super::{Desk, DeskError, JsonResponse};
use crate::content::site;
use crate::csv::{csv_header, csv_line};
use crate::domain::{SearchWords, one_line, sentence};
use crate::store::{
    AnswerWait, BookedCall, Cursor, Lead, LeadFilter, LeadState, remind_after, short_id,
};

/// The number of leads on a page of the inbox.
const PAGE: usize = 100;
/// Leads in a finished state are counted only up to here, because each browser polls every ten
/// seconds.
const COUNTED: usize = 1000;
/// How long finished leads are shown below the waiting ones.
const DONE_SHOWN: SignedDuration = SignedDuration::from_hours(7 * 24);
const MAX_DONE: usize = 50;
/// How many characters of a message a row shows, and how many of them before a search's match.
const EXCERPT: usize = 200;
const BEFORE_MATCH: usize = 30;
/// The number of days for which the share of kept promises is shown.
const PROMISE_DAYS: i64 = 30;

#[derive(Clone, Copy, Default, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InboxView {
    #[default]
    Waiting,
    Answered,
    Booked,
    Closed,
    All,
    Held,
    Spam,
}

#[derive(Deserialize)]
pub struct InboxQuery {
    #[serde(default)]
    view: InboxView,
    #[serde(default)]
    q: String,
    /// Limits the list to leads with this e-mail address.
    email: Option<String>,
    /// The cursor of the last row on the previous page.
    #[serde(default)]
    after: String,
}

impl InboxQuery {
    fn words(&self) -> Option<SearchWords> {
        SearchWords::parse(&self.q).ok()
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Inbox {
    now: Timestamp,
    counts: InboxCounts,
    leads: Vec<LeadRow>,
    after: Option<String>,
    people: Vec<Presence>,
    /// Booked for today.
    calls: Vec<BookedCall>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct InboxCounts {
    waiting: u64,
    answered: u64,
    booked: u64,
    closed: u64,
    all: u64,
    held: u64,
    spam: u64,
    late: u64,
    due: u64,
}

/// A lead as lists show it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeadRow {
    id: String,
    short_id: String,
    name: String,
    email: String,
    excerpt: String,
    source: String,
    created_at: Timestamp,
    due_at: Option<Timestamp>,
    /// From when it counts as due: a sixth of the promised time is left.
    due_soon_at: Option<Timestamp>,
    state: LeadState,
    held: bool,
    hold_reason: Option<String>,
    note: Option<String>,
    seen: bool,
    /// A reply to it is being written.
    has_draft: bool,
    outcome: Option<String>,
}

impl LeadRow {
    pub fn new(
        lead: &Lead,
        promise: SignedDuration,
        search: Option<&SearchWords>,
        call: Option<String>,
        has_draft: bool,
    ) -> Self {
        Self {
            short_id: short_id(&lead.id).to_owned(),
            excerpt: excerpt(&lead.message, search),
            source: source(lead).to_owned(),
            due_at: lead.due_at(promise),
            due_soon_at: lead.due_at(remind_after(promise)),
            held: lead.is_held,
            hold_reason: lead.why_held().map(sentence),
            id: lead.id.clone(),
            name: lead.name.clone(),
            email: lead.email.clone(),
            created_at: lead.created_at,
            state: lead.state,
            note: lead.note.clone(),
            seen: lead.seen_at.is_some(),
            has_draft,
            outcome: outcome(lead, call),
        }
    }
}

/// Describes the lead's next call, or its last one.
pub fn next_call(calls: &[BookedCall], lead: &Lead, now: Timestamp) -> Option<String> {
    let theirs: Vec<_> = calls.iter().filter(|call| call.lead == lead.id).collect();
    let ahead = theirs.iter().find(|call| call.at >= now);
    let call = ahead.or(theirs.last())?;
    Some(call.in_words(site(), now))
}

/// What became of the lead; `None` while it waits for an answer.
pub fn outcome(lead: &Lead, call: Option<String>) -> Option<String> {
    let answered = lead
        .answered_at
        .map(|time| time_between(lead.waiting_since, time));
    match (lead.state, answered) {
        (LeadState::New, _) => None,
        (LeadState::Answered, Some(span)) => Some(format!("Answered in {span}")),
        (LeadState::Answered, None) => Some("Answered".into()),
        (LeadState::Booked, _) => Some(call.unwrap_or_else(|| "A call is booked".into())),
        (LeadState::Closed, _) => Some("Closed".into()),
        (LeadState::Spam, _) => Some("Spam".into()),
    }
}

/// A span as the desk's pages write it: "38 min", "5 h", "3 days".
fn time_between(from: Timestamp, to: Timestamp) -> String {
    match to.duration_since(from).as_mins().max(1) {
        minutes @ ..60 => format!("{minutes} min"),
        minutes @ ..2_880 => format!("{} h", minutes / 60),
        minutes => format!("{} days", minutes / 1_440),
    }
}

/// The campaign, else where the visitor came from.
fn source(lead: &Lead) -> &str {
    let campaign = lead.source.get("utm_campaign");
    campaign.or_else(|| origin(lead)).unwrap_or("Direct")
}

/// Where the visitor came from.
pub fn origin(lead: &Lead) -> Option<&str> {
    let source = lead.source.get("utm_source");
    source.or_else(|| lead.source.get("referrer_host"))
}

/// The start of the message, or the text around the first match of a search.
fn excerpt(message: &str, search: Option<&SearchWords>) -> String {
    let line = one_line(message);
    let lower = line.to_lowercase();
    let found = search.and_then(|words| words.iter().filter_map(|word| lower.find(word)).min());
    let at = found.map_or(0, |byte| lower[..byte].chars().count());
    let skipped = if at > EXCERPT / 2 {
        at - BEFORE_MATCH
    } else {
        0
    };
    let mut excerpt: String = line.chars().skip(skipped).take(EXCERPT).collect();
    if skipped > 0 {
        excerpt.insert(0, '…');
    }
    excerpt
}

pub async fn list(desk: Desk, Query(query): Query<InboxQuery>) -> JsonResponse<Inbox> {
    let (store, now) = (&desk.store, desk.now);
    let search = query.words();
    let (start, end) = site().day_around(now);
    let ((mut leads, after), counts, people, calls) = tokio::try_join!(
        desk.page_of(&query, search.clone()),
        desk.counts(),
        desk.people(),
        async { Ok(store.calls(start, end).await?) },
    )?;
    if query.view == InboxView::Waiting && query.q.is_empty() && after.is_none() {
        leads.extend(store.done_since(now - DONE_SHOWN, MAX_DONE).await?);
    }
    let ids: Vec<_> = leads.iter().map(|lead| lead.id.as_str()).collect();
    let booked = store.calls_of(&ids).await?;
    let drafts = store.leads_with_draft(&ids).await?;
    let row = |lead: &Lead| {
        let (call, has_draft) = (next_call(&booked, lead, now), drafts.contains(&lead.id));
        LeadRow::new(lead, desk.promise(), search.as_ref(), call, has_draft)
    };
    Ok(Json(Inbox {
        now,
        counts,
        leads: leads.iter().map(row).collect(),
        after,
        people,
        calls,
    }))
}

/// The leads of a view as a file for a spreadsheet, as `frontdoor leads export` writes it.
pub async fn export(
    desk: Desk,
    Query(mut query): Query<InboxQuery>,
) -> Result<impl IntoResponse, DeskError> {
    let names = Lead::columns();
    let mut file = csv_header(&names, false);
    let search = query.words();
    loop {
        let (leads, after) = desk.page_of(&query, search.clone()).await?;
        let lines = leads
            .iter()
            .map(|lead| csv_line(&names, lead.cells(), false));
        file.extend(lines);
        match after {
            Some(next) => query.after = next,
            None => break,
        }
    }
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"leads.csv\""),
    ];
    Ok((headers, file))
}

/// Drops the rows beyond the page, and returns the cursor for the next page if there were any.
pub fn next_page<T>(
    found: &mut Vec<T>,
    page: usize,
    place: impl Fn(&T) -> Cursor,
) -> Option<String> {
    let is_more = found.len() > page;
    found.truncate(page);
    let last = found.last().filter(|_| is_more)?;
    Some(place(last).to_string())
}

impl Desk {
    async fn page_of(
        &self,
        query: &InboxQuery,
        search: Option<SearchWords>,
    ) -> Result<(Vec<Lead>, Option<String>), DeskError> {
        // The text has no words to search for, or more than anybody would.
        if search.is_none() && !query.q.trim().is_empty() {
            return Ok((Vec::new(), None));
        }
        let cursor = Cursor::parse(&query.after);
        if query.view == InboxView::Waiting && search.is_none() && query.email.is_none() {
            let mut leads = self.store.waiting_leads(cursor, PAGE + 1).await?;
            let place = |lead: &Lead| Cursor::new(lead.waiting_since, &lead.id);
            let after = next_page(&mut leads, PAGE, place);
            return Ok((leads, after));
        }
        let state = match query.view {
            InboxView::Waiting => Some(LeadState::New),
            InboxView::Answered => Some(LeadState::Answered),
            InboxView::Booked => Some(LeadState::Booked),
            InboxView::Closed => Some(LeadState::Closed),
            InboxView::Spam => Some(LeadState::Spam),
            InboxView::All | InboxView::Held => None,
        };
        let filter = LeadFilter {
            state,
            held: query.view == InboxView::Held,
            genuine: query.view == InboxView::Waiting,
            search,
            email: query.email.clone(),
            after: cursor,
            limit: PAGE + 1,
            ..LeadFilter::default()
        };
        let mut leads = self.store.leads(filter).await?;
        let place = |lead: &Lead| Cursor::new(lead.created_at, &lead.id);
        let after = next_page(&mut leads, PAGE, place);
        Ok((leads, after))
    }

    async fn counts(&self) -> Result<InboxCounts, DeskError> {
        let (store, promise, now) = (&self.store, self.promise(), self.now);
        let by_state = store.lead_counts(COUNTED).await?;
        let number = |state| {
            let found = by_state.iter().find(|(known, _)| *known == state);
            found.map_or(0, |(_, number)| *number)
        };
        let attention = store.attention(promise, now).await?;
        Ok(InboxCounts {
            waiting: attention.waiting(),
            answered: number(LeadState::Answered),
            booked: number(LeadState::Booked),
            closed: number(LeadState::Closed),
            all: by_state.iter().map(|(_, number)| number).sum(),
            held: attention.held,
            spam: number(LeadState::Spam),
            late: attention.overdue,
            due: attention.due,
        })
    }
}

/// A signed-in browser that was used lately.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Presence {
    id: String,
    name: String,
    this_browser: bool,
    writing_to: Option<WritingTo>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct WritingTo {
    id: String,
    name: String,
}

/// How long after its last use a browser counts as present. An open page asks every ten seconds.
const PRESENT_FOR: SignedDuration = SignedDuration::from_secs(45);

impl Desk {
    async fn people(&self) -> Result<Vec<Presence>, DeskError> {
        let (store, now) = (&self.store, self.now);
        let mut people = Vec::new();
        for session in store.desk_sessions(now).await? {
            if session.used_at + PRESENT_FOR < now {
                continue;
            }
            let lead = match session.writing_to(now) {
                Some(id) => store.lead(id).await?,
                None => None,
            };
            people.push(Presence {
                this_browser: session.id == self.by.id,
                id: session.id,
                name: session.name,
                writing_to: lead.map(|Lead { id, name, .. }| WritingTo { id, name }),
            });
        }
        Ok(people)
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Summary {
    promises: PromisesKept,
    /// The number of days that `promises` are about.
    days: i64,
    faults: u64,
}

pub async fn summary(desk: Desk) -> JsonResponse<Summary> {
    let days = PROMISE_DAYS;
    // The same days as on the page of numbers.
    let first = desk.now - SignedDuration::from_hours(24 * (days - 1));
    let (since, _) = site().day_around(first);
    let waits = desk.store.answer_waits(since, desk.now).await?;
    let (in_time, of) = AnswerWait::kept(&waits, desk.promise());
    Ok(Json(Summary {
        promises: PromisesKept { in_time, of },
        days,
        faults: desk.store.given_up_to_retry().await?,
    }))
}
