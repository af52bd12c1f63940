//! The program with the site inside.

use std::process::ExitCode;

/// Built by `make web`. Included here, not in the library, so that a changed page recompiles only
/// this file.
static BUILT_IN: &[u8] = include_bytes!(concat!(env!("FRONTDOOR_WEB_DIST"), "/site.pack"));

fn main() -> ExitCode {
    frontdoor::cli::run(BUILT_IN)
}
