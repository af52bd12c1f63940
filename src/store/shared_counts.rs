//! Counting together what each of several replicas sees a part of.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::postgres::Rate;
use super::{Engine, Result, Store};

/// How often what is over is removed, and the salt looked after.
const TIDY: Duration = Duration::from_secs(10 * 60);

/// How many there were since the first one in this window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub number: u64,
    /// Of the window.
    pub left: Duration,
}

#[derive(Clone)]
pub struct SharedCounts(Arc<Rate>);

impl Store {
    /// `None` for a file: it is one server's, who has nobody to count with.
    pub fn shared_counts(&self) -> Option<SharedCounts> {
        match &self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(db) => Some(SharedCounts(Arc::new(Rate::new(db.clone())))),
        }
    }
}

impl SharedCounts {
    /// Counts one more of `who`, of whom a salted hash is kept for a while.
    pub async fn count(&self, who: &str, window: Duration, now: Timestamp) -> Result<Counted> {
        self.0.count(who, window, now).await
    }

    /// What was last written failed: it is better not asked.
    pub fn is_failing(&self) -> bool {
        self.0.is_failing()
    }

    /// Removes the hashes of windows that are over, and the salt when its day is.
    pub async fn tidy(&self, window: Duration, now: Timestamp) -> Result<()> {
        self.0.tidy(window, now).await
    }

    /// For as long as a server runs.
    pub async fn keep_tidy(self, window: Duration) {
        loop {
            tokio::time::sleep(TIDY).await;
            if let Err(error) = self.tidy(window, Timestamp::now()).await {
                tracing::debug!(%error, "what was counted together is removed later");
            }
        }
    }
}
