//! Counts and time spans in words, for the owner's screen and mails.

use jiff::Timestamp;

/// The time between the two, in the largest suitable unit.
pub fn span(from: Timestamp, to: Timestamp) -> String {
    let minutes = to.duration_since(from).as_mins().max(0);
    match minutes {
        0..60 => format!("{minutes}m"),
        60..2_880 => format!("{}h", minutes / 60),
        2_880..525_600 => format!("{}d", minutes / 1_440),
        _ => format!("{}y", minutes / 525_600),
    }
}

/// The time left until `due`, or how late it is.
pub fn time_left(due: Timestamp, now: Timestamp) -> String {
    if due < now {
        format!("{} late", span(due, now))
    } else {
        format!("{} left", span(now, due))
    }
}

/// `1 lead`, `2 leads`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_its_largest_unit() {
        let now: Timestamp = "2026-03-08T12:00:00Z".parse().unwrap();
        for (from, expected) in [
            ("2026-03-08T11:59:30Z", "0m"),
            ("2026-03-08T11:01:00Z", "59m"),
            ("2026-03-06T13:00:00Z", "47h"),
            ("2026-03-06T12:00:00Z", "2d"),
            ("2024-03-01T12:00:00Z", "2y"),
            // A clock that was set back.
            ("2026-03-09T12:00:00Z", "0m"),
        ] {
            assert_eq!(span(from.parse().unwrap(), now), expected, "{from}");
        }
    }
}
