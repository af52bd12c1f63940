//! Writing results to standard output.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

/// Writes text. A reader that has seen enough (`| head`) is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write"),
        _ => Ok(()),
    }
}

pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    print(&format!("{json}\n"))
}

/// How wide the terminal is; `None` when the output goes elsewhere.
pub fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// A time for people: minutes are enough.
pub fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// `1 lead`, `2 leads`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
