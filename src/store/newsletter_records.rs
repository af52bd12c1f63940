//! What the store keeps about the newsletter, in no database's types.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::{Cursor, DeliveryKind};
use crate::domain::stored_enum;

/// How long the link in a confirmation mail works.
pub const CONFIRM_LINK_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

stored_enum!(
    /// How far a subscription is.
    SubscriberState {
        /// Asked for; not confirmed by the owner of the address.
        Pending = "pending",
        /// Gets every issue.
        Confirmed = "confirmed",
        /// Gets nothing.
        Unsubscribed = "unsubscribed",
    }
);

stored_enum!(
    /// What a link in a mail is for.
    LinkPurpose {
        Confirm = "confirm",
        Unsubscribe = "unsubscribe",
    }
);

stored_enum!(
    /// How far one mail of an issue is.
    SendState {
        /// Cut off in the moment of handing over: it may have arrived.
        Offered = "offered",
        /// Accepted by the mail server.
        Sent = "sent",
        /// The mail server will never take mail to this address.
        Refused = "refused",
        /// Not taken; comes again after everybody else.
        Deferred = "deferred",
    }
);

/// Which of those who are to get an issue.
#[derive(Debug, Clone, Copy)]
pub enum Audience {
    /// Nothing was tried yet.
    Untried,
    /// Not taken in a run before this time.
    DeferredBefore(Timestamp),
}

/// An issue of the newsletter that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRecord {
    /// The hash of its file.
    pub id: String,
    pub subject: String,
    pub file_name: String,
}

/// An earlier issue that looks like another version of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierIssue {
    pub subject: String,
    pub file_name: String,
    pub first_sent_at: Timestamp,
    /// How many of those who are to get the new one got this one.
    pub got: u64,
}

/// A consent and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConsentRecord {
    pub created_at: Timestamp,
    pub page: Option<String>,
    pub consent_version: u32,
    pub consent_text: Option<String>,
    pub confirmed_at: Option<Timestamp>,
    pub unsubscribed_at: Option<Timestamp>,
}

/// A stored subscriber.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Subscriber {
    pub id: String,
    pub email: String,
    pub state: SubscriberState,
    #[serde(flatten)]
    pub consent: ConsentRecord,
    pub hold_reason: Option<String>,
    /// When the last confirmation mail was called for; never without a mail
    /// server.
    pub invited_at: Option<Timestamp>,
}

/// Personal data must not reach a log through a stray `{:?}`.
impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Subscriber({}, {})", self.id, self.state.as_str())
    }
}

/// What storing a request for the newsletter did. The visitor must not learn
/// the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subscribed {
    /// A confirmation mail is due.
    Invited,
    /// Stored, but there is no mail server to confirm it through.
    Unconfirmed,
    /// Confirmed already, held back, or asked again too soon.
    Unchanged,
}

/// Which subscribers to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct SubscriberFilter {
    pub state: Option<SubscriberState>,
    pub since: Option<Timestamp>,
    pub after: Option<Cursor>,
    pub limit: usize,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Following it would change something.
    Open,
    /// What it asks for is the case already.
    Done,
    /// Too old, or used before.
    Gone,
    Unknown,
}

/// A confirmed subscriber who has not been offered an issue yet.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient {
    pub id: String,
    pub email: String,
}

/// How many mails of an issue are in each state, and how many are to come.
/// Who has unsubscribed counts only among those who got it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    pub waiting: u64,
    pub offered: u64,
    pub sent: u64,
    pub refused: u64,
}

impl DeliveryKind {
    /// About a subscriber; all others are about a lead.
    pub fn is_for_subscriber(self) -> bool {
        self == Self::Confirm
    }

    /// Addressed to the owner; all others to a visitor or a program.
    pub fn is_for_owner(self) -> bool {
        matches!(self, Self::Notify | Self::HeldNotice)
    }
}
