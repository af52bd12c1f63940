//! When something that is to happen once a day is due.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Visitors sleep, and nobody is at work.
const QUIET_HOUR: i8 = 3;
/// At the quiet hour what is older than this is done again; that way a server
/// that was started at noon comes to do it at night.
const HALF_A_DAY: SignedDuration = SignedDuration::from_hours(12);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// `last`: when it was done. Later than now: before the clock was set back.
pub fn is_due(last: Option<Timestamp>, now: Timestamp, zone: &TimeZone) -> bool {
    let Some(last) = last.filter(|last| *last <= now) else {
        return true;
    };
    let age = now.duration_since(last);
    let is_quiet = now.to_zoned(zone.clone()).hour() == QUIET_HOUR;
    age >= DAY || (is_quiet && age >= HALF_A_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_at_once_then_at_night_and_never_less_than_once_a_day() {
        let zone = TimeZone::get("America/Toronto").unwrap();
        let time = |text: &str| -> Timestamp { text.parse().unwrap() };
        let noon = time("2026-11-15T17:00:00Z");
        for (last, now, due) in [
            (None, noon, true),
            (Some(noon), noon, false),
            // 02:59 and 03:00 in Toronto.
            (Some(noon), time("2026-11-16T07:59:00Z"), false),
            (Some(noon), time("2026-11-16T08:00:00Z"), true),
            (
                Some(time("2026-11-16T08:00:00Z")),
                time("2026-11-16T08:59:00Z"),
                false,
            ),
            // The night was slept through.
            (Some(noon), time("2026-11-16T16:59:00Z"), false),
            (Some(noon), time("2026-11-16T17:00:00Z"), true),
            // The clock was set back.
            (Some(noon), time("2026-11-15T12:00:00Z"), true),
        ] {
            assert_eq!(is_due(last, now, &zone), due, "{last:?} {now}");
        }
    }
}
