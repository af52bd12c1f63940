//! A worker claims, sends and records deliveries in a loop. A [`Sender`] delivers to one
//! receiver.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::AttemptCounts;
use super::schedule;
use crate::store::{self, Claim, DeliveryKind, DeliveryOutcome, Store, StoreError};

/// How long recording an outcome is retried. A lease covers claiming, sending and recording, so
/// that no other worker sends meanwhile. It is short, because it delays retries after a crash.
const RECORD_TIMEOUT: Duration = Duration::from_secs(8);

/// Another process may have added deliveries without waking this one.
const POLL: Duration = Duration::from_secs(1);

const CRASHED: &str = "sending crashed: the log has an internal error at this time";

pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The result of an attempt. The reasons contain no personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendResult {
    Accepted,
    /// Retried, no earlier than the receiver asked for.
    Failed {
        reason: String,
        retry_after: Option<Duration>,
    },
    /// Retried, but the receiver isn't considered failing: only this address is affected.
    Deferred(String),
    /// The `reached` recipients have it; the others are retried.
    Partly {
        reached: Vec<String>,
        reason: String,
    },
    /// No retry can succeed.
    Refused(String),
    /// There was nothing left to send.
    Withdrawn,
}

impl SendResult {
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

pub trait Sender: Send + Sync + 'static {
    const KINDS: &'static [DeliveryKind];

    /// A send that takes longer is cut off and counts as failed.
    const SEND_TIMEOUT: Duration;

    fn send(&self, claim: &Claim, now: Timestamp) -> impl Future<Output = SendResult> + Send;
}

pub struct Worker<S> {
    store: Store,
    sender: S,
    at_once: usize,
    clock: Clock,
    jitter: Jitter,
    /// How often it polls without being woken.
    pub poll: Duration,
    /// Shared with the other workers.
    pub attempt_counts: Arc<AttemptCounts>,
}

impl<S: Sender> Worker<S> {
    pub fn new(store: &Store, sender: S, at_once: usize) -> Self {
        let clocked = store.clone();
        let clock = Arc::new(move || clocked.now());
        let jitter = Arc::new(rand::random::<f64>);
        Self::with(store.clone(), sender, at_once, clock, jitter)
    }

    /// Uses the caller's clock and jitter.
    pub fn with(store: Store, sender: S, at_once: usize, clock: Clock, jitter: Jitter) -> Self {
        Self {
            store,
            sender,
            at_once,
            clock,
            jitter,
            poll: POLL,
            attempt_counts: Arc::default(),
        }
    }

    /// Delivers everything that is due until stopped, then waits for deliveries in progress.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let worker = Arc::new(self);
        let mut wakeups = worker.store.wakeups();
        let mut sending = JoinSet::new();
        while !*stop.borrow() {
            let free = worker.at_once.saturating_sub(sending.len());
            for claim in worker.claim_due(free).await {
                let worker = worker.clone();
                sending.spawn(async move { worker.deliver(&claim).await });
            }
            tokio::select! {
                _ = stop.changed() => {}
                _ = wakeups.changed() => {}
                Some(_) = sending.join_next() => {}
                () = tokio::time::sleep(worker.poll) => {}
            }
            while sending.try_join_next().is_some() {}
        }
        while sending.join_next().await.is_some() {}
    }

    /// Delivers everything that is due by the clock and returns the number of attempts.
    pub async fn drain(&self) -> usize {
        let mut attempts = 0;
        loop {
            let claims = self.claim_due(self.at_once).await;
            if claims.is_empty() {
                return attempts;
            }
            attempts += claims.len();
            for claim in &claims {
                self.deliver(claim).await;
            }
        }
    }

    async fn claim_due(&self, free: usize) -> Vec<Claim> {
        if free == 0 {
            return Vec::new();
        }
        let lease = store::JOB_TIMEOUT + S::SEND_TIMEOUT + RECORD_TIMEOUT;
        let now = (self.clock)();
        let claimed = self.store.claim_deliveries(S::KINDS, free, lease, now);
        claimed.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "can't fetch due deliveries; they wait for the store");
            Vec::new()
        })
    }

    async fn deliver(&self, claim: &Claim) {
        let id = &claim.delivery_id;
        let sending = catch_panics(self.sender.send(claim, (self.clock)()));
        let result = timeout(S::SEND_TIMEOUT, sending)
            .await
            .unwrap_or_else(|_| SendResult::timed_out(S::SEND_TIMEOUT));
        let now = (self.clock)();
        let fails = matches!(result, SendResult::Failed { .. });
        let reached = match &result {
            SendResult::Partly { reached, .. } => reached.clone(),
            _ => Vec::new(),
        };
        let Some(outcome) = self.outcome(claim, result, now) else {
            if let Err(error) = self.store.drop_claimed(claim).await {
                tracing::warn!(id, %error, "can't delete a notice with nothing to report");
            }
            return;
        };
        log_outcome(claim, &outcome);
        self.attempt_counts.count(claim.kind, &outcome);
        let recording = self.record(claim, &reached, &outcome, now);
        if timeout(RECORD_TIMEOUT, recording).await.is_err() {
            tracing::error!(id, "a delivery's outcome is lost: it will be sent again");
        }
        self.record_failures(claim, fails, &outcome, now).await;
    }

    /// Records failures, of which the owner is notified over the other channel. A mail given up for
    /// a visitor's address isn't recorded: anyone can type anything into a form.
    async fn record_failures(
        &self,
        claim: &Claim,
        fails: bool,
        outcome: &DeliveryOutcome,
        now: Timestamp,
    ) {
        let channel = claim.kind.channel();
        let (reason, given_up) = match outcome {
            DeliveryOutcome::Delivered => return,
            DeliveryOutcome::Retry { reason, .. } => (reason, false),
            DeliveryOutcome::GivenUp { reason } => (reason, !claim.kind.is_for_visitor()),
        };
        let recording = async {
            if fails {
                self.store.record_failing(channel, reason, now).await?;
            }
            if given_up {
                self.store.record_given_up(channel, now).await?;
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = recording.await {
            tracing::warn!(%error, "can't record that a receiver is failing: the owner isn't told yet");
        }
    }

    /// Returns `None` if there is nothing left to send.
    fn outcome(
        &self,
        claim: &Claim,
        result: SendResult,
        now: Timestamp,
    ) -> Option<DeliveryOutcome> {
        let (reason, retry_after) = match result {
            SendResult::Withdrawn => return None,
            SendResult::Accepted => return Some(DeliveryOutcome::Delivered),
            SendResult::Refused(reason) => return Some(DeliveryOutcome::GivenUp { reason }),
            SendResult::Failed {
                reason,
                retry_after,
            } => (reason, retry_after),
            SendResult::Deferred(reason) | SendResult::Partly { reason, .. } => (reason, None),
        };
        let failed = claim.attempts.saturating_add(1);
        let next = schedule::next_attempt(failed, now, retry_after, (self.jitter)());
        Some(match next {
            Some(at) => DeliveryOutcome::Retry { at, reason },
            None => DeliveryOutcome::GivenUp { reason },
        })
    }

    /// Retries while the store is busy: an unrecorded outcome means a second delivery when the
    /// lease expires.
    async fn record(
        &self,
        claim: &Claim,
        reached: &[String],
        outcome: &DeliveryOutcome,
        now: Timestamp,
    ) {
        let try_record = async || {
            if !reached.is_empty() {
                self.store.record_reached(claim, reached).await?;
            }
            self.store
                .record_delivery(claim, outcome.clone(), now)
                .await
        };
        while let Err(error) = try_record().await {
            let id = &claim.delivery_id;
            tracing::warn!(id, %error, "can't record a delivery's outcome, trying again");
            tokio::time::sleep(POLL).await;
        }
    }
}

/// Turns a panic into a failed attempt. Otherwise no outcome would be recorded, and the delivery
/// would be retried endlessly, each time its lease expires.
async fn catch_panics(sending: impl Future<Output = SendResult>) -> SendResult {
    let mut sending = pin!(sending);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| sending.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(SendResult::failed(CRASHED)))
    })
    .await
}

/// Logs the outcome with the id of the request that caused it, so that both log lines can be
/// matched.
fn log_outcome(claim: &Claim, outcome: &DeliveryOutcome) {
    let (id, kind) = (&claim.delivery_id, claim.kind.as_str());
    let request_id = claim.request_id.as_deref();
    match outcome {
        DeliveryOutcome::Retry { at, reason } => {
            tracing::warn!(id, kind, request_id, reason, next = %at, "delivery failed");
        }
        DeliveryOutcome::GivenUp { reason } => {
            tracing::error!(id, kind, request_id, reason, "delivery given up");
        }
        DeliveryOutcome::Delivered => tracing::debug!(id, kind, request_id, "delivered"),
    }
}
