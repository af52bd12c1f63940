//! Writing results to standard output.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

/// A line for the owner beside the result.
macro_rules! tell {
    ($($words:tt)*) => {
        $crate::cli::output::aside(&(format!($($words)*) + "\n"))
    };
}
pub(crate) use tell;

/// The same without an end. Who does not read it is no failure either, and
/// `eprint!` would panic.
pub fn aside(text: &str) {
    let mut output = io::stderr().lock();
    let _ = output.write_all(text.as_bytes());
    let _ = output.flush();
}

/// Writes text. A reader that has seen enough (`| head`) is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_on(text).map(|_| ())
}

/// The same; false when nobody reads any more.
pub fn print_on(text: &str) -> anyhow::Result<bool> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot write"),
    }
}

pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    print(&format!("{json}\n"))
}

/// Of a line that goes elsewhere than to a terminal.
const WIDTH_ELSEWHERE: usize = 160;
/// Of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// How wide a line may be.
pub fn width() -> usize {
    match is_terminal() {
        false => WIDTH_ELSEWHERE,
        true => {
            terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0))
        }
    }
}

/// As <https://no-color.org> has it, and never in a pipe.
pub fn has_colour() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// A time for people: minutes are enough.
pub fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// How long it takes from one to the other, in the largest unit.
pub fn span(from: Timestamp, to: Timestamp) -> String {
    let minutes = to.duration_since(from).as_mins().max(0);
    match minutes {
        0..60 => format!("{minutes}m"),
        60..2_880 => format!("{}h", minutes / 60),
        2_880..525_600 => format!("{}d", minutes / 1_440),
        _ => format!("{}y", minutes / 525_600),
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
        for (from, told) in [
            ("2026-03-08T11:59:30Z", "0m"),
            ("2026-03-08T11:01:00Z", "59m"),
            ("2026-03-06T13:00:00Z", "47h"),
            ("2026-03-06T12:00:00Z", "2d"),
            ("2024-03-01T12:00:00Z", "2y"),
            // A clock that was set back.
            ("2026-03-09T12:00:00Z", "0m"),
        ] {
            assert_eq!(span(from.parse().unwrap(), now), told, "{from}");
        }
    }
}
