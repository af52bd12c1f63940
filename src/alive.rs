//! Whether the server works, and who is told: the service manager that started it, and
//! an address of the owner's that raises the alarm when the calls stop.

use std::fmt;
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

/// A store that needs longer to commit is as good as down.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an answer about the store holds.
const FRESH: Duration = Duration::from_secs(1);

/// From one heartbeat to the next.
const HEARTBEAT_PAUSE: Duration = Duration::from_secs(5 * 60);
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether leads can be stored right now: a write commits, the same way a lead does.
#[derive(Clone)]
pub struct Readiness {
    store: Store,
    /// Held while asking, so that all who ask meanwhile share the answer.
    last: Arc<Mutex<Option<(Instant, Answer)>>>,
}

type Answer = Result<(), NotReady>;

/// Displays as the reason, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// The store says why it can't: a full disk, a database server that is gone.
    Refused(String),
    Hangs,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => f.write_str(why),
            Self::Hangs => f.write_str("the store does not answer: writing takes too long"),
        }
    }
}

impl Readiness {
    pub fn new(store: Store) -> Self {
        Self {
            store,
            last: Arc::default(),
        }
    }

    pub async fn ask(&self) -> Answer {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = &*last
            && at.elapsed() < FRESH
        {
            return answer.clone();
        }
        let answer = match timeout(STORE_TIMEOUT, self.store.probe()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(NotReady::Refused(error.to_string())),
            Err(_) => Err(NotReady::Hangs),
        };
        *last = Some((Instant::now(), answer.clone()));
        answer
    }
}

/// The signs of life of a server that takes requests; they end when this is dropped.
pub struct Alive {
    _senders: JoinSet<()>,
}

impl Alive {
    /// Tells systemd that the server is ready, then feeds its watchdog and the owner's
    /// address.
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
        tell_systemd(NotifyState::Ready);
        Ok(Self { _senders: senders })
    }
}

/// The watchdog is fed after a write that committed, and when the store says why it
/// can't: a restart makes no room on a disk and brings no database server back, but would
/// take the pages away. A server that hangs is restarted.
async fn feed_watchdog(limit: Duration, readiness: Readiness) {
    loop {
        if readiness.ask().await != Err(NotReady::Hangs) {
            tell_systemd(NotifyState::Watchdog);
        }
        sleep(limit / 3).await;
    }
}

/// Whether systemd started the program, and starts it again when it ends.
pub fn is_service() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some_and(|path| !path.is_empty())
}

pub fn stopping() {
    tell_systemd(NotifyState::Stopping);
}

fn tell_systemd(state: NotifyState<'_>) {
    if is_service()
        && let Err(error) = sd_notify::notify(&[state])
    {
        tracing::warn!(%error, "cannot notify systemd");
    }
}

/// Asks the owner's address while leads can be stored.
pub struct Heartbeat {
    client: reqwest::Client,
    url: Url,
    readiness: Readiness,
    /// The failure is in the log; it stays out until a call succeeds.
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
        if self.readiness.ask().await.is_err() {
            return;
        }
        let outcome = self.call().await;
        match &outcome {
            Err(reason) if !self.fails => {
                tracing::warn!(reason, "cannot call FRONTDOOR_ALIVE_URL");
            }
            Ok(()) if self.fails => tracing::info!("FRONTDOOR_ALIVE_URL answers again"),
            _ => {}
        }
        self.fails = outcome.is_err();
    }

    /// The error doesn't name the address, which is a secret.
    async fn call(&self) -> Result<(), String> {
        let answer = self.client.get(self.url.clone()).send().await;
        let answer = answer.map_err(|error| calls::reason(&error))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {}", status.as_u16())),
        }
    }
}
