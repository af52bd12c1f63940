//! What is known of spam, in memory: scoring a lead asks no database. Marks that
//! are made elsewhere (the command line, another replica) are heard of within
//! half a minute.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Store;
use crate::spam::Weights;

const FRESH_FOR: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct LiveLessons {
    store: Store,
    known: Arc<Mutex<Known>>,
}

struct Known {
    weights: Arc<Weights>,
    asked_at: Instant,
}

impl LiveLessons {
    /// Without an answer the program goes by its own examples.
    pub async fn read(store: &Store) -> Self {
        let marked = store.lessons().await.unwrap_or_default();
        let known = Known {
            weights: Arc::new(Weights::known(&marked)),
            asked_at: Instant::now(),
        };
        Self {
            store: store.clone(),
            known: Arc::new(Mutex::new(known)),
        }
    }

    /// Nobody waits: what is old is renewed for those who come after.
    pub fn known(&self) -> Arc<Weights> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.asked_at.elapsed() > FRESH_FOR {
            known.asked_at = Instant::now();
            tokio::spawn(self.clone().renew());
        }
        known.weights.clone()
    }

    async fn renew(self) {
        if let Ok(marked) = self.store.lessons().await {
            let weights = Arc::new(Weights::known(&marked));
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.weights = weights;
        }
    }
}
