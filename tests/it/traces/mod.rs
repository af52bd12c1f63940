//! Traces, as a collector gets them from the real program.

mod collector;
mod faults;
mod steps;

use collector::Collector;

use crate::support::database::Database;
use crate::support::process::Process;

/// A server that sends its traces there.
fn traced(database: &Database, url: &str, more: &[(&str, &str)]) -> Process {
    let settings = [
        ("FRONTDOOR_OTLP_URL", url),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    Process::start(&database.url(), &[&settings[..], more].concat())
}
