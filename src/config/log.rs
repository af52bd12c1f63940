//! How the program tells what it does.

use tracing_subscriber::EnvFilter;

use super::parse::{Parsed, one_of};
use super::setting::settings;

settings! {
    LogArgs in "Log" => LogSettings {
        /// What to log: error, warn, info, debug, trace or off, also per part of
        /// the program (`info,frontdoor::outbox=debug`)
        #[arg(env = "FRONTDOOR_LOG", value_name = "FILTER")]
        log => filter: String = filter, or "info";

        /// Form of the log: `human`, `json`, or `auto` (human on a terminal, JSON
        /// otherwise)
        #[arg(env = "FRONTDOOR_LOG_FORMAT", value_name = "FORMAT")]
        log_format => format: LogFormat = format, or "auto";
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Auto,
    Human,
    Json,
}

/// In the syntax of [`EnvFilter`], tried.
fn filter(text: &str) -> Parsed<String> {
    let tried = EnvFilter::try_new(text).map(|_| text.to_owned());
    tried.map_err(|_| "must be a filter, like info or info,frontdoor::outbox=debug".into())
}

fn format(text: &str) -> Parsed<LogFormat> {
    let formats = [
        ("auto", LogFormat::Auto),
        ("human", LogFormat::Human),
        ("json", LogFormat::Json),
    ];
    one_of(formats, text)
}
