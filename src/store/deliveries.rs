//! Deliveries to the owner, visitors or the webhook, and their states.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::select::Select;
use super::tx::{Row, Tx, args, record};
use super::{Result, Store};
use crate::domain::word_enum;

pub const MAX_LEASE: Duration = Duration::from_secs(5 * 60);
/// The longest delay between two attempts.
const MAX_PAUSE: Duration = Duration::from_secs(30 * 60 * 60);
/// A delivery is given up after this many failures.
pub const MAX_ATTEMPTS: u32 = 10;
/// The reason of deliveries that the owner dropped after a restore.
const DROPPED: &str = "dropped after a restore";

/// A condition for queries that look for deliveries to send.
pub(super) const NOT_PAUSED: &str = "NOT EXISTS (SELECT 1 FROM sending_pause)";
/// A statement that makes deliveries due at `$1` as if they had never been tried.
pub(super) const RESTART: &str = "UPDATE deliveries SET state = 'pending', attempts = 0,
    next_attempt_at = $1, finished_at = NULL, lease_token = NULL, lease_until = NULL";
/// A condition with the current time as `$1`: the row isn't being sent.
pub(super) const UNLEASED: &str = "(lease_until IS NULL OR lease_until <= $1)";

word_enum!(
    DeliveryState {
        /// To be sent now or at its next attempt.
        Pending = "pending",
        /// Held back until the owner releases or reopens the lead.
        Held = "held",
        /// Accepted by the receiver.
        Delivered = "delivered",
        /// Never accepted; the owner may retry it.
        GivenUp = "given_up",
    }
);

word_enum!(
    /// The content and the receiver of a delivery.
    DeliveryKind {
        /// A lead, to the automation webhook.
        LeadWebhook = "webhook",
        /// A lead, to the owner by mail.
        LeadMail = "notify",
        /// An automatic reply, to the visitor by mail.
        AutoReply = "auto_reply",
        /// The owner's reply from the desk, to the visitor.
        Reply = "reply",
        /// A confirmation request, to a new subscriber.
        Confirm = "confirm",
        /// To the owner by mail: leads are held.
        HeldNotice = "held_notice",
        /// To the owner by mail: a lead is waiting, and the promised time is nearly over.
        ReminderMail = "due_mail",
        /// To the owner by mail: a call was cancelled, and the visitor waits again.
        CallCancelled = "call_cancelled",
        /// The same as `ReminderMail`, to the automation webhook.
        ReminderWebhook = "due_webhook",
        /// To the owner by mail: waiting leads and failures, once a day.
        Digest = "digest",
        /// To the owner by mail: the webhook accepts nothing.
        FaultMail = "fault_mail",
        /// To the webhook: mail isn't accepted, so the owner wasn't notified of this lead.
        FaultWebhook = "fault_webhook",
    }
);

word_enum!(
    /// A way to reach the owner. If one fails, it is reported over the other.
    Channel {
        Mail = "mail",
        Webhook = "webhook",
    }
);

impl DeliveryKind {
    /// The channel, and whether it goes to the visitor rather than to the owner.
    fn destination(self) -> (Channel, bool) {
        match self {
            Self::LeadWebhook | Self::ReminderWebhook | Self::FaultWebhook => {
                (Channel::Webhook, false)
            }
            Self::AutoReply | Self::Reply | Self::Confirm => (Channel::Mail, true),
            Self::LeadMail
            | Self::ReminderMail
            | Self::CallCancelled
            | Self::HeldNotice
            | Self::Digest
            | Self::FaultMail => (Channel::Mail, false),
        }
    }

    pub fn is_for_visitor(self) -> bool {
        self.destination().1
    }

    pub fn is_for_owner(self) -> bool {
        self.destination() == (Channel::Mail, false)
    }

    pub fn channel(self) -> Channel {
        self.destination().0
    }

    /// The wanted kinds as a list in SQL.
    pub(super) fn sql_list(is_wanted: impl Fn(Self) -> bool) -> String {
        let wanted = Self::ALL.iter().filter(|kind| is_wanted(**kind));
        let words: Vec<_> = wanted.map(|kind| format!("'{}'", kind.as_str())).collect();
        words.join(", ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delivery {
    pub id: String,
    pub contact_id: Option<String>,
    pub subscriber_id: Option<String>,
    pub kind: DeliveryKind,
    pub state: DeliveryState,
    pub attempts: u32,
    pub next_attempt_at: Option<Timestamp>,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The visitor's name, or the subscriber's address.
    pub person: Option<String>,
    /// Whether the mail server refused the visitor's address permanently, and the owner needn't do
    /// anything about it.
    #[serde(skip)]
    pub is_refused: bool,
}

impl Delivery {
    pub(super) fn read(row: &Row) -> Result<Self> {
        record!(row => Self: id, contact_id, subscriber_id, kind, state, attempts,
            next_attempt_at, last_error, created_at, finished_at, person, is_refused)
    }
}

/// Which deliveries to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    pub contact_id: Option<String>,
    pub state: Option<DeliveryState>,
    pub kind: Option<DeliveryKind>,
    pub since: Option<Timestamp>,
    /// Only deliveries that were tried.
    pub tried: bool,
    pub limit: usize,
}

/// Which deliveries to retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    One(String),
    /// All that were given up or wait for another attempt, except those that were refused
    /// ([`Delivery::is_refused`]) or dropped after a restore.
    All,
}

/// The pending deliveries of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub kind: DeliveryKind,
    pub pending: u64,
    /// Deliveries that have failed before.
    pub retrying: u64,
    /// Deliveries stored before the given time.
    pub earlier: u64,
    /// When the oldest was stored.
    pub oldest: Option<Timestamp>,
}

impl Backlog {
    /// How many deliveries of a channel have failed before.
    pub fn failing(all: &[Self], channel: Channel) -> u64 {
        let of_channel = all.iter().filter(|each| each.kind.channel() == channel);
        of_channel.map(|each| each.retrying).sum()
    }
}

/// The number of items not sent after a restore.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    pub deliveries: u64,
    pub issues: u64,
}

/// Adds a delivery and returns its id; without a due time it is held. `about` is the id of its lead,
/// or of its subscriber; `None` if it is about no person in particular.
pub(super) fn add(
    tx: &mut Tx<'_>,
    kind: DeliveryKind,
    about: Option<&str>,
    due: Option<Timestamp>,
) -> Result<String> {
    let (lead, subscriber) = match kind {
        DeliveryKind::Confirm => (None, about),
        _ => (about, None),
    };
    let state = match due {
        Some(_) => DeliveryState::Pending,
        None => DeliveryState::Held,
    };
    let id = Uuid::now_v7().to_string();
    tx.execute(
        "INSERT INTO deliveries (id, contact_id, subscriber_id, kind, state, next_attempt_at,
            created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (contact_id, kind) WHERE kind IN ('due_mail', 'due_webhook') DO NOTHING",
        args![&id, lead, subscriber, kind, state, due, tx.now],
    )?;
    tx.wake();
    Ok(id)
}

/// Adds a delivery that is due now and deletes a pending one of the same kind, which is outdated.
pub(super) fn replace(tx: &mut Tx<'_>, kind: DeliveryKind, lead: Option<&str>) -> Result<()> {
    let sql =
        format!("DELETE FROM deliveries WHERE state = 'pending' AND kind = $2 AND {UNLEASED}");
    tx.execute(&sql, args![tx.now, kind])?;
    let due = Some(tx.now);
    add(tx, kind, lead, due).map(drop)
}

const NOT_SPAM: &str = "NOT EXISTS (SELECT 1 FROM contacts
    WHERE contacts.id = deliveries.contact_id AND contacts.state = 'spam')";

/// A condition: the mail server refused the visitor's address permanently, because nothing else ends
/// a mail to a visitor before its last attempt. The owner's own reply is a fault until the lead is
/// changed, for example marked as answered.
fn is_refused() -> String {
    format!(
        "deliveries.state = 'given_up' AND attempts < {MAX_ATTEMPTS}
        AND deliveries.last_error IS DISTINCT FROM '{DROPPED}' AND kind IN ({})
        AND (kind <> '{}' OR EXISTS (SELECT 1 FROM contact_changes
            WHERE contact_changes.contact_id = deliveries.contact_id
                AND changed_at > deliveries.finished_at))",
        DeliveryKind::sql_list(DeliveryKind::is_for_visitor),
        DeliveryKind::Reply.as_str()
    )
}

/// A condition: given up, but neither refused for good nor dropped after a restore.
fn can_be_retried() -> String {
    format!(
        "state = 'given_up' AND {NOT_SPAM} AND last_error IS DISTINCT FROM '{DROPPED}'
        AND NOT ({})",
        is_refused()
    )
}

impl Store {
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        let mut select = Select::new(&format!(
            "SELECT deliveries.*, coalesce(contacts.name, subscribers.email) AS person,
                {} AS is_refused
            FROM deliveries LEFT JOIN contacts ON contacts.id = contact_id
                LEFT JOIN subscribers ON subscribers.id = subscriber_id
            WHERE true",
            is_refused()
        ));
        select.and_if("contact_id = ?", filter.contact_id);
        select.and_if("deliveries.state = ?", filter.state);
        select.and_if("kind = ?", filter.kind);
        select.and_if("deliveries.created_at >= ?", filter.since);
        if filter.tried {
            select.and("attempts > 0");
        }
        let limit = filter.limit;
        select
            .newest(self, "deliveries", None, limit, Delivery::read)
            .await
    }

    /// The number of deliveries in a state; slow for `Delivered`.
    pub async fn count_deliveries(&self, state: DeliveryState) -> Result<u64> {
        let sql = "SELECT count(*) FROM deliveries WHERE state = $1";
        self.value(sql, args![state]).await
    }

    /// The number of given-up deliveries that [`Retry::All`] restarts.
    pub async fn given_up_to_retry(&self) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM deliveries WHERE {}", can_be_retried());
        self.value(&sql, &[]).await
    }

    /// The number of deliveries that a mail server refused for good.
    pub async fn refused_count(&self) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM deliveries WHERE {}", is_refused());
        self.value(&sql, &[]).await
    }

    /// Returns one entry per kind. `before` is for [`Backlog::earlier`].
    pub async fn backlog(&self, before: Timestamp) -> Result<Vec<Backlog>> {
        let sql = "SELECT kind AS id, kind, count(*) AS pending,
                count(CASE WHEN attempts > 0 THEN 1 END) AS retrying,
                count(CASE WHEN created_at <= $1 THEN 1 END) AS earlier,
                min(created_at) AS oldest
            FROM deliveries WHERE state = 'pending' GROUP BY kind";
        let read = |row: &Row| record!(row => Backlog: kind, pending, retrying, earlier, oldest);
        let found = self
            .query_readable("deliveries", sql, args![before], read)
            .await?;
        let backlog_of = |kind| {
            let found = found.iter().find(|each| each.kind == kind);
            found.copied().unwrap_or(Backlog {
                kind,
                pending: 0,
                retrying: 0,
                earlier: 0,
                oldest: None,
            })
        };
        Ok(DeliveryKind::ALL.iter().copied().map(backlog_of).collect())
    }

    /// Some ids ending in `end`, of deliveries that [`Store::retry_deliveries`] may restart.
    pub async fn retriable_ending(&self, end: &str) -> Result<Vec<String>> {
        let retriable = "deliveries WHERE state IN ('pending', 'given_up')";
        self.ids_ending(end, &format!("(SELECT id FROM {retriable}) AS retriable"))
            .await
    }

    /// Restarts given-up or waiting deliveries and returns how many. A delivery that is being sent,
    /// has arrived or is about spam isn't changed.
    pub async fn retry_deliveries(&self, which: Retry, now: Timestamp) -> Result<u64> {
        let mut values = args![now].to_vec();
        let chosen = match which {
            Retry::One(id) => {
                values.push(id.into());
                format!("id = $2 AND state IN ('pending', 'given_up') AND {NOT_SPAM}")
            }
            Retry::All => format!(
                "(({}) OR (state = 'pending' AND attempts > 0))",
                can_be_retried()
            ),
        };
        let sql = format!("{RESTART} WHERE {UNLEASED} AND {chosen}");
        self.write_at(now, move |tx| {
            tx.wake();
            tx.execute(&sql, &values)
        })
        .await
    }

    /// Since when sending has been paused after a restore.
    pub async fn paused_at(&self) -> Result<Option<Timestamp>> {
        self.value("SELECT max(paused_at) FROM sending_pause", &[])
            .await
    }

    /// Ends the pause. With `drop_before`, deliveries created before that time are given up, and
    /// issues due before it are cancelled.
    pub async fn end_pause(
        &self,
        drop_before: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Dropped> {
        self.write_at(now, move |tx| {
            let mut dropped = Dropped::default();
            if let Some(before) = drop_before {
                let end = format!(
                    "last_error = '{DROPPED}', finished_at = $2, lease_token = NULL,
                    lease_until = NULL"
                );
                let deliveries = format!(
                    "UPDATE deliveries SET state = 'given_up', next_attempt_at = NULL, {end}
                    WHERE state = 'pending' AND created_at <= $1"
                );
                let issues = format!(
                    "UPDATE newsletter_schedules SET state = 'cancelled', {end}
                    WHERE state = 'scheduled' AND send_at <= $1"
                );
                dropped.deliveries = tx.execute(&deliveries, args![before, now])?;
                dropped.issues = tx.execute(&issues, args![before, now])?;
            }
            tx.execute("DELETE FROM sending_pause", &[])?;
            tx.wake();
            Ok(dropped)
        })
        .await
    }

    /// Corrects times after the clock was set back: an attempt scheduled later than any delay is
    /// due now, and a lease that lasts longer than any lease expires now.
    pub async fn fix_future_times(&self, now: Timestamp) -> Result<()> {
        self.write_at(now, move |tx| {
            for (table, state, planned) in [
                ("deliveries", "pending", "true"),
                // The first attempt is at the owner's chosen time, which may be far ahead.
                ("newsletter_schedules", "scheduled", "attempts > 0"),
            ] {
                let plans = format!(
                    "UPDATE {table} SET next_attempt_at = $1
                    WHERE state = '{state}' AND {planned} AND next_attempt_at > $2"
                );
                let leases = format!(
                    "UPDATE {table} SET lease_until = $1
                    WHERE state = '{state}' AND lease_until > $2"
                );
                tx.execute(&plans, args![now, now + MAX_PAUSE])?;
                tx.execute(&leases, args![now, now + MAX_LEASE])?;
            }
            Ok(())
        })
        .await
    }
}
