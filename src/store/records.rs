//! What goes into the store and what comes out of it, in no database's types.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::Invitation;
use crate::domain::{Contact, HoldReason, IdempotencyKey, Source, stored_enum};

/// One automatic reply per address in this time, however many forms name it:
/// nobody can be flooded with mail through us.
pub const AUTO_REPLY_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// One notice of held leads in this time: a flood of spam must not become one
/// of mail to the owner.
pub const HELD_NOTICE_PAUSE: Duration = Duration::from_secs(60 * 60);

/// A lead to be stored together with the deliveries it calls for.
#[derive(Debug, Clone)]
pub struct NewLead {
    pub contact: Contact,
    pub source: Source,
    /// Set: stored like any other, its deliveries wait for the owner.
    pub hold: Option<HoldReason>,
    pub idempotency_key: Option<IdempotencyKey>,
    /// Which deliveries the present settings ask for.
    pub deliveries: Vec<DeliveryKind>,
}

impl NewLead {
    /// Of unknown source, not held, without a key; nothing is to be delivered.
    pub fn new(contact: Contact) -> Self {
        Self {
            contact,
            source: Source::default(),
            hold: None,
            idempotency_key: None,
            deliveries: Vec::new(),
        }
    }
}

/// The answer to a stored lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedLead {
    pub id: String,
    /// False when it was known, by its key or its words: the id is the first
    /// one's.
    pub created: bool,
}

/// A stored lead. Plain strings: a row may be older than today's rules.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
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
    pub source: Source,
}

impl Lead {
    /// Kept back from delivery and not released yet.
    pub fn is_held(&self) -> bool {
        self.hold_reason.is_some() && self.released_at.is_none()
    }
}

/// Personal data must not reach a log through a stray `{:?}`.
impl std::fmt::Debug for Lead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lead({})", self.id)
    }
}

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
    }
);

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
}

/// What became of a claimed delivery. Reasons are free of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Retry { at: Timestamp, reason: String },
    GivenUp { reason: String },
}

/// A place in a list ordered by time, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: Timestamp,
    pub id: String,
}

/// Which leads to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct LeadFilter {
    pub since: Option<Timestamp>,
    /// Only what waits for a release.
    pub held: bool,
    /// In any spelling.
    pub email: Option<String>,
    /// Only what comes after this place in the list.
    pub after: Option<Cursor>,
    pub limit: usize,
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
    /// All that were given up or wait for another attempt.
    All,
}

/// What releasing a lead did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// So many deliveries are on their way now.
    Now {
        deliveries: u64,
    },
    NotHeld,
    UnknownLead,
}

/// What was removed about a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub contacts: u64,
    pub deliveries: u64,
    pub subscribers: u64,
    /// Why the removed words are not overwritten in the database's files, if
    /// they are not.
    pub unscrubbed: Option<String>,
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
