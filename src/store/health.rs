//! How the store is: what the metrics show, and one line in the log when
//! storing begins to fail and one when it works again.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::StoreError;
use crate::histogram::Histogram;

#[derive(Default)]
pub struct Health {
    commits: Histogram,
    /// Milliseconds since 1970; 0: none yet.
    last_commit: AtomicI64,
    failing: Mutex<Option<StoreError>>,
}

impl Health {
    pub fn committed(&self, took: Duration) {
        self.commits.observe(took);
        self.last_commit
            .store(Timestamp::now().as_millisecond(), Relaxed);
    }

    /// Once for each new reason, however many leads it meets.
    pub fn note(&self, error: Option<&StoreError>) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        if failing.as_ref() == error {
            return;
        }
        match error {
            Some(error) => tracing::error!(%error, "nothing can be stored"),
            None => tracing::info!("storing works again"),
        }
        *failing = error.cloned();
    }

    /// What was last written, or looked at, failed.
    pub fn is_failing(&self) -> bool {
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        failing.is_some()
    }

    /// From a group's first job to its answers.
    pub fn commits(&self) -> &Histogram {
        &self.commits
    }

    pub fn last_commit(&self) -> Option<Timestamp> {
        let millis = self.last_commit.load(Relaxed);
        (millis != 0)
            .then(|| Timestamp::from_millisecond(millis).ok())
            .flatten()
    }
}
