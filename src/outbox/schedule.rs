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
    use proptest::prelude::*;

    use super::*;

    fn pause(failed: u32, jitter: f64) -> Option<Duration> {
        let now = Timestamp::UNIX_EPOCH;
        let next = next_attempt(failed, now, None, jitter)?;
        Some(Duration::try_from(next.duration_since(now)).unwrap())
    }

    #[test]
    fn without_jitter_the_pauses_are_those_of_the_table() {
        let pauses: Vec<_> = (0..10).filter_map(|failed| pause(failed, 0.5)).collect();
        assert_eq!(pauses, DELAYS);
        assert_eq!(pause(10, 0.5), None, "the tenth failure is the last");
    }

    #[test]
    fn a_receiver_can_ask_for_more_time_within_bounds() {
        let now = Timestamp::UNIX_EPOCH;
        let asked = |time| next_attempt(1, now, Some(time), 0.5).unwrap().as_second();
        assert_eq!(asked(Duration::from_secs(120)), 120);
        assert_eq!(asked(Duration::from_secs(1)), 5, "never before its time");
        assert_eq!(asked(Duration::MAX), 24 * 60 * 60);
    }

    proptest! {
        #[test]
        fn pauses_grow_and_sum_to_about_three_days(
            jitter in proptest::collection::vec(0.0_f64..=1.0, 10)
        ) {
            let pauses: Vec<_> = (0..10)
                .map(|failed| pause(failed, jitter[failed as usize]).unwrap())
                .collect();
            prop_assert!(pauses.is_sorted());
            for (pause, planned) in pauses.iter().zip(DELAYS) {
                let off = pause.as_secs_f64() - planned.as_secs_f64();
                prop_assert!(off.abs() <= planned.as_secs_f64() * JITTER + 1e-6);
            }
            let days = pauses.iter().sum::<Duration>().as_secs_f64() / 86_400.0;
            prop_assert!((2.8..3.5).contains(&days), "{} days", days);
        }

        #[test]
        fn no_input_makes_it_panic(
            failed: u32, second in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second(),
            asked in proptest::option::of(any::<Duration>()), jitter in 0.0_f64..=1.0,
        ) {
            let now = Timestamp::from_second(second).unwrap();
            if let Some(next) = next_attempt(failed, now, asked, jitter) {
                prop_assert!(next >= now);
            }
        }
    }
}
