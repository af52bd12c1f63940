//! Delivers stored leads and notices without making visitors wait.
//!
//! Deliveries are rows stored together with their lead. A worker claims due rows with a lease,
//! commits, sends outside any transaction and records the outcome. The webhook and the mail server
//! have one worker each, so that a receiver that hangs doesn't delay the other.

pub mod mail;
pub mod schedule;
pub mod webhook;
pub mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use crate::config::{MailSettings, WebhookSettings};
use crate::store::{DeliveryKind, DeliveryOutcome, Store};
use crate::upkeep::Backups;
use mail::Mailer;
use webhook::Webhook;
use worker::{Sender, Worker};

/// How long shutdown waits for deliveries in progress. A delivery that is cut off is sent again,
/// under the same id, when its lease expires.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

const WEBHOOKS_AT_ONCE: usize = 8;
const MAILS_AT_ONCE: usize = 4;

/// Every kind of delivery must belong to one of the two workers.
const _: () = assert!(Webhook::KINDS.len() + Mailer::KINDS.len() == DeliveryKind::ALL.len());

/// The deliveries that each new lead gets with these settings.
pub fn deliveries_for_new_leads(
    webhook: Option<&WebhookSettings>,
    mail: Option<&MailSettings>,
) -> Vec<DeliveryKind> {
    let auto_reply = mail.is_some_and(|mail| mail.auto_reply);
    let wanted = [
        (DeliveryKind::LeadWebhook, webhook.is_some()),
        (DeliveryKind::LeadMail, mail.is_some()),
        (DeliveryKind::AutoReply, auto_reply),
    ];
    let enabled = wanted.into_iter().filter(|(_, enabled)| *enabled);
    enabled.map(|(kind, _)| kind).collect()
}

pub struct Outbox {
    stop: watch::Sender<bool>,
    workers: JoinSet<()>,
    attempt_counts: Arc<AttemptCounts>,
}

impl Outbox {
    /// Starts a worker for each configured receiver. Deliveries for others stay in the store.
    pub fn start(
        store: &Store,
        webhook: Option<&WebhookSettings>,
        mail: Option<&MailSettings>,
        promise: SignedDuration,
        backups: Option<Backups>,
        desk: Option<Url>,
    ) -> anyhow::Result<Self> {
        let mut outbox = Self {
            stop: watch::Sender::new(false),
            workers: JoinSet::new(),
            attempt_counts: Arc::default(),
        };
        if let Some(settings) = webhook {
            outbox.add_worker(store, Webhook::new(settings)?, WEBHOOKS_AT_ONCE);
        }
        if let Some(settings) = mail {
            let mailer = Mailer::new(settings, store.clone(), promise, backups, desk)?;
            outbox.add_worker(store, mailer, MAILS_AT_ONCE);
        }
        Ok(outbox)
    }

    fn add_worker(&mut self, store: &Store, sender: impl Sender, at_once: usize) {
        let stop = self.stop.subscribe();
        let mut worker = Worker::new(store, sender, at_once);
        worker.attempt_counts = self.attempt_counts.clone();
        self.workers.spawn(async move { worker.run(stop).await });
    }

    pub fn attempt_counts(&self) -> Arc<AttemptCounts> {
        self.attempt_counts.clone()
    }

    /// Stops claiming and waits for deliveries in progress, with a timeout.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        let finished = async { while self.workers.join_next().await.is_some() {} };
        if timeout(STOP_TIMEOUT, finished).await.is_err() {
            tracing::warn!("deliveries were cut off by the stop; they will be sent again");
        }
    }
}

const OUTCOMES: [&str; 3] = ["delivered", "failed", "given_up"];

/// A metric: delivery attempts since the start, by kind and outcome.
#[derive(Default)]
pub struct AttemptCounts([[AtomicU64; OUTCOMES.len()]; DeliveryKind::ALL.len()]);

impl AttemptCounts {
    pub fn count(&self, kind: DeliveryKind, outcome: &DeliveryOutcome) {
        let column = match outcome {
            DeliveryOutcome::Delivered => 0,
            DeliveryOutcome::Retry { .. } => 1,
            DeliveryOutcome::GivenUp { .. } => 2,
        };
        self.0[kind as usize][column].fetch_add(1, Relaxed);
    }

    /// Kind, outcome and count. Zeros are included: an alert on the first failure needs the zero
    /// before it.
    pub fn counts(&self) -> impl Iterator<Item = (DeliveryKind, &'static str, u64)> {
        let rows = DeliveryKind::ALL.iter().zip(&self.0);
        rows.flat_map(|(kind, row)| {
            let cells = OUTCOMES.iter().zip(row);
            cells.map(move |(outcome, count)| (*kind, *outcome, count.load(Relaxed)))
        })
    }
}
