//! What the server does by itself once a day, by a clock that the test turns.

mod backups;
mod prune_command;
mod records;
mod retention;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdoor::upkeep::Clock;
use jiff::{SignedDuration, Timestamp};

/// A clock to turn.
struct Hand {
    start: Timestamp,
    seconds: Arc<AtomicI64>,
}

impl Hand {
    fn at(time: &str) -> Self {
        Self {
            start: time.parse().unwrap(),
            seconds: Arc::default(),
        }
    }

    fn clock(&self) -> Clock {
        let (start, seconds) = (self.start, self.seconds.clone());
        Arc::new(move || start + SignedDuration::from_secs(seconds.load(Ordering::SeqCst)))
    }

    fn now(&self) -> Timestamp {
        (self.clock())()
    }

    fn forward(&self, time: SignedDuration) {
        self.seconds.fetch_add(time.as_secs(), Ordering::SeqCst);
    }
}
