//! Leads: adding and listing them, and when they are due. A lead is a row of `contacts`: the table
//! and `/api/contacts` keep that older word.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use uuid::Uuid;

use super::deliveries::{self, UNLEASED};
use super::select::Select;
use super::tx::{Row, Tx, Value, args, record};
use super::{Cursor, DeliveryKind, Result, Store};
use crate::domain::{
    Contact, FormLocation, HoldReason, IdempotencyKey, Note, SearchWords, Source, email_key,
    word_enum,
};
use crate::spam::{Assessment, Reason};

/// An address gets one automatic reply in this time, however many forms contain it, so that our
/// form can't be used to flood it.
pub const AUTO_REPLY_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// Identical forms without a key within this time are one lead.
const RESUBMISSION_WINDOW: Duration = Duration::from_secs(60);

/// The same text from another address within this time counts as spam.
pub const SPAM_REPEAT_WINDOW: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many of the latest leads with the same text are compared: a flood of them must not slow down
/// the next.
const MAX_SAME_TEXTS: u32 = 8;

/// The time between two notices of held leads: a flood of spam must not flood the owner with mail.
pub const HELD_NOTICE_PAUSE: Duration = Duration::from_secs(60 * 60);
/// The lock for notices of held leads and for counting these leads.
pub(super) const HELD_NOTICES: &str = "held notices";
/// A condition: the lead waits for the owner's decision.
pub(super) const IS_HELD: &str = "contacts.hold_reason IS NOT NULL
    AND contacts.released_at IS NULL AND contacts.state = 'new'";

/// A condition: the lead isn't answered, and the visitor waits.
pub(super) const IS_WAITING: &str = "contacts.state = 'new'
    AND (contacts.hold_reason IS NULL OR contacts.released_at IS NOT NULL)";
/// An expression: since when the visitor waits.
pub(super) const WAITING_SINCE: &str =
    "coalesce(contacts.reopened_at, contacts.released_at, contacts.created_at)";

/// The length of a short id, taken from the end: ids start with their time, so those of one minute
/// start alike.
pub const SHORT_ID: usize = 8;

/// The end of an id, as lists and mails show it.
pub fn short_id(id: &str) -> &str {
    let start = id.len().saturating_sub(SHORT_ID);
    id.get(start..).unwrap_or(id)
}

word_enum!(
    /// The state that the owner has given a lead.
    #[derive(Default)]
    LeadState {
        /// No action yet: the visitor waits, unless the lead is held.
        #[default]
        New = "new",
        Answered = "answered",
        /// The visitor has booked a call.
        Booked = "booked",
        Closed = "closed",
        /// Not a real enquiry: no delivery is sent for it.
        Spam = "spam",
    }
);

impl LeadState {
    /// The state is part of the SQL text: a partial index is only used if the query names it.
    fn condition(self) -> String {
        match self {
            Self::New => "contacts.state = 'new'".into(),
            other => format!(
                "contacts.state = '{}' AND contacts.state <> 'new'",
                other.as_str()
            ),
        }
    }
}

/// A lead to be stored together with its deliveries.
#[derive(Debug, Clone)]
pub struct NewLead {
    pub contact: Contact,
    pub source: Source,
    /// A held lead is stored like any other, but its deliveries wait for the owner.
    pub hold: Option<HoldReason>,
    /// Based on its own text; the store adds how many others sent the same.
    pub spam: Assessment,
    pub idempotency_key: Option<IdempotencyKey>,
    /// The log's id of the request that created it.
    pub request_id: Option<String>,
    /// The deliveries that the settings require.
    pub deliveries: Vec<DeliveryKind>,
    /// Only a lead from another system has a state other than `New`.
    pub state: LeadState,
    pub note: Option<Note>,
}

impl NewLead {
    /// A lead of unknown source that isn't held and has no key or deliveries.
    pub fn new(contact: Contact) -> Self {
        Self {
            contact,
            source: Source::default(),
            hold: None,
            spam: Assessment::default(),
            idempotency_key: None,
            request_id: None,
            deliveries: Vec::new(),
            state: LeadState::New,
            note: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedLead {
    pub id: String,
    /// False if its key or its text was stored before; `id` is then the earlier lead's.
    pub created: bool,
    /// Why it is held; `None` if it was stored before.
    pub hold: Option<HoldReason>,
}

/// A stored lead. Its fields are plain strings, because a row may predate the current rules.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct Lead {
    pub id: String,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub message: String,
    pub form_location: String,
    pub created_at: Timestamp,
    pub hold_reason: Option<String>,
    pub released_at: Option<Timestamp>,
    /// Its deliveries wait until the owner releases it or changes its state.
    #[serde(skip)]
    pub is_held: bool,
    /// Since when the visitor waits, if they do.
    #[serde(skip)]
    pub waiting_since: Timestamp,
    /// Why a held lead looks like spam, strongest reason first.
    pub spam_reasons: Vec<Reason>,
    pub state: LeadState,
    /// When it was first answered, unless it was reopened.
    pub answered_at: Option<Timestamp>,
    pub note: Option<String>,
    /// When somebody first opened it at the desk.
    #[serde(skip)]
    pub seen_at: Option<Timestamp>,
    pub source: Source,
}

/// Personal data must not reach a log through a stray `{:?}`.
impl std::fmt::Debug for Lead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lead({})", self.id)
    }
}

impl Lead {
    /// The columns of a query for [`Lead::read`].
    pub(super) fn sql_columns() -> String {
        format!("contacts.*, ({IS_HELD}) AS is_held, {WAITING_SINCE} AS waiting_since")
    }

    pub(super) fn read(row: &Row) -> Result<Self> {
        let reasons: Option<String> = row.get("spam_reasons")?;
        // Unreadable reasons must not hide a lead.
        let reasons = reasons.and_then(|json| serde_json::from_str(&json).ok());
        let source = Source::FIELDS.map(|name| row.get(name).unwrap_or_default());
        record!(row => Self: id, name, email, phone, message, form_location, created_at,
            hold_reason, released_at, is_held, waiting_since, state, answered_at, note, seen_at;
            spam_reasons: reasons.unwrap_or_default(), source: Source::from_values(source))
    }

    /// When the promised answer is due; `None` if no visitor is waiting.
    pub fn due_at(&self, promise: SignedDuration) -> Option<Timestamp> {
        let waits = self.state == LeadState::New && !self.is_held;
        let due = self.waiting_since.saturating_add(promise);
        waits.then(|| due.unwrap_or(Timestamp::MAX))
    }
}

/// Which leads to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct LeadFilter {
    pub since: Option<Timestamp>,
    /// Only held leads.
    pub held: bool,
    /// Only leads that are neither held nor spam.
    pub genuine: bool,
    pub state: Option<LeadState>,
    pub location: Option<FormLocation>,
    /// The name of the referring site or campaign.
    pub source: Option<String>,
    /// Every word must occur in name, address, phone, message or note.
    pub search: Option<SearchWords>,
    /// The address, in any spelling.
    pub email: Option<String>,
    /// Only leads after this position in the list.
    pub after: Option<Cursor>,
    pub limit: usize,
}

impl Store {
    /// Stores a lead and its deliveries in one transaction. With a known idempotency key nothing is
    /// stored and the first lead's id is returned, even if the text differs: the first was already
    /// acknowledged.
    pub async fn add_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let key = email_key(lead.contact.email.as_str());
        self.write_lead(now, move |tx| add(tx, &lead, &key)).await
    }

    /// Stores a lead from a form that can't have a key: identical forms within a minute are one
    /// lead.
    pub async fn add_form_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let key = email_key(lead.contact.email.as_str());
        self.write_lead(now, move |tx| match find_resubmitted(tx, &lead, &key)? {
            Some(id) => Ok(already_stored(id)),
            None => add(tx, &lead, &key),
        })
        .await
    }

    /// Stores leads from another system with the times when they arrived there; nothing is sent
    /// for them. Returns how many were new: one with the same address, time and message is a
    /// duplicate.
    pub async fn import_leads(&self, leads: Vec<(NewLead, Timestamp)>) -> Result<u64> {
        self.write(move |tx| {
            tx.lock("import of leads")?;
            let mut new = 0;
            for (lead, time) in &leads {
                let key = email_key(lead.contact.email.as_str());
                // An export for a spreadsheet has whole seconds.
                let last = if time.subsec_nanosecond() == 0 {
                    *time + SignedDuration::from_micros(999_999)
                } else {
                    *time
                };
                let sql = "SELECT 1 FROM contacts WHERE email_key = $1
                    AND created_at BETWEEN $2 AND $3 AND message = $4";
                if !tx.exists(sql, args![&key, *time, last, lead.contact.message.as_str()])? {
                    insert(tx, lead, &key, None, None, *time)?;
                    new += 1;
                }
            }
            Ok(new)
        })
        .await
    }

    pub async fn lead(&self, id: &str) -> Result<Option<Lead>> {
        let sql = format!("SELECT {} FROM contacts WHERE id = $1", Lead::sql_columns());
        Ok(self.query(&sql, args![id], Lead::read).await?.pop())
    }

    pub async fn leads(&self, filter: LeadFilter) -> Result<Vec<Lead>> {
        let columns = Lead::sql_columns();
        let mut select = Select::new(&format!("SELECT {columns} FROM contacts WHERE true"));
        select.and_if("contacts.created_at >= ?", filter.since);
        if filter.held {
            select.and(IS_HELD);
        }
        if filter.genuine {
            select.and(&format!("contacts.state <> 'spam' AND NOT ({IS_HELD})"));
        }
        if let Some(state) = filter.state {
            select.and(&state.condition());
        }
        select.and_if("contacts.form_location = ?", filter.location);
        select.and_if(
            "? IN (lower(utm_source), lower(utm_campaign), lower(referrer_host))",
            filter.source.map(|source| source.to_lowercase()),
        );
        let key = filter.email.map(|email| email_key(&email));
        select.and_if("contacts.email_key = ?", key);
        for word in filter.search.iter().flat_map(SearchWords::iter) {
            and_contains(&mut select, word);
        }
        let (after, limit) = (filter.after, filter.limit);
        select
            .newest(self, "contacts", after, limit, Lead::read)
            .await
    }

    /// Leads that wait for an answer, longest first.
    pub async fn waiting_leads(&self, after: Option<Cursor>, limit: usize) -> Result<Vec<Lead>> {
        let after = after.unwrap_or_else(|| Cursor::new(Timestamp::UNIX_EPOCH, ""));
        let sql = format!(
            "SELECT {} FROM contacts WHERE {IS_WAITING} AND ({WAITING_SINCE}, id) > ($1, $2)
            ORDER BY {WAITING_SINCE}, id LIMIT $3",
            Lead::sql_columns()
        );
        let values = args![after.created_at, after.id, limit];
        self.query_readable("contacts", &sql, values, Lead::read)
            .await
    }

    /// The ids of leads that wait for an answer, longest first.
    pub async fn waiting_ids(&self, limit: usize) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT id FROM contacts WHERE {IS_WAITING} ORDER BY {WAITING_SINCE}, id LIMIT $1"
        );
        self.query(&sql, args![limit], |row| row.at(0)).await
    }

    /// Leads marked answered, booked or closed since this time, latest first.
    pub async fn done_since(&self, since: Timestamp, limit: usize) -> Result<Vec<Lead>> {
        // Reads the leads' latest changes from the newest on, until there are enough.
        let sql = format!(
            "SELECT {} FROM contact_changes AS latest
                JOIN contacts ON contacts.id = latest.contact_id
            WHERE latest.changed_at > $1 AND contacts.state IN ('answered', 'booked', 'closed')
                AND NOT EXISTS (SELECT 1 FROM contact_changes AS later
                    WHERE later.contact_id = latest.contact_id AND later.number > latest.number)
            ORDER BY latest.changed_at DESC, latest.contact_id DESC LIMIT $2",
            Lead::sql_columns()
        );
        self.query_readable("contacts", &sql, args![since, limit], Lead::read)
            .await
    }

    /// The number of leads in each state, counted up to `limit`.
    pub async fn lead_counts(&self, limit: usize) -> Result<Vec<(LeadState, u64)>> {
        let counts = LeadState::ALL.iter().map(|state| {
            let (word, which) = (state.as_str(), state.condition());
            // In the order of their index, so that PostgreSQL uses it.
            let some = format!("SELECT 1 FROM contacts WHERE {which} ORDER BY created_at LIMIT $1");
            format!("SELECT '{word}' AS state, count(*) AS number FROM ({some}) AS counted")
        });
        let sql = counts.collect::<Vec<_>>().join(" UNION ALL ");
        let read = |row: &Row| Ok((row.get("state")?, row.get("number")?));
        self.query(&sql, args![limit], read).await
    }

    /// The waits of leads since this time that were answered or still wait, newest lead first.
    pub async fn answer_waits(&self, since: Timestamp, now: Timestamp) -> Result<Vec<AnswerWait>> {
        self.read(move |tx| answer_waits(tx, since, now)).await
    }

    /// Notes that somebody has opened the lead at the desk.
    pub async fn record_seen(&self, id: &str, now: Timestamp) -> Result<()> {
        let sql = "UPDATE contacts SET seen_at = $2 WHERE id = $1 AND seen_at IS NULL";
        self.execute(sql, args![id, now]).await.map(drop)
    }

    /// Some ids of leads that end in this text.
    pub async fn lead_ids_ending(&self, end: &str) -> Result<Vec<String>> {
        self.ids_ending(end, "contacts").await
    }
}

/// SQLite's `LIKE` and PostgreSQL's `ILIKE` with the collation "C" ignore the case of ASCII letters
/// only, so other words are searched in lower case, in upper case and capitalized.
fn and_contains(select: &mut Select, word: &str) {
    let mut conditions = Vec::new();
    let upper = word.to_uppercase();
    let capitalized: String = upper.chars().take(1).chain(word.chars().skip(1)).collect();
    for spelling in [word.to_owned(), upper, capitalized] {
        let pattern = select.placeholder(format!("%{spelling}%"));
        for column in ["name", "email", "phone", "message", "note"] {
            conditions.push(format!("contacts.{column} {{like}} {pattern}"));
        }
        if word.is_ascii() {
            break;
        }
    }
    select.and(&format!("({})", conditions.join(" OR ")));
}

/// How long a visitor waited for an answer, or has waited until now.
#[derive(Debug, Clone, Copy)]
pub struct AnswerWait {
    pub lead_created_at: Timestamp,
    pub waited: SignedDuration,
    pub is_answered: bool,
}

impl AnswerWait {
    /// How many of these were answered in time, and how many were answered or are late.
    pub fn kept<'a>(
        all: impl IntoIterator<Item = &'a Self>,
        promise: SignedDuration,
    ) -> (usize, usize) {
        let (mut kept, mut total) = (0, 0);
        for each in all {
            let in_time = each.waited <= promise;
            kept += usize::from(in_time && each.is_answered);
            total += usize::from(!in_time || each.is_answered);
        }
        (kept, total)
    }
}

/// See [`Store::answer_waits`].
pub(super) fn answer_waits(
    tx: &mut Tx<'_>,
    since: Timestamp,
    now: Timestamp,
) -> Result<Vec<AnswerWait>> {
    let sql = format!(
        "SELECT id, created_at, {WAITING_SINCE} AS since, answered_at FROM contacts
        WHERE created_at >= $1 AND state <> 'spam' AND NOT ({IS_HELD})
            AND (answered_at IS NOT NULL OR {IS_WAITING})
        ORDER BY created_at DESC"
    );
    let read = |row: &Row| -> Result<_> {
        let answered_at: Option<Timestamp> = row.get("answered_at")?;
        let since: Timestamp = row.get("since")?;
        Ok(AnswerWait {
            lead_created_at: row.get("created_at")?,
            waited: answered_at.unwrap_or(now).duration_since(since),
            is_answered: answered_at.is_some(),
        })
    };
    let rows = tx.query(&sql, args![since])?;
    Ok(tx.readable(&rows, "contacts", read))
}

fn already_stored(id: String) -> AddedLead {
    AddedLead {
        id,
        created: false,
        hold: None,
    }
}

pub(super) fn add(tx: &mut Tx<'_>, lead: &NewLead, email_key: &str) -> Result<AddedLead> {
    let others = match &lead.spam.fingerprint {
        Some(text_key) => others_with_same_text(tx, text_key, email_key)?,
        None => 0,
    };
    let spam = lead.spam.clone().repeated(others);
    let by_score = spam.is_spam().then_some(HoldReason::SpamScore);
    let hold = lead.hold.or(by_score);
    let reasons = hold.map(|_| spam.into_reasons());
    let reasons = reasons.filter(|reasons| !reasons.is_empty());
    let reasons = reasons.and_then(|reasons| serde_json::to_string(&reasons).ok());
    let now = tx.now;
    let Some(id) = insert(tx, lead, email_key, hold, reasons, now)? else {
        let key = lead.idempotency_key.as_ref().map(IdempotencyKey::as_str);
        let sql = "SELECT id FROM contacts WHERE idempotency_key = $1";
        return Ok(already_stored(tx.value(sql, args![key])?));
    };
    for &kind in &lead.deliveries {
        let repeated = kind == DeliveryKind::AutoReply && was_replied_to(tx, email_key)?;
        if !repeated {
            let due = hold.is_none().then_some(tx.now);
            deliveries::add(tx, kind, Some(&id), due)?;
        }
    }
    if hold.is_some() && lead.deliveries.contains(&DeliveryKind::LeadMail) {
        notify_of_held(tx, &id)?;
    }
    Ok(AddedLead {
        id,
        created: true,
        hold,
    })
}

/// Returns the new id; `None` if the idempotency key is known.
fn insert(
    tx: &mut Tx<'_>,
    lead: &NewLead,
    email_key: &str,
    hold: Option<HoldReason>,
    reasons: Option<String>,
    created_at: Timestamp,
) -> Result<Option<String>> {
    let id = Uuid::now_v7().to_string();
    let key = lead.idempotency_key.as_ref().map(IdempotencyKey::as_str);
    let mut row = vec![
        ("id", Value::from(&id)),
        ("form_location", lead.contact.form_location.into()),
        ("created_at", created_at.into()),
        ("email_key", email_key.into()),
        ("text_key", (&lead.spam.fingerprint).into()),
        ("idempotency_key", key.into()),
        ("request_id", (&lead.request_id).into()),
        ("hold_reason", hold.into()),
        ("spam_reasons", reasons.into()),
        ("state", lead.state.into()),
        ("note", lead.note.as_ref().map(Note::as_str).into()),
    ];
    let entered = lead.contact.entered();
    row.extend(entered.map(|(field, value)| (field.name, value.into())));
    let source = lead.source.values();
    row.extend(
        Source::FIELDS
            .into_iter()
            .zip(source.iter().map(Value::from)),
    );
    let (columns, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
    let known = "ON CONFLICT (idempotency_key) DO NOTHING";
    Ok((tx.insert("contacts", &columns, &values, known)? > 0).then_some(id))
}

/// Finds the lead of a form without JavaScript that was sent twice. Such a form has no key.
fn find_resubmitted(tx: &mut Tx<'_>, lead: &NewLead, email_key: &str) -> Result<Option<String>> {
    if lead.idempotency_key.is_some() {
        return Ok(None);
    }
    tx.lock(&format!("leads of {email_key}"))?;
    let since = tx.now - RESUBMISSION_WINDOW;
    let sql = "SELECT contacts.* FROM contacts WHERE email_key = $1 AND created_at > $2
        AND idempotency_key IS NULL AND form_location = $3 ORDER BY created_at";
    let rows = tx.query(sql, args![email_key, since, lead.contact.form_location])?;
    let is_same = |row: &&Row| {
        let mut entered = lead.contact.entered();
        entered.all(|(field, value)| row.get(field.name) == Ok(Value::from(value)))
    };
    rows.iter()
        .find(is_same)
        .map(|row| row.get("id"))
        .transpose()
}

/// How many other addresses recently sent the same text.
fn others_with_same_text(tx: &mut Tx<'_>, text_key: &str, email_key: &str) -> Result<u32> {
    // Concurrent leads wait for each other, so that each sees those before it.
    tx.lock(&format!("text {text_key}"))?;
    let sql = "SELECT count(DISTINCT email_key) FROM (
            SELECT email_key FROM contacts WHERE text_key = $1 AND created_at > $2
            ORDER BY created_at DESC LIMIT $3) AS latest
        WHERE email_key <> $4";
    let since = tx.now - SPAM_REPEAT_WINDOW;
    tx.value(sql, args![text_key, since, MAX_SAME_TEXTS, email_key])
}

fn was_replied_to(tx: &mut Tx<'_>, email_key: &str) -> Result<bool> {
    tx.lock(&format!("leads of {email_key}"))?;
    let sql = "SELECT 1 FROM contacts JOIN deliveries ON deliveries.contact_id = contacts.id
        WHERE contacts.email_key = $1 AND deliveries.kind = 'auto_reply'
            AND deliveries.created_at > $2";
    tx.exists(sql, args![email_key, tx.now - AUTO_REPLY_PAUSE])
}

/// A condition: a pending notice of held leads. One that is being sent doesn't count, because it
/// has already read the number.
const WAITING_NOTICE: &str = "kind = 'held_notice' AND state = 'pending'";

/// Notifies the owner of held leads, in at most one mail an hour, which contains their number at
/// the time of sending.
fn notify_of_held(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    tx.lock(HELD_NOTICES)?;
    let waiting = format!("SELECT 1 FROM deliveries WHERE {WAITING_NOTICE} AND {UNLEASED}");
    if tx.exists(&waiting, args![tx.now])? {
        return Ok(());
    }
    let sql = "SELECT max(coalesce(finished_at, next_attempt_at, created_at))
        FROM deliveries WHERE kind = 'held_notice'";
    let last: Option<Timestamp> = tx.value(sql, &[])?;
    let next = last.map_or(tx.now, |last| last + HELD_NOTICE_PAUSE);
    // A notice waits no longer than the pause, even if the clock was set back.
    let due = next.clamp(tx.now, tx.now + HELD_NOTICE_PAUSE);
    deliveries::add(tx, DeliveryKind::HeldNotice, Some(id), Some(due)).map(drop)
}

pub(super) fn withdraw_notice_if_none_is_left(tx: &mut Tx<'_>) -> Result<()> {
    tx.lock(HELD_NOTICES)?;
    let sql = format!(
        "DELETE FROM deliveries WHERE {WAITING_NOTICE} AND {UNLEASED}
            AND NOT EXISTS (SELECT 1 FROM contacts WHERE {IS_HELD})"
    );
    tx.execute(&sql, args![tx.now]).map(drop)
}
