//! Parses the command line, runs the command, says how it ended.

use std::process::ExitCode;

use clap::Parser as _;
use frontdoor::cli::Cli;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("frontdoor: {failure}");
            failure.exit_code()
        }
    }
}
