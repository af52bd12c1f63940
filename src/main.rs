//! Parses the command line, runs the command, says how it ended.

use std::process::ExitCode;

use frontdoor::cli::Cli;

/// Here and not in the library: other words on a page only need this file built again.
static SITE: &[u8] = include_bytes!(env!("FRONTDOOR_PACK")); // made by `make web`

fn main() -> ExitCode {
    match Cli::from_arguments().run(SITE) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("frontdoor: {failure}");
            failure.exit_code()
        }
    }
}
