//! What runs beside a server as long as its store is open: the listener, and
//! somebody who looks, once a call has failed, whether leads can be stored, and
//! then once a second until they can.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::listener;
use super::pool::Pool;
use crate::store::health::Health;
use crate::store::{Result, StoreError, Wakeups};

const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// For who asks whether leads can be stored: sooner than it gives up itself.
pub const SOON: Duration = Duration::from_millis(1_800);
/// How long a caller waits for an answer before it is told to come again.
pub const PATIENCE: Duration = Duration::from_secs(4);

/// Ends when it is dropped.
pub struct Watch(JoinHandle<()>);

impl Watch {
    pub fn start(pool: Pool, health: Arc<Health>, doubt: Arc<Notify>, wakeups: Wakeups) -> Self {
        Self(tokio::spawn(async move {
            let listening = listener::listen(pool.connector(), wakeups);
            tokio::join!(listening, look_after(&pool, &health, &doubt));
        }))
    }

    pub fn end(&self) {
        self.0.abort();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

async fn look_after(pool: &Pool, health: &Health, doubt: &Notify) {
    loop {
        if !health.is_failing() {
            doubt.notified().await;
        }
        note(health, &probe(pool, PATIENCE).await);
        sleep(BETWEEN_LOOKS).await;
    }
}

/// The way of a lead, without a lead.
pub async fn probe(pool: &Pool, patience: Duration) -> Result<()> {
    within(patience, async {
        let db = pool.get().await?;
        let sql = "UPDATE store_state SET probed_at = clock_timestamp()";
        match db.execute_typed(sql, &[]).await? {
            1 => Ok(()),
            _ => Err(StoreError::Unavailable("its own row is gone".into())),
        }
    })
    .await
}

/// The reasons change while a server goes and comes back: the first is told.
pub fn note(health: &Health, stored: &Result<()>) {
    match stored {
        Ok(()) => health.note(None),
        Err(error) if !health.is_failing() => health.note(Some(error)),
        Err(_) => {}
    }
}

pub async fn within<T>(patience: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(patience, work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("it takes too long".into())))
}
