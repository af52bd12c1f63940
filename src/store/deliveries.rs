//! Deliveries: what is to reach the owner, a visitor or a program, and how far it is.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::pause::DROPPED;
use super::{DeliveryKind, Invitation, Lead, Result, Store, Unreadable, on_engine};
use crate::domain::stored_enum;

/// Longer than any lane asks for, shorter than a clock is set back by.
pub const LONGEST_LEASE: Duration = Duration::from_secs(5 * 60);

/// What fails so often is given up.
pub const MOST_ATTEMPTS: u32 = 10;

/// After so long it is looked at again whether a delivery can be read.
pub(super) const UNREADABLE_PAUSE: Duration = Duration::from_secs(60 * 60);

/// In one transaction: others wait for it.
pub const MOST_REPLANNED: u32 = 500;

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

/// A delivery that is ours to send until its lease ends.
#[derive(Debug, Clone)]
pub struct Claim {
    pub delivery_id: String,
    pub kind: DeliveryKind,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Proves to the store that the claim is still ours.
    pub token: String,
    /// Those of its recipients who have it already.
    pub reached: Vec<String>,
    /// The request that brought its lead in, as the log calls it.
    pub request_id: Option<String>,
    pub about: About,
}

/// Whom a delivery is about.
#[derive(Debug, Clone)]
pub enum About {
    Lead(Box<Lead>),
    /// So many leads are held, and this is the latest of them.
    Held {
        lead: Box<Lead>,
        number: u64,
    },
    Subscriber(Invitation),
    /// Nobody: what it says is gathered when it is sent.
    Site,
}

/// What became of a claimed delivery. Reasons are free of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Retry { at: Timestamp, reason: String },
    GivenUp { reason: String },
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

impl Store {
    /// Newest first.
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        let read = on_engine!(self, db => db.deliveries(filter).await)?;
        Ok(self.passed_over.note(read))
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        on_engine!(self, db => db.delivery_counts().await)
    }

    /// Some ids that end so, of deliveries that [`Store::retry`] may start over.
    pub async fn retriable_ending(&self, end: &str) -> Result<Vec<String>> {
        on_engine!(self, db => db.retriable_ending(end.to_owned()).await)
    }

    /// Starts given-up or waiting deliveries over; returns how many.
    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        let retried = on_engine!(self, db => db.retry(which, now).await)?;
        self.wakeups.wake();
        Ok(retried)
    }

    /// Takes up to `limit` due deliveries of these kinds for `lease`. A claim
    /// whose lease has ended without an outcome is due again. One that cannot be
    /// read is put off, so that it neither is in the way of the others nor comes
    /// up again at once.
    pub async fn claim(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        self.claim_except(kinds, limit, lease, Vec::new(), now)
            .await
    }

    /// The same without those that the caller is sending: a clock that jumps
    /// may end their lease too early.
    pub async fn claim_except(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        busy: Vec<String>,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        let read = on_engine!(self, db => db.claim(kinds, limit, lease, busy, now).await)?;
        for Unreadable { id, reason, .. } in &read.unreadable {
            tracing::error!(
                id,
                reason,
                "a delivery cannot be read and waits: frontdoor check"
            );
        }
        Ok(self.passed_over.note(read))
    }

    /// Pulls in what a clock that was set back has moved into the far future.
    /// True when there is more of it than one transaction may hold.
    pub async fn replan(&self, kinds: &'static [DeliveryKind], now: Timestamp) -> Result<bool> {
        on_engine!(self, db => db.replan(kinds, now).await)
    }

    /// Writes down what became of a claim. False when the claim had ended
    /// and somebody else's outcome counts. What was delivered shows that its
    /// channel works.
    pub async fn record(&self, claim: &Claim, outcome: Outcome, now: Timestamp) -> Result<bool> {
        let (id, token) = (claim.delivery_id.clone(), claim.token.clone());
        let channel = claim.kind.channel();
        on_engine!(self, db => db.record(id, token, channel, outcome, now).await)
    }

    /// Writes down who of several recipients has it: a retry is for the others.
    pub async fn note_reached(&self, claim: &Claim, reached: &[String]) -> Result<()> {
        let all = [&claim.reached[..], reached].concat();
        let all = serde_json::Value::from(all).to_string();
        let (id, channel) = (claim.delivery_id.clone(), claim.kind.channel());
        on_engine!(self, db => db.note_reached(id, all, channel).await)
    }

    /// Removes a claimed delivery that has nothing to say any more.
    pub async fn drop_claimed(&self, claim: &Claim) -> Result<()> {
        let (id, token) = (claim.delivery_id.clone(), claim.token.clone());
        on_engine!(self, db => db.drop_claimed(id, token).await)
    }
}

/// As it is stored; nothing that can be read means nobody.
pub(super) fn reached(stored: Option<&str>) -> Vec<String> {
    let read = stored.and_then(|json| serde_json::from_str(json).ok());
    read.unwrap_or_default()
}
