//! The log: human on a terminal, JSON otherwise. `sink` writes it, `repeats`
//! keeps a failure that repeats from filling it, `journal` tells systemd how grave
//! a line is.

mod journal;
mod repeats;
mod sink;

use std::io::{self, IsTerminal as _};

use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{LogFormat, LogSettings};
use journal::Graded;
pub use journal::last_words;
use repeats::Repeats;
pub use sink::LogSink;

/// The log as the rest of the program sees it.
#[derive(Clone)]
pub struct Log {
    pub sink: LogSink,
    pub json: bool,
    repeats: Repeats,
}

impl Log {
    /// Writes what is still to be told; for the end of the program.
    pub fn finish(&self) {
        self.repeats.tell_rest();
        self.sink.flush();
    }
}

/// Sets up the log on standard output for the whole program.
pub fn init(settings: &LogSettings) -> Log {
    let json = match settings.format {
        LogFormat::Auto => !io::stdout().is_terminal(),
        LogFormat::Human => false,
        LogFormat::Json => true,
    };
    let sink = LogSink::start(io::stdout());
    let repeats = Repeats::start();
    let log = tracing_subscriber::registry()
        .with(EnvFilter::new(&settings.filter))
        .with(repeats.clone());
    let format = fmt::layer().with_writer(Graded {
        sink: sink.clone(),
        is_journal: journal::reads(io::stdout()),
    });
    // A second call keeps the first log: only tests start two servers.
    let _ = if json {
        let format = format.json().flatten_event(true).with_current_span(false);
        log.with(format).try_init()
    } else {
        let colours = io::stdout().is_terminal();
        log.with(format.with_ansi(colours).with_target(false))
            .try_init()
    };
    log_panics();
    Log {
        sink,
        json,
        repeats,
    }
}

/// A panic becomes one log line with its place. Its text stays out: it could
/// hold what a visitor wrote.
fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "internal error");
    }));
}
