//! The log: human on a terminal, JSON otherwise.

mod sink;

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, LogSettings};
pub use sink::LogSink;

/// The log as the rest of the program sees it.
#[derive(Clone)]
pub struct Log {
    pub sink: LogSink,
    pub json: bool,
}

/// Sets up the log on standard output for the whole program.
pub fn init(settings: &LogSettings) -> Log {
    let json = match settings.format {
        LogFormat::Auto => !io::stdout().is_terminal(),
        LogFormat::Human => false,
        LogFormat::Json => true,
    };
    let sink = LogSink::start(io::stdout());
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&settings.filter))
        .with_writer(sink.clone());
    // A second call keeps the first log: only tests start two servers.
    let _ = if json {
        builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init()
    } else {
        builder
            .with_ansi(io::stdout().is_terminal())
            .with_target(false)
            .try_init()
    };
    log_panics();
    Log { sink, json }
}

/// A panic becomes one log line with its place. Its text stays out: it could
/// hold what a visitor wrote.
fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "internal error");
    }));
}
