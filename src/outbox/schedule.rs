//! The retry schedule of failed deliveries. Pure: clock and jitter are passed in.

use std::time::Duration;

use jiff::Timestamp;

use crate::store::MAX_ATTEMPTS;

/// The delay before each attempt, about three days in all.
pub const DELAYS: [Duration; MAX_ATTEMPTS as usize] = [
    Duration::ZERO,
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// Each delay varies by up to this fraction, so that deliveries that failed together aren't retried
/// together. It is small enough that no delay is shorter than an earlier one.
const JITTER: f64 = 0.08;

/// A receiver may ask for a longer delay, but not for an unlimited one.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);

/// The time of the next attempt after `failed` attempts, the last of them at `now`; `None` if there
/// are no attempts left. `jitter` is between 0 and 1.
pub fn next_attempt(
    failed: u32,
    now: Timestamp,
    retry_after: Option<Duration>,
    jitter: f64,
) -> Option<Timestamp> {
    let pause = DELAYS.get(usize::try_from(failed).ok()?)?;
    let jittered = pause.mul_f64(1.0 - JITTER + 2.0 * JITTER * jitter);
    let asked = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    let next = now.saturating_add(jittered.max(asked));
    Some(next.unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(failed: u32, jitter: f64) -> Option<Duration> {
        let now = Timestamp::UNIX_EPOCH;
        let next = next_attempt(failed, now, None, jitter)?;
        Some(Duration::try_from(next.duration_since(now)).unwrap())
    }

    #[test]
    fn pauses_grow_and_sum_to_about_three_days_whatever_the_jitter() {
        for jitter in [0.0, 0.5, 1.0] {
            let pauses: Vec<_> = (0..11).filter_map(|failed| pause(failed, jitter)).collect();
            assert!(pauses.is_sorted() && pauses.len() == 10);
            let days = pauses.iter().sum::<Duration>().as_secs_f64() / 86_400.0;
            assert!((2.8..3.5).contains(&days), "{days} days");
        }
    }

    #[test]
    fn a_receiver_can_ask_for_more_time_within_bounds() {
        let now = Timestamp::UNIX_EPOCH;
        let asked = |time| next_attempt(1, now, Some(time), 0.5).unwrap().as_second();
        assert_eq!(asked(Duration::from_secs(120)), 120);
        assert_eq!(asked(Duration::from_secs(1)), 5, "never before its time");
        assert_eq!(asked(Duration::MAX), 24 * 60 * 60);
    }
}
