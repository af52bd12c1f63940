//! The output of commands: results go to standard output, everything else, questions included,
//! to standard error.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use serde::Serialize;

use super::bail_usage;
use crate::content::site;
use crate::domain::one_line;
pub use crate::domain::{count, printable, printable_line, span};

/// Prints a line of a result.
macro_rules! print_line {
    ($($words:tt)*) => {
        $crate::cli::output::print(&(format!($($words)*) + "\n"))
    };
}
pub(crate) use print_line;

/// Prints a line on standard error.
macro_rules! eprint_line {
    ($($words:tt)*) => {
        $crate::cli::output::eprint(&(format!($($words)*) + "\n"))
    };
}
pub(crate) use eprint_line;

/// Prints on standard error. A reader that is gone isn't an error; `eprint!` would panic.
pub fn eprint(text: &str) {
    let mut output = io::stderr().lock();
    let _ = output.write_all(text.as_bytes());
    let _ = output.flush();
}

/// Prints a result. A reader that has seen enough (`| head`) isn't an error.
pub fn print(text: &str) -> Result<()> {
    print_more(text).map(|_| ())
}

/// Prints a part of a result. Returns false if the reader is gone.
pub fn print_more(text: &str) -> Result<bool> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("can't write the output"),
    }
}

pub fn print_json(value: &impl Serialize) -> Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    print(&format!("{json}\n"))
}

pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

pub fn minute(time: Timestamp) -> String {
    site().minute(time)
}

/// The name of a file that the owner has given, as it is stored.
pub fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    one_line(&name.to_string_lossy())
}

/// Asks before something that can't be undone, unless `yes` is set. Without a terminal, the
/// answer must be piped in. `otherwise` is the error after a no.
pub fn confirm(yes: bool, question: &str, otherwise: &str) -> Result<()> {
    if yes {
        return Ok(());
    }
    eprint(&format!("{question} [y/N] "));
    match read_line()?.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        "" if !io::stdin().is_terminal() => {
            bail_usage!("can't ask here; add --yes to confirm")
        }
        _ => bail!("{otherwise}"),
    }
}

/// Reads a line with its line break; empty at the end of the input.
pub fn read_line() -> Result<String> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line);
    read.context("can't read the answer")?;
    Ok(line)
}

/// Shows the progress of a long command, with a line for each tenth.
pub struct Progress {
    what: &'static str,
    total: u64,
    tenths: u64,
}

impl Progress {
    pub fn new(what: &'static str, total: u64) -> Self {
        Self {
            what,
            total,
            tenths: 0,
        }
    }

    pub fn show(&mut self, done: u64) {
        let tenths = done * 10 / self.total.max(1);
        if tenths > self.tenths {
            self.tenths = tenths;
            eprint_line!("{}: {done} of {}", self.what, self.total);
        }
    }
}
