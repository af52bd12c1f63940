//! How a stored lead reaches the owner, sooner or later, without ever making
//! a visitor wait.
//!
//! Deliveries are rows stored together with their lead. A lane claims due
//! rows with a lease, commits, sends outside any transaction and records the
//! outcome. The webhook and the mail server have a lane each, so that a
//! receiver that hangs does not keep the other waiting.

mod busy;
mod lead_headers;
pub mod mail;
mod pause;
mod report;
pub mod schedule;
mod sender;
mod tally;
pub mod webhook;
pub mod worker;

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::{MailSettings, WebhookSettings};
use crate::store::{DeliveryKind, Store};
use crate::upkeep::Backups;
use mail::Mailer;
use sender::Sender;
pub use tally::Tally;
use webhook::Webhook;
use worker::Worker;

/// How long a stop waits for what is being sent. What is cut off is sent
/// again, under the same id, once its lease has ended.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

const WEBHOOKS_AT_ONCE: usize = 8;
const MAILS_AT_ONCE: usize = 4;

/// The deliveries that these settings ask for with every new lead.
pub fn kinds(webhook: Option<&WebhookSettings>, mail: Option<&MailSettings>) -> Vec<DeliveryKind> {
    let wanted = [
        (DeliveryKind::Webhook, webhook.is_some()),
        (DeliveryKind::Notify, mail.is_some()),
        (
            DeliveryKind::AutoReply,
            mail.is_some_and(|mail| mail.auto_reply),
        ),
    ];
    let on = wanted.into_iter().filter(|(_, on)| *on);
    on.map(|(kind, _)| kind).collect()
}

/// The running lanes.
pub struct Outbox {
    stop: watch::Sender<bool>,
    lanes: JoinSet<()>,
    tally: Arc<Tally>,
}

impl Outbox {
    /// Starts a lane for each receiver that is set up. What waits for one
    /// that is not stays in the store until it is.
    pub fn start(
        store: &Store,
        webhook: Option<&WebhookSettings>,
        mail: Option<&MailSettings>,
        promise: SignedDuration,
        backups: Option<Backups>,
    ) -> anyhow::Result<Self> {
        let mut outbox = Self {
            stop: watch::Sender::new(false),
            lanes: JoinSet::new(),
            tally: Arc::default(),
        };
        if let Some(settings) = webhook {
            let worker = Worker::new(store.clone(), Webhook::new(settings)?, WEBHOOKS_AT_ONCE);
            outbox.add_lane(worker);
        }
        if let Some(settings) = mail {
            let mailer = Mailer::reporting(settings, store.clone(), promise, backups)?;
            let worker = Worker::new(store.clone(), mailer, MAILS_AT_ONCE);
            outbox.add_lane(worker);
        }
        let telling = pause::tell(store.clone(), outbox.stop.subscribe());
        outbox.lanes.spawn(telling);
        Ok(outbox)
    }

    fn add_lane<S: Sender>(&mut self, worker: Worker<S>) {
        let stop = self.stop.subscribe();
        let worker = worker.counting(self.tally.clone());
        self.lanes.spawn(async move { worker.run(stop).await });
    }

    /// How deliveries go, from now on.
    pub fn tally(&self) -> Arc<Tally> {
        self.tally.clone()
    }

    /// Claims nothing more, lets what is being sent finish, within bounds.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        let finished = async { while self.lanes.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_PATIENCE, finished).await.is_err() {
            tracing::warn!("deliveries were cut off by the stop; they will be sent again");
        }
    }
}
