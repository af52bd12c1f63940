//! Parses the command line, runs the command, reports how it ended.

use std::io::{self, Write as _};
use std::process::ExitCode;

use frontdoor::cli;
use frontdoor::logging::error_prefix;

/// Built by `make web`. Included here, not in the library, so that a changed page recompiles only
/// this file.
static BUILT_IN: &[u8] = include_bytes!(concat!(env!("FRONTDOOR_WEB_DIST"), "/site.pack"));

fn main() -> ExitCode {
    match cli::run(BUILT_IN) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let prefix = error_prefix(io::stderr());
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "{prefix}frontdoor: {}", failure.line);
            ExitCode::from(failure.code)
        }
    }
}
