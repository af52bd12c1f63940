//! Takes one delivery to its receiver and records what became of it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::schedule;
use super::sender::{Sender, Verdict};
use crate::store::{Claim, Outcome, Store};

const RECORD_TRIES: u32 = 3;
const RECORD_PAUSE: Duration = Duration::from_secs(1);

pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
pub type Dice = Arc<dyn Fn() -> f64 + Send + Sync>;

pub struct Courier<S> {
    pub store: Store,
    pub sender: S,
    pub clock: Clock,
    pub dice: Dice,
}

impl<S: Sender> Courier<S> {
    pub async fn deliver(&self, claim: &Claim) {
        let sending = self.sender.send(claim, (self.clock)());
        let verdict = tokio::time::timeout(S::TIME_LIMIT, sending)
            .await
            .unwrap_or_else(|_| Verdict::timed_out(S::TIME_LIMIT));
        let now = (self.clock)();
        let outcome = self.outcome(claim, verdict, now);
        let (id, kind) = (&claim.delivery_id, claim.kind.as_str());
        match &outcome {
            Outcome::Retry { at, reason } => {
                tracing::warn!(id, kind, reason, next = %at, "delivery failed");
            }
            Outcome::GivenUp { reason } => tracing::error!(id, kind, reason, "delivery given up"),
            Outcome::Delivered => tracing::debug!(id, kind, "delivered"),
        }
        self.record(claim, outcome, now).await;
    }

    fn outcome(&self, claim: &Claim, verdict: Verdict, now: Timestamp) -> Outcome {
        match verdict {
            Verdict::Accepted => Outcome::Delivered,
            Verdict::Refused { reason } => Outcome::GivenUp { reason },
            Verdict::Failed {
                reason,
                retry_after,
            } => {
                let failed = claim.attempts.saturating_add(1);
                match schedule::next_attempt(failed, now, retry_after, (self.dice)()) {
                    Some(at) => Outcome::Retry { at, reason },
                    None => Outcome::GivenUp { reason },
                }
            }
        }
    }

    /// An unrecorded outcome means a second delivery once the lease has
    /// ended, so a store that is busy for a moment is asked again.
    async fn record(&self, claim: &Claim, outcome: Outcome, now: Timestamp) {
        for _ in 0..RECORD_TRIES {
            match self.store.record(claim, outcome.clone(), now).await {
                Ok(_) => return,
                Err(error) => {
                    let id = &claim.delivery_id;
                    tracing::warn!(id, %error, "cannot record a delivery's outcome");
                    tokio::time::sleep(RECORD_PAUSE).await;
                }
            }
        }
    }
}
