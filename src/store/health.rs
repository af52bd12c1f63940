//! The health of the store for the metrics, with one log line when storing starts to fail and one
//! when it works again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::StoreError;
use super::tx::Unreadable;
use crate::histogram::Histogram;

#[derive(Default)]
pub struct Health {
    commits: Histogram,
    last_commit: Mutex<Option<Timestamp>>,
    is_failing: AtomicBool,
    unreadable: Mutex<BTreeSet<Unreadable>>,
    times_unreadable: AtomicU64,
}

/// The number of unreadable rows that are remembered.
const MAX_UNREADABLE: usize = 1_000;

impl Health {
    /// A group that took this long was committed.
    pub fn committed(&self, duration: Duration) {
        if self.is_failing.swap(false, Relaxed) {
            tracing::info!("storing works again");
        }
        self.commits.observe(duration);
        *lock(&self.last_commit) = Some(Timestamp::now());
    }

    /// A write or check failed: logged once, however many leads it affects.
    pub fn failed(&self, error: &StoreError) {
        if !self.is_failing.swap(true, Relaxed) {
            tracing::error!(%error, "nothing can be stored");
        }
    }

    /// Whether the last write or check failed.
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Relaxed)
    }

    /// Durations from the start of a group to its commit.
    pub fn commits(&self) -> &Histogram {
        &self.commits
    }

    pub fn last_commit(&self) -> Option<Timestamp> {
        *lock(&self.last_commit)
    }

    /// Logs each row once, however often it is read.
    pub fn record_unreadable(&self, rows: Vec<Unreadable>) {
        if rows.is_empty() {
            return;
        }
        self.times_unreadable.fetch_add(rows.len() as u64, Relaxed);
        let mut known = lock(&self.unreadable);
        for row in rows {
            if known.len() < MAX_UNREADABLE && known.insert(row.clone()) {
                let Unreadable { table, id, reason } = row;
                tracing::error!(
                    table,
                    id,
                    reason,
                    "a row can't be read; run `frontdoor check`"
                );
            }
        }
    }

    /// How often an unreadable row was skipped.
    pub fn times_unreadable(&self) -> u64 {
        self.times_unreadable.load(Relaxed)
    }

    /// Unreadable rows found since the start.
    pub fn unreadable(&self) -> Vec<Unreadable> {
        lock(&self.unreadable).iter().cloned().collect()
    }
}

/// Ignores poisoning: after a panic of the holder, the value is still consistent.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
