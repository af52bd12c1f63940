//! Whether leads could be stored right now: a write that commits, the same way
//! a lead goes. Asked at most once a second, however many ask.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::store::Store;

/// A store that needs longer is as good as down.
const PATIENCE: Duration = Duration::from_secs(2);
const HOLDS_FOR: Duration = Duration::from_secs(1);

/// Displays as why not, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// The store says why it cannot: a full disk, a database server that is gone.
    Refused(String),
    /// It says nothing.
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

type Verdict = Result<(), NotReady>;

#[derive(Clone)]
pub struct Readiness {
    store: Store,
    /// Held while asking, so that whoever comes meanwhile shares the answer.
    last: Arc<Mutex<Option<(Instant, Verdict)>>>,
}

impl Readiness {
    pub fn new(store: Store) -> Self {
        Self {
            store,
            last: Arc::default(),
        }
    }

    pub async fn ask(&self) -> Verdict {
        let mut last = self.last.lock().await;
        if let Some((at, verdict)) = &*last
            && at.elapsed() < HOLDS_FOR
        {
            return verdict.clone();
        }
        let verdict = match timeout(PATIENCE, self.store.probe()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(NotReady::Refused(error.to_string())),
            Err(_) => Err(NotReady::Hangs),
        };
        *last = Some((Instant::now(), verdict.clone()));
        verdict
    }
}
