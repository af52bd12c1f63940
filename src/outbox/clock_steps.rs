//! Notices that the clock on the wall was set back.
//!
//! The store's times are wall time, because they outlive the process. Between
//! two looks the monotonic clock tells how much time has really passed: when
//! the wall shows clearly less, what is planned must be planned anew. A clock
//! set forward needs nothing: what waits is tried a little early.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Clocks are corrected by fractions of a second all the time.
const TOLERANCE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct ClockSteps(Mutex<Seen>);

struct Seen {
    last: Option<(Timestamp, Instant)>,
    /// Planning anew is still to be done; so it is at the start, because the
    /// clock may have been set back while nobody looked.
    must_replan: bool,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            last: None,
            must_replan: true,
        }
    }
}

impl ClockSteps {
    /// Looks at the clock; true when there is something to plan anew.
    pub fn must_replan(&self, wall: Timestamp) -> bool {
        self.look(wall, Instant::now())
    }

    fn look(&self, wall: Timestamp, real: Instant) -> bool {
        let mut seen = self.lock();
        if let Some((last_wall, last_real)) = seen.last.replace((wall, real)) {
            let really = real.saturating_duration_since(last_real);
            let shown = wall.duration_since(last_wall);
            seen.must_replan |=
                shown.as_secs_f64() < really.as_secs_f64() - TOLERANCE.as_secs_f64();
        }
        seen.must_replan
    }

    /// `more`: not everything is planned anew yet.
    pub fn replanned(&self, more: bool) {
        self.lock().must_replan = more;
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    /// Is a step noticed when so many seconds pass, and so many on the wall?
    fn noticed(real: u64, wall: i64) -> bool {
        let (steps, start) = (ClockSteps::default(), Instant::now());
        let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        assert!(steps.look(noon, start), "the first look");
        steps.replanned(false);
        let later = noon + SignedDuration::from_secs(wall);
        steps.look(later, start + Duration::from_secs(real))
    }

    #[test]
    fn a_step_back_is_noticed_and_nothing_else() {
        assert!(noticed(1, -86_400));
        assert!(noticed(60, 30), "half a minute back within a minute");
        assert!(!noticed(1, 1));
        assert!(!noticed(1, 0), "a small correction");
        assert!(!noticed(1, 86_400), "forward, or a machine that slept");
    }

    #[test]
    fn it_is_said_until_all_is_planned_anew() {
        let steps = ClockSteps::default();
        steps.replanned(true);
        assert!(steps.must_replan(Timestamp::now()));
        steps.replanned(false);
        assert!(!steps.must_replan(Timestamp::now()));
    }
}
