//! The `Date` of an answer.
//!
//! hyper keeps the one it has written until the clock has passed it, so a
//! clock that is set back freezes it. This one is new with every second,
//! whichever way the clock goes.

use std::cell::RefCell;
use std::time::SystemTime;

use http::HeaderValue;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

thread_local! {
    /// The second and its text, for the many answers within it.
    static WRITTEN: RefCell<(i64, Option<HeaderValue>)> = const { RefCell::new((0, None)) };
}

/// `None` only for a clock outside of every calendar: then hyper adds its own.
pub fn date() -> Option<HeaderValue> {
    let now = Timestamp::try_from(SystemTime::now()).ok()?;
    of_second(now)
}

fn of_second(now: Timestamp) -> Option<HeaderValue> {
    WRITTEN.with_borrow_mut(|(second, text)| {
        if *second != now.as_second() || text.is_none() {
            *second = now.as_second();
            *text = written(now);
        }
        text.clone()
    })
}

fn written(now: Timestamp) -> Option<HeaderValue> {
    let text = DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&now)
        .ok()?;
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_follows_the_clock_forwards_and_back() {
        for (time, text) in [
            ("2026-11-15T12:00:00.9Z", "Sun, 15 Nov 2026 12:00:00 GMT"),
            ("2026-11-15T12:00:01Z", "Sun, 15 Nov 2026 12:00:01 GMT"),
            ("2026-11-14T12:00:01Z", "Sat, 14 Nov 2026 12:00:01 GMT"),
        ] {
            let date = of_second(time.parse().unwrap()).unwrap();
            assert_eq!(date, text);
        }
    }
}
