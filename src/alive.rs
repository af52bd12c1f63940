//! Health of the running server, reported to systemd and to a monitoring URL of the owner's, which
//! raises the alarm when the heartbeats stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sd_notify::NotifyState;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use url::Url;

use crate::calls;
use crate::config::AliveSettings;
use crate::store::Store;

/// A store that takes longer than this to commit counts as down.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a readiness result is cached.
const FRESH: Duration = Duration::from_secs(1);

/// The time between two heartbeats.
const HEARTBEAT_PAUSE: Duration = Duration::from_secs(5 * 60);
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(10);

/// Checks whether leads can be stored: a probe commits a write on the same path as a lead.
#[derive(Clone)]
pub struct Readiness {
    store: Store,
    /// Locked during a check, so that concurrent callers share one result.
    last: Arc<Mutex<Option<(Instant, Checked)>>>,
}

type Checked = Result<(), NotReady>;

/// Displays as a short reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// The store's own reason: a full disk, an unreachable database server.
    #[error("{0}")]
    Refused(String),
    #[error("the database doesn't answer: no write within {} s", STORE_TIMEOUT.as_secs())]
    Hangs,
}

impl Readiness {
    pub fn new(store: Store) -> Self {
        Self {
            store,
            last: Arc::default(),
        }
    }

    pub async fn check(&self) -> Checked {
        let mut last = self.last.lock().await;
        if let Some((checked_at, result)) = &*last
            && checked_at.elapsed() < FRESH
        {
            return result.clone();
        }
        let result = match timeout(STORE_TIMEOUT, self.store.probe()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(NotReady::Refused(error.to_string())),
            Err(_) => Err(NotReady::Hangs),
        };
        *last = Some((Instant::now(), result.clone()));
        result
    }
}

/// Reports that the server is alive for as long as this value exists.
pub struct Alive {
    _senders: JoinSet<()>,
}

impl Alive {
    /// Notifies systemd that the server is ready, then starts the watchdog and the heartbeat.
    pub fn start(readiness: &Readiness, settings: Option<&AliveSettings>) -> anyhow::Result<Self> {
        let mut senders = JoinSet::new();
        if let Some(settings) = settings {
            let mut heartbeat = Heartbeat::new(settings, readiness.clone())?;
            senders.spawn(async move {
                loop {
                    heartbeat.send().await;
                    sleep(HEARTBEAT_PAUSE).await;
                }
            });
        }
        if let Some(limit) = sd_notify::watchdog_enabled().filter(|limit| !limit.is_zero()) {
            senders.spawn(feed_watchdog(limit, readiness.clone()));
        }
        notify_systemd(NotifyState::Ready);
        Ok(Self { _senders: senders })
    }
}

/// Feeds the watchdog after a successful write, and also when the store refuses with a reason: a
/// restart would neither free disk space nor bring the database back, but would take the pages
/// offline. Only a server that hangs is restarted.
async fn feed_watchdog(limit: Duration, readiness: Readiness) {
    loop {
        if readiness.check().await != Err(NotReady::Hangs) {
            notify_systemd(NotifyState::Watchdog);
        }
        sleep(limit / 3).await;
    }
}

/// Whether systemd started this process and will restart it when it exits.
pub fn is_service() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some_and(|path| !path.is_empty())
}

pub fn stopping() {
    notify_systemd(NotifyState::Stopping);
}

fn notify_systemd(state: NotifyState<'_>) {
    if is_service()
        && let Err(error) = sd_notify::notify(&[state])
    {
        tracing::warn!(%error, "can't report to systemd, which may restart the server");
    }
}

/// Calls the monitoring URL while leads can be stored.
pub struct Heartbeat {
    client: reqwest::Client,
    url: Url,
    readiness: Readiness,
    /// The failure is already logged; it isn't logged again until a call succeeds.
    fails: bool,
}

impl Heartbeat {
    pub fn new(settings: &AliveSettings, readiness: Readiness) -> anyhow::Result<Self> {
        Ok(Self {
            client: calls::http_client(HEARTBEAT_TIMEOUT)?.build()?,
            url: settings.url.reveal().clone(),
            readiness,
            fails: false,
        })
    }

    pub async fn send(&mut self) {
        if self.readiness.check().await.is_err() {
            return;
        }
        let outcome = self.call().await;
        match &outcome {
            Err(reason) if !self.fails => {
                tracing::warn!(
                    reason,
                    "can't call FRONTDOOR_ALIVE_URL: its alarm may go off"
                );
            }
            Ok(()) if self.fails => tracing::info!("FRONTDOOR_ALIVE_URL answers again"),
            _ => {}
        }
        self.fails = outcome.is_err();
    }

    /// The error doesn't contain the URL, which is a secret.
    async fn call(&self) -> Result<(), String> {
        let response = self.client.get(self.url.clone()).send().await;
        let response = response.map_err(|error| calls::reason(&error))?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {}", status.as_u16())),
        }
    }
}
