//! A failure that repeats is told once a second, with a count of the rest.
//!
//! Whatever is logged as a warning or an error goes through here: a receiver
//! or a disk that fails may fail a thousand times a second, and the log must
//! stay readable. The line with "… 37 more" names the last of them.

use std::collections::HashMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

const PERIOD: Duration = Duration::from_secs(1);
/// The lines of this target are the counts themselves.
const COUNTS: &str = "frontdoor::repeats";

/// Cheap to clone.
#[derive(Clone)]
pub struct Repeats(Arc<Shared>);

struct Shared {
    period: Duration,
    told: Mutex<HashMap<(Identifier, String), Told>>,
    withheld: Condvar,
}

/// One kind of failure: when a line of it was written last, and how many
/// were not since then.
struct Told {
    at: Instant,
    more: u64,
    level: Level,
    last: String,
}

impl Repeats {
    /// With its thread, which tells the counts.
    pub fn start() -> Self {
        let repeats = Self::every(PERIOD);
        let teller = repeats.clone();
        std::thread::spawn(move || teller.run());
        repeats
    }

    fn every(period: Duration) -> Self {
        Self(Arc::new(Shared {
            period,
            told: Mutex::default(),
            withheld: Condvar::new(),
        }))
    }

    fn run(&self) {
        loop {
            let nothing = |told: &mut HashMap<_, Told>| told.values().all(|each| each.more == 0);
            let waited = self.0.withheld.wait_while(self.told(), nothing);
            drop(waited);
            std::thread::sleep(self.0.period);
            self.tell_rest();
        }
    }

    /// Writes the counts of what was withheld.
    pub fn tell_rest(&self) {
        for (level, more, last) in self.take_rest() {
            match level {
                Level::ERROR => tracing::error!(target: COUNTS, more, "{last} … {more} more"),
                _ => tracing::warn!(target: COUNTS, more, "{last} … {more} more"),
            }
        }
    }

    fn take_rest(&self) -> Vec<(Level, u64, String)> {
        let mut told = self.told();
        let withheld = told.values_mut().filter(|each| each.more > 0);
        let rest = withheld.map(|each| {
            each.at = Instant::now();
            (
                each.level,
                std::mem::take(&mut each.more),
                each.last.clone(),
            )
        });
        rest.collect()
    }

    /// Whether this one is told in full.
    fn admits(&self, event: &Event<'_>, now: Instant) -> bool {
        let mut words = Words::default();
        event.record(&mut words);
        let metadata = event.metadata();
        let mut told = self.told();
        let key = (metadata.callsite(), words.kind.clone());
        let Some(known) = told.get_mut(&key) else {
            let first = Told {
                at: now,
                more: 0,
                level: *metadata.level(),
                last: String::new(),
            };
            told.insert(key, first);
            return true;
        };
        // What was withheld before comes first, from the thread.
        if known.more == 0 && now.duration_since(known.at) >= self.0.period {
            known.at = now;
            return true;
        }
        known.more += 1;
        known.last = words.into_line();
        drop(told);
        self.0.withheld.notify_one();
        false
    }

    fn told(&self) -> MutexGuard<'_, HashMap<(Identifier, String), Told>> {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Layer<S> for Repeats {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let metadata = event.metadata();
        let calm = *metadata.level() > Level::WARN || metadata.target() == COUNTS;
        calm || self.admits(event, Instant::now())
    }
}

/// What tells failures apart and what is repeated of the last one.
#[derive(Default)]
struct Words {
    message: String,
    /// Kinds of deliveries, places in the code.
    kind: String,
    reason: String,
}

impl Words {
    fn into_line(self) -> String {
        let Self {
            mut message,
            kind,
            reason,
        } = self;
        for word in [kind, reason].iter().filter(|word| !word.is_empty()) {
            let _ = write!(message, ", {word}");
        }
        message
    }
}

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "kind" | "place" => self.kind = value.to_owned(),
            "reason" => self.reason = value.to_owned(),
            "message" => self.message = value.to_owned(),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "error" => self.reason = format!("{value:?}"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::prelude::*;

    use super::*;
    use crate::logging::LogSink;
    use crate::logging::sink::tests::{Memory, PATIENCE};

    /// What is written while `work` runs, and then once a period has passed.
    fn log_of(work: impl FnOnce()) -> (String, String) {
        let (memory, repeats) = (Memory::default(), Repeats::every(Duration::MAX));
        let sink = LogSink::start(memory.clone());
        let format = tracing_subscriber::fmt::layer().with_ansi(false);
        let log = tracing_subscriber::registry()
            .with(repeats.clone())
            .with(format.with_writer(sink.clone()));
        let text = || {
            assert!(sink.flush_within(PATIENCE));
            memory.take()
        };
        tracing::subscriber::with_default(log, || {
            work();
            let before = text();
            repeats.tell_rest();
            (before, text())
        })
    }

    fn fail(kind: &str) {
        tracing::warn!(kind, reason = "status 500", "delivery failed");
    }

    #[test]
    fn the_first_is_told_in_full_and_the_rest_as_a_number() {
        let (before, after) = log_of(|| (0..38).for_each(|_| fail("webhook")));
        assert_eq!(before.lines().count(), 1, "{before}");
        assert_eq!(after.lines().count(), 1, "{after}");
        let count = "delivery failed, webhook, status 500 … 37 more";
        assert!(after.contains(count), "{after}");
    }

    #[test]
    fn what_differs_is_told_apart_and_what_is_no_failure_always() {
        let (before, after) = log_of(|| {
            fail("webhook");
            fail("notify");
            (0..5).for_each(|_| tracing::info!("all is well"));
        });
        assert_eq!(before.lines().count(), 7, "{before}");
        assert_eq!(after, "");
    }
}
