//! Subscribers of the newsletter, with the proof of their consent.

use jiff::Timestamp;
use serde::Serialize;

use super::{Cursor, Forgotten, Result, Store, on_engine};
use crate::domain::{Subscription, stored_enum};

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

/// A consent and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConsentRecord {
    pub created_at: Timestamp,
    pub page: Option<String>,
    pub consent_version: u32,
    pub consent_text: Option<String>,
    pub confirmed_at: Option<Timestamp>,
    pub unsubscribed_at: Option<Timestamp>,
    /// The file with which a consent that was given elsewhere came here.
    pub import_file: Option<String>,
    /// Where, as that file says.
    pub import_source: Option<String>,
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
    /// The mail server's codes when it last refused the address for good.
    pub refused_code: Option<String>,
    pub refused_at: Option<Timestamp>,
    /// Since then it is left out of every issue.
    pub suspended_at: Option<Timestamp>,
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
    /// Only those who are left out because their address was refused.
    pub suspended: bool,
    pub since: Option<Timestamp>,
    pub after: Option<Cursor>,
    pub limit: usize,
}

impl Store {
    /// Stores a request for the newsletter and, with `by_mail`, calls for a
    /// confirmation mail, unless one was called for a short time ago.
    pub async fn subscribe(
        &self,
        new: Subscription,
        by_mail: bool,
        now: Timestamp,
    ) -> Result<Subscribed> {
        let subscribed = on_engine!(self, db => db.subscribe(new, by_mail, now).await)?;
        self.wakeups.wake();
        Ok(subscribed)
    }

    /// By the address in any spelling.
    pub async fn subscriber(&self, email: &str) -> Result<Option<Subscriber>> {
        on_engine!(self, db => db.subscriber(email.to_owned()).await)
    }

    /// Newest first.
    pub async fn subscribers(&self, filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        on_engine!(self, db => db.subscribers(filter).await)
    }

    /// Consents that a subscriber withdrew before giving the present one, the
    /// oldest first.
    pub async fn past_consents(&self, subscriber_id: &str) -> Result<Vec<ConsentRecord>> {
        on_engine!(self, db => db.past_consents(subscriber_id.to_owned()).await)
    }

    /// Removes a subscriber with all proof, and overwrites it in the files that
    /// are ours.
    pub async fn remove_subscriber(&self, email: &str) -> Result<Forgotten> {
        on_engine!(self, db => db.remove_subscriber(email.to_owned()).await)
    }
}
