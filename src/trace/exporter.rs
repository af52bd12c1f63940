//! Sends spans to the collector, some at a time. What it does not take is left
//! behind: a collector that is slow or gone costs no request anything.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use reqwest::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use url::Url;
use uuid::Uuid;

use super::counts::Counts;
use super::otlp;
use super::span::Span;
use crate::calls::{self, cause};
use crate::config::TraceSettings;

/// Spans that wait; a collector that hangs for its whole time limit fills it with
/// hundreds of requests a second only.
pub const QUEUE: usize = 4_096;
/// Spans in one call.
const BATCH: usize = 512;
/// So long the first one waits for others.
const PAUSE: Duration = Duration::from_secs(1);
/// For a whole call.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// For what still waits when the server stops.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// The task that sends.
pub struct Exporter {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    counts: Arc<Counts>,
}

impl Exporter {
    pub fn start(
        settings: &TraceSettings,
        spans: mpsc::Receiver<Span>,
        counts: Arc<Counts>,
    ) -> anyhow::Result<Self> {
        let headers = settings.headers.as_ref();
        let headers = headers.map(|headers| headers.reveal().clone());
        let client = calls::http::builder(TIME_LIMIT)?
            .default_headers(headers.unwrap_or_default())
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let sending = Sending {
            client,
            url: settings.url.reveal().clone(),
            instance: Uuid::new_v4().to_string(),
            spans,
            counts: counts.clone(),
            fails: false,
            told_of_overflow: false,
        };
        Ok(Self {
            task: tokio::spawn(sending.run(stopped)),
            stop,
            counts,
        })
    }

    /// Sends what still waits, within bounds.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        if timeout(STOP_PATIENCE, &mut self.task).await.is_err() {
            self.task.abort();
            let dropped = self.counts.dropped();
            tracing::warn!(dropped, "traces were cut off by the stop");
        }
    }
}

struct Sending {
    client: Client,
    url: Url,
    /// Tells replicas and starts apart.
    instance: String,
    spans: mpsc::Receiver<Span>,
    counts: Arc<Counts>,
    /// Told once, until a call succeeds.
    fails: bool,
    told_of_overflow: bool,
}

impl Sending {
    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.fill(&mut batch, &mut stop).await {
            let outcome = self.send(&batch).await;
            self.note(outcome, batch.len());
            batch.clear();
        }
    }

    /// False once everything was taken and nothing more comes.
    async fn fill(&mut self, batch: &mut Vec<Span>, stop: &mut watch::Receiver<bool>) -> bool {
        tokio::select! {
            number = self.spans.recv_many(batch, BATCH) => if number == 0 {
                return false;
            },
            // An error means that nobody can stop us any more.
            _ = stop.wait_for(|stop| *stop) => self.spans.close(),
        }
        let pause = sleep(PAUSE);
        tokio::pin!(pause);
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            tokio::select! {
                number = self.spans.recv_many(batch, room) => if number == 0 {
                    break;
                },
                () = &mut pause => break,
                _ = stop.wait_for(|stop| *stop), if !self.spans.is_closed() => self.spans.close(),
            }
        }
        !batch.is_empty()
    }

    /// `Err`: why not, without the address, which may carry a key.
    async fn send(&self, batch: &[Span]) -> Result<(), String> {
        let body = otlp::request(batch, &self.instance).to_string();
        let request = self.client.post(self.url.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let answer = request
            .send()
            .await
            .map_err(|error| match error.is_timeout() {
                true => format!("no answer within {} s", TIME_LIMIT.as_secs()),
                false => cause::words(&error).to_owned(),
            })?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {}", status.as_u16())),
        }
    }

    fn note(&mut self, outcome: Result<(), String>, number: usize) {
        match &outcome {
            Ok(()) => self.counts.sent.fetch_add(number as u64, Relaxed),
            Err(_) => self.counts.refused.fetch_add(number as u64, Relaxed),
        };
        match &outcome {
            Err(reason) if !self.fails => tracing::warn!(
                reason,
                "traces cannot be sent to FRONTDOOR_OTLP_URL and are dropped"
            ),
            Ok(()) if self.fails => tracing::info!("traces are sent again"),
            _ => {}
        }
        self.fails = outcome.is_err();
        if !self.told_of_overflow && self.counts.overflowed.load(Relaxed) > 0 {
            self.told_of_overflow = true;
            tracing::warn!(
                "more traces than the collector takes: some are dropped; FRONTDOOR_OTLP_RATIO \
                 sends fewer"
            );
        }
    }
}
