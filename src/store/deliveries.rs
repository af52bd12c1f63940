//! Deliveries: what is to reach the owner, a visitor or a program, and how far
//! it is.

use std::fmt::Display;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::tx::{Row, Tx, Value, args, record};
use super::{Result, Store};
use crate::domain::stored_enum;

/// No lease lasts longer: one that ends later is from before the clock was set
/// back, and has ended.
pub const LONGEST_LEASE: Duration = Duration::from_secs(5 * 60);
/// No pause between two attempts is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60 * 60);
/// What fails so often is given up.
pub const MOST_ATTEMPTS: u32 = 10;
/// Why a delivery was given up that the owner did not want sent after a restore.
const DROPPED: &str = "dropped after a restore";
/// No more of a kind are counted: counting very many takes too long.
const MOST_COUNTED: u32 = 2_000;

stored_enum!(
    /// How far a delivery is.
    DeliveryState {
        /// To be sent now or at its next attempt.
        Pending = "pending",
        /// Waits until the owner releases the lead.
        Held = "held",
        /// Accepted by the receiver.
        Delivered = "delivered",
        /// Never accepted; the owner may retry it.
        GivenUp = "given_up",
    }
);

stored_enum!(
    /// Where a delivery goes.
    DeliveryKind {
        /// To the automation webhook.
        Webhook = "webhook",
        /// To the owner, by e-mail.
        Notify = "notify",
        /// To the visitor, by e-mail.
        AutoReply = "auto_reply",
        /// To a new subscriber, who is asked to confirm.
        Confirm = "confirm",
        /// To the owner, by e-mail: a lead is held back.
        HeldNotice = "held_notice",
        /// To the owner, by e-mail: a lead waits, and little of the promise is left.
        DueMail = "due_mail",
        /// The same to the automation webhook.
        DueWebhook = "due_webhook",
        /// To the owner, by e-mail: what waits and what fails, once a day.
        Digest = "digest",
        /// To the owner, by e-mail: the webhook accepts nothing.
        FaultMail = "fault_mail",
        /// To the webhook: mail is not accepted, so nobody was told of this lead.
        FaultWebhook = "fault_webhook",
    }
);

stored_enum!(
    /// A way to the owner. When one fails, the other tells of it.
    Channel {
        Mail = "mail",
        Webhook = "webhook",
    }
);

impl DeliveryKind {
    /// About a subscriber.
    pub fn is_for_subscriber(self) -> bool {
        self == Self::Confirm
    }

    /// About nobody; all others are about a lead.
    pub fn is_about_site(self) -> bool {
        matches!(self, Self::Digest | Self::FaultMail)
    }

    /// Only worth sending while its lead waits for an answer.
    pub fn is_reminder(self) -> bool {
        matches!(self, Self::DueMail | Self::DueWebhook)
    }

    /// Addressed to somebody other than the owner and the owner's programs.
    pub fn is_for_visitor(self) -> bool {
        matches!(self, Self::AutoReply | Self::Confirm)
    }

    /// Addressed to the owner; all others to a visitor or a program.
    pub fn is_for_owner(self) -> bool {
        self.channel() == Channel::Mail && !self.is_for_visitor()
    }

    /// The way it goes.
    pub fn channel(self) -> Channel {
        match self {
            Self::Webhook | Self::DueWebhook | Self::FaultWebhook => Channel::Webhook,
            _ => Channel::Mail,
        }
    }
}

/// A stored delivery.
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
}

impl Delivery {
    /// The mail server refused the visitor's address for good: nothing else ends a
    /// mail to a visitor before its last attempt.
    pub fn is_refused(&self) -> bool {
        let ended_early = self.state == DeliveryState::GivenUp && self.attempts < MOST_ATTEMPTS;
        let was_dropped = self.last_error.as_deref() == Some(DROPPED);
        ended_early && !was_dropped && self.kind.is_for_visitor()
    }
}

/// Which deliveries to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    pub contact_id: Option<String>,
    pub state: Option<DeliveryState>,
    pub kind: Option<DeliveryKind>,
    pub since: Option<Timestamp>,
    pub limit: usize,
}

/// Which deliveries to send again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    One(String),
    /// All that were given up or wait for another attempt, but for what
    /// [`Delivery::is_refused`], and what was dropped after a restore.
    All,
}

/// How many deliveries are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryCounts {
    pub pending: u64,
    pub held: u64,
    pub delivered: u64,
    pub given_up: u64,
}

impl DeliveryCounts {
    pub fn of(&mut self, state: DeliveryState) -> &mut u64 {
        match state {
            DeliveryState::Pending => &mut self.pending,
            DeliveryState::Held => &mut self.held,
            DeliveryState::Delivered => &mut self.delivered,
            DeliveryState::GivenUp => &mut self.given_up,
        }
    }

    pub fn by_state(mut self) -> impl Iterator<Item = (&'static str, u64)> {
        let states = DeliveryState::ALL.iter();
        states.map(move |state| (state.as_str(), *self.of(*state)))
    }
}

/// The pending deliveries of one kind, for the metrics; numbers stop at 2,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub kind: DeliveryKind,
    /// To be sent now or at their next attempt.
    pub pending: u64,
    /// Those of them that have failed before.
    pub retrying: u64,
    /// When the oldest of them was stored.
    pub oldest: Option<Timestamp>,
}

/// The deliveries of one kind that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingKind {
    /// As it is stored: a later version may have more kinds.
    pub kind: String,
    pub number: u64,
    /// Those of them that were there before a time.
    pub before: u64,
    /// When the oldest of them was stored.
    pub oldest: Option<Timestamp>,
}

/// What was not sent after a restore.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    pub deliveries: u64,
    /// Of the newsletter.
    pub issues: u64,
}

/// In a query that looks for something to send.
pub(super) const NOT_PAUSED: &str = "NOT EXISTS (SELECT 1 FROM sending_pause)";

/// In a query: nobody is sending it right now. `{now}` and `{longest}` are the
/// places of the present and of the longest lease from now.
pub(super) fn unleased(now: &str, longest: &str) -> String {
    format!("(lease_until IS NULL OR lease_until <= {now} OR lease_until > {longest})")
}

pub(super) fn longest_lease(now: Timestamp) -> Timestamp {
    now.saturating_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX)
}

/// Whom a new delivery is about.
pub(super) enum Subject<'a> {
    Lead(&'a str),
    Subscriber(&'a str),
    /// Nobody in particular.
    Site,
}

/// Held when it is not due at any time.
pub(super) fn add(
    tx: &mut Tx<'_>,
    subject: Subject<'_>,
    kind: DeliveryKind,
    due: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let (lead, subscriber) = match subject {
        Subject::Lead(id) => (Some(id), None),
        Subject::Subscriber(id) => (None, Some(id)),
        Subject::Site => (None, None),
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
        args![id, lead, subscriber, kind, state, due, now],
    )?;
    tx.wake();
    Ok(())
}

/// What still waits of this kind says nothing that the next one does not.
pub(super) fn replace(tx: &mut Tx<'_>, kind: DeliveryKind, now: Timestamp) -> Result<()> {
    let free = unleased("$2", "$3");
    let sql = format!("DELETE FROM deliveries WHERE state = 'pending' AND kind = $1 AND {free}");
    tx.execute(&sql, args![kind, now, longest_lease(now)])?;
    Ok(())
}

/// In a query: how many there are, counted up to a limit.
pub(super) fn limited_count(most: impl Display, from: &str) -> String {
    format!("(SELECT count(*) FROM (SELECT 1 AS one FROM {from} LIMIT {most}) AS counted)")
}

impl Store {
    /// Newest first.
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        self.read(move |tx| {
            let mut sql =
                "SELECT deliveries.*, coalesce(contacts.name, subscribers.email) AS person
                FROM deliveries LEFT JOIN contacts ON contacts.id = contact_id
                    LEFT JOIN subscribers ON subscribers.id = subscriber_id
                WHERE true"
                    .to_owned();
            let mut values: Vec<Value> = Vec::new();
            let mut narrow = |condition: &str, value: Value| {
                values.push(value);
                sql += &format!(" AND {condition} ${}", values.len());
            };
            if let Some(id) = &filter.contact_id {
                narrow("contact_id =", id.into());
            }
            if let Some(state) = filter.state {
                narrow("deliveries.state =", state.into());
            }
            if let Some(kind) = filter.kind {
                narrow("kind =", kind.into());
            }
            if let Some(since) = filter.since {
                narrow("deliveries.created_at >=", since.into());
            }
            values.push(filter.limit.into());
            let limit = values.len();
            sql +=
                &format!(" ORDER BY deliveries.created_at DESC, deliveries.id DESC LIMIT ${limit}");
            let rows = tx.query(&sql, &values)?;
            Ok(tx.readable(&rows, "deliveries", delivery))
        })
        .await
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        self.read(|tx| {
            let sql = "SELECT state, count(*) AS number FROM deliveries GROUP BY state";
            let mut counts = DeliveryCounts::default();
            for row in tx.query(sql, &[])? {
                if let Ok(state) = row.get("state") {
                    *counts.of(state) = row.get("number")?;
                }
            }
            Ok(counts)
        })
        .await
    }

    /// One for each kind there is. The oldest is looked for among the thousand
    /// that have waited longest.
    pub async fn backlog(&self) -> Result<Vec<Backlog>> {
        let kinds = DeliveryKind::ALL.iter().map(|kind| {
            let kind = kind.as_str();
            let some = format!("deliveries WHERE state = 'pending' AND kind = '{kind}'");
            let pending = limited_count(MOST_COUNTED, &some);
            let retrying = limited_count(MOST_COUNTED, &format!("{some} AND attempts > 0"));
            format!("SELECT '{kind}' AS kind, {pending} AS pending, {retrying} AS retrying")
        });
        let kinds = kinds.collect::<Vec<_>>().join(" UNION ALL ");
        let sql = format!(
            "SELECT kinds.kind, pending, retrying, oldest.created_at AS oldest
            FROM ({kinds}) AS kinds LEFT JOIN (
                SELECT kind, min(created_at) AS created_at FROM (
                    SELECT kind, created_at FROM deliveries WHERE state = 'pending'
                    ORDER BY created_at, id LIMIT 1000) AS first
                GROUP BY kind) AS oldest ON oldest.kind = kinds.kind"
        );
        let read = |row: &Row| {
            record!(
                row,
                Backlog {
                    kind,
                    pending,
                    retrying,
                    oldest
                }
            )
        };
        self.query(&sql, &[], read).await
    }

    /// Some ids that end so, of deliveries that [`Store::retry`] may start over.
    pub async fn retriable_ending(&self, end: &str) -> Result<Vec<String>> {
        let sql = "SELECT id FROM deliveries WHERE state IN ('pending', 'given_up')
            AND substr(id, length(id) - length($1) + 1) = $1 ORDER BY id LIMIT 10";
        self.query(sql, args![end], |row| row.at(0)).await
    }

    /// Starts given-up or waiting deliveries over; returns how many. One that is
    /// being sent right now is left alone, and so is one that has arrived or is
    /// about spam.
    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        let start_over = "UPDATE deliveries SET state = 'pending', attempts = 0,
            next_attempt_at = $1, finished_at = NULL WHERE";
        let not_leased = unleased("$1", "$2");
        let not_spam = "NOT EXISTS (SELECT 1 FROM contacts
            WHERE contacts.id = deliveries.contact_id AND contacts.state = 'spam')";
        self.write(move |tx| {
            tx.wake();
            let longest = longest_lease(now);
            match &which {
                Retry::One(id) => tx.execute(
                    &format!(
                        "{start_over} id = $3 AND state IN ('pending', 'given_up')
                            AND {not_leased} AND {not_spam}"
                    ),
                    args![now, longest, id],
                ),
                Retry::All => tx.execute(
                    &format!(
                        "{start_over} ((state = 'given_up' AND {not_spam}
                                AND last_error IS DISTINCT FROM '{DROPPED}' AND NOT
                                (kind IN ('auto_reply', 'confirm') AND attempts < {MOST_ATTEMPTS}))
                            OR (state = 'pending' AND attempts > 0)) AND {not_leased}"
                    ),
                    args![now, longest],
                ),
            }
        })
        .await
    }

    /// Since when nothing is sent, after a restore.
    pub async fn paused_at(&self) -> Result<Option<Timestamp>> {
        self.value("SELECT max(paused_at) FROM sending_pause", &[])
            .await
    }

    /// What is to be sent now or at its next attempt, by kind.
    pub async fn waiting_kinds(&self, before: Timestamp) -> Result<Vec<WaitingKind>> {
        let sql = "SELECT kind, count(*) AS number,
                count(CASE WHEN created_at <= $1 THEN 1 END) AS earlier,
                min(created_at) AS oldest
            FROM deliveries WHERE state = 'pending' GROUP BY kind ORDER BY kind";
        let read = |row: &Row| {
            let (before, oldest) = (row.get("earlier")?, row.get("oldest").ok());
            record!(row, WaitingKind { kind, number; before: before, oldest: oldest })
        };
        self.query(sql, args![before], read).await
    }

    /// Ends the pause. With `drop_before` the deliveries that were there before are
    /// given up, and the issues that were due before are cancelled.
    pub async fn end_pause(
        &self,
        drop_before: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Dropped> {
        self.write(move |tx| {
            let mut dropped = Dropped::default();
            if let Some(before) = drop_before {
                dropped.deliveries = tx.execute(
                    "UPDATE deliveries SET state = 'given_up', next_attempt_at = NULL,
                        last_error = $3, finished_at = $2, lease_token = NULL,
                        lease_until = NULL
                    WHERE state = 'pending' AND created_at <= $1",
                    args![before, now, DROPPED],
                )?;
                dropped.issues = tx.execute(
                    "UPDATE newsletter_schedules SET state = 'cancelled', last_error = $3,
                        finished_at = $2, lease_token = NULL, lease_until = NULL
                    WHERE state = 'scheduled' AND send_at <= $1",
                    args![before, now, DROPPED],
                )?;
            }
            tx.execute("DELETE FROM sending_pause", &[])?;
            tx.wake();
            Ok(dropped)
        })
        .await
    }

    /// What is planned for later than any pause could last was planned before the
    /// clock was set back: it is due now.
    pub async fn bring_back_plans(&self, now: Timestamp) -> Result<()> {
        let latest = now.saturating_add(LONGEST_PAUSE).unwrap_or(Timestamp::MAX);
        self.write(move |tx| {
            tx.execute(
                "UPDATE deliveries SET next_attempt_at = $1
                WHERE state = 'pending' AND next_attempt_at > $2",
                args![now, latest],
            )?;
            tx.execute(
                "UPDATE newsletter_schedules SET next_attempt_at = $1
                WHERE state = 'scheduled' AND attempts > 0 AND next_attempt_at > $2",
                args![now, latest],
            )?;
            Ok(())
        })
        .await
    }
}

pub(super) fn delivery(row: &Row) -> Result<Delivery> {
    record!(
        row,
        Delivery {
            id,
            contact_id,
            subscriber_id,
            kind,
            state,
            attempts,
            next_attempt_at,
            last_error,
            created_at,
            finished_at,
            person
        }
    )
}
