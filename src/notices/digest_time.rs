//! When the day's digest is due. Pure: the present and the zone are passed in.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The day whose digest may go out now. From the hour on until the day ends: a
/// server that was down at that hour makes up for it, and an hour that a change
/// of the clocks leaves out, or brings twice, is still one day's.
pub fn day(hour: i8, zone: &TimeZone, now: Timestamp) -> Option<String> {
    let local = now.to_zoned(zone.clone());
    (local.hour() >= hour).then(|| local.date().to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::SignedDuration;

    use super::*;

    fn toronto() -> TimeZone {
        TimeZone::get("America/Toronto").unwrap()
    }

    fn at(hour: i8, time: &str) -> Option<String> {
        day(hour, &toronto(), time.parse().unwrap())
    }

    #[test]
    fn it_is_due_from_its_hour_on_by_the_clock_of_the_site() {
        assert_eq!(at(8, "2026-07-01T11:59:59Z"), None);
        assert_eq!(at(8, "2026-07-01T12:00:00Z"), Some("2026-07-01".into()));
        assert_eq!(at(8, "2026-07-02T03:59:59Z"), Some("2026-07-01".into()));
        assert_eq!(at(8, "2026-07-02T04:00:00Z"), None, "a new day");
        assert_eq!(at(0, "2026-07-02T04:00:00Z"), Some("2026-07-02".into()));
    }

    /// On 8 March 2026 there is no hour 2; on 1 November there are two hours 1.
    #[test]
    fn every_day_has_its_digest_also_when_clocks_change() {
        for (start, hour) in [("2026-03-06T05:00:00Z", 2), ("2026-10-30T04:00:00Z", 1)] {
            let start: Timestamp = start.parse().unwrap();
            let mut first = BTreeMap::new();
            for minutes in 0..5 * 24 * 60 {
                let now = start + SignedDuration::from_mins(minutes);
                if let Some(day) = day(hour, &toronto(), now) {
                    first.entry(day).or_insert(now);
                }
            }
            assert_eq!(first.len(), 5, "{first:?}");
            for (day, time) in &first {
                let local = time.to_zoned(toronto());
                let skipped = day == "2026-03-08";
                assert_eq!(local.hour(), hour + i8::from(skipped), "{day}");
                assert_eq!(local.minute(), 0, "{day}");
            }
        }
    }
}
