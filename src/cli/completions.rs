//! `frontdoor completions`: a script for the owner's shell.

use clap::Args;
use clap_complete::{Shell, generate};

use super::output::print;
use super::{Failure, bare_command};

pub const AFTER_HELP: &str = "\
For bash, for example:
  frontdoor completions bash > /etc/bash_completion.d/frontdoor";

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Whose completions
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut bare_command(), "frontdoor", &mut script);
    Ok(print(&String::from_utf8_lossy(&script))?)
}
