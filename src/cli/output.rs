//! Writing results to standard output.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

use crate::content::SITE;
pub use crate::domain::{count, span};
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

/// A time for the owner, in the zone of the site.
pub fn minute(time: Timestamp) -> String {
    SITE.minute(time)
}
