//! The same limit over all replicas, where they share a database.
//!
//! Whatever keeps it from being asked lets the visitor in: each replica has its
//! own limit in front.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::listener::network;
use crate::store::{Counted, SharedCounts};

/// A visitor waits no longer than this for it.
const PATIENCE: Duration = Duration::from_millis(150);
/// After a failure it is left alone for so long.
const REST: Duration = Duration::from_secs(5);

pub struct SharedLimit {
    counts: SharedCounts,
    rests_until: Mutex<Option<Instant>>,
}

impl SharedLimit {
    pub fn new(counts: SharedCounts) -> Self {
        Self {
            counts,
            rests_until: Mutex::default(),
        }
    }

    /// `None` when it cannot be known in time.
    pub async fn count(&self, client: IpAddr, window: Duration) -> Option<Counted> {
        if self.counts.is_failing() || self.rests() {
            return None;
        }
        let (counts, who) = (self.counts.clone(), network(client).to_string());
        // To its end, even if nobody waits: its connection is used again.
        let counting =
            tokio::spawn(async move { counts.count(&who, window, Timestamp::now()).await });
        match tokio::time::timeout(PATIENCE, counting).await {
            Ok(Ok(Ok(counted))) => Some(counted),
            _ => {
                self.rest();
                None
            }
        }
    }

    fn rests(&self) -> bool {
        let until = self.rests_until.lock();
        let until = *until.unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }

    fn rest(&self) {
        let until = self.rests_until.lock();
        *until.unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + REST);
        tracing::debug!("posts are counted by this replica alone for a while");
    }
}
