//! What a lane needs to know of a receiver.

use std::time::Duration;

use jiff::Timestamp;

use crate::store::{Claim, DeliveryKind};

/// What a receiver made of a delivery. Reasons are free of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// Worth another try, at the earliest after the time it asked for.
    Failed {
        reason: String,
        retry_after: Option<Duration>,
    },
    /// The same, but it says nothing about the receiver: one address among many.
    Deferred {
        reason: String,
    },
    /// These recipients have it; the others are worth another try.
    Partly {
        reached: Vec<String>,
        reason: String,
    },
    /// No other try can succeed.
    Refused {
        reason: String,
    },
    /// There was nothing to say any more, and nothing was sent.
    Withdrawn,
}

impl Verdict {
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
            retry_after: None,
        }
    }

    pub fn timed_out(limit: Duration) -> Self {
        Self::failed(format!("no answer within {} s", limit.as_secs()))
    }
}

/// Takes deliveries to one receiver.
pub trait Sender: Send + Sync + 'static {
    /// What it can carry.
    const KINDS: &'static [DeliveryKind];

    /// A send that takes longer is cut off and counts as failed.
    const TIME_LIMIT: Duration;

    fn send(&self, claim: &Claim, now: Timestamp) -> impl Future<Output = Verdict> + Send;
}
