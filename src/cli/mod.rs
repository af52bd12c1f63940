//! The command line: one enum of commands, one file each.

mod check;
mod serve;

use std::fmt;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{ConfigError, ServeArgs};

/// The website of a small consultancy: pages, leads and the owner's tools.
#[derive(Parser, Debug)]
#[command(name = "frontdoor", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve the site
    Serve(ServeArgs),
    /// Check the settings and that the database opens, then stop
    Check(ServeArgs),
}

/// Why a command ended early; the line goes to standard error.
#[derive(Debug)]
pub enum Failure {
    /// A setting or an argument is wrong: exit code 2.
    Usage(String),
    /// Something did not work: exit code 1.
    Failed(String),
}

impl Failure {
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(line) | Self::Failed(line)) = self;
        // One line, whatever a library put into its message.
        f.write_str(&line.lines().collect::<Vec<_>>().join(" "))
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

impl Cli {
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Serve(args) => serve::run(&args),
            Command::Check(args) => check::run(&args),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
