//! Subscribers who gave their consent elsewhere.

use std::time::Duration;

use jiff::Timestamp;

use super::{Result, Store, Subscriber, SubscriberState, on_engine};
use crate::domain::Email;

/// Somebody of the owner's file, with the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub email: Email,
    /// The words that they agreed to, as the owner says.
    pub consent: String,
    pub file_name: String,
    /// Where, as the file says.
    pub source: Option<String>,
    pub welcome: Welcome,
}

/// How somebody becomes a subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Welcome {
    /// They confirm by a mail that is due after this pause.
    ByMail(Duration),
    /// They confirmed elsewhere; the time is the file's, or else now.
    ConfirmedElsewhere(Option<Timestamp>),
}

/// What became of somebody of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Imported {
    /// Stored, and asked to confirm.
    Invited,
    /// Stored as confirmed.
    Confirmed,
    /// Confirmed before.
    Known,
    /// Has been asked to confirm before.
    Waiting,
    /// Has unsubscribed, and stays so.
    Withdrawn,
    /// The mail server refuses the address, and it stays left out.
    Suspended,
}

impl Imported {
    /// Given what is known about the address.
    pub fn of(known: Option<(SubscriberState, bool)>, welcome: &Welcome) -> Self {
        match (known, welcome) {
            (Some((SubscriberState::Unsubscribed, _)), _) => Self::Withdrawn,
            (Some((_, true)), _) => Self::Suspended,
            (Some((SubscriberState::Confirmed, _)), _) => Self::Known,
            (Some((SubscriberState::Pending, _)), Welcome::ByMail(_)) => Self::Waiting,
            (_, Welcome::ConfirmedElsewhere(_)) => Self::Confirmed,
            (None, Welcome::ByMail(_)) => Self::Invited,
        }
    }

    /// What it would be for one who is listed.
    pub fn would_be(known: Option<&Subscriber>, welcome: &Welcome) -> Self {
        let known = known.map(|known| (known.state, known.suspended_at.is_some()));
        Self::of(known, welcome)
    }
}

impl Store {
    /// Stores these people, each only if that changes nobody's own decision.
    /// Asked again for the same ones, it changes nothing.
    pub async fn import(&self, people: Vec<Import>, now: Timestamp) -> Result<Vec<Imported>> {
        let imported = on_engine!(self, db => db.import(people, now).await)?;
        self.wakeups.wake();
        Ok(imported)
    }
}
