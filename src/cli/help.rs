//! `frontdoor completions` and `frontdoor man`: a script for the owner's shell, and one
//! manual page with every command.

use anyhow::Context as _;
use clap::{Args, Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::output::print;
use super::{Cli, Failure};

pub const AFTER_COMPLETIONS_HELP: &str = "\
For bash, for example:
  frontdoor completions bash > /etc/bash_completion.d/frontdoor";

pub const AFTER_MAN_HELP: &str = "\
To read it: frontdoor man | man -l -
To install it: frontdoor man > /usr/local/share/man/man1/frontdoor.1";

/// Of the help texts; a page has a margin.
const WIDTH: usize = 72;

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Whose completions
    shell: Shell,
}

/// All commands, without the values that are set on this machine.
fn command() -> Command {
    fn without_values(command: Command) -> Command {
        let command = command.mut_args(|arg| arg.hide_env_values(true));
        command.mut_subcommands(without_values)
    }
    without_values(Cli::command())
}

pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut command(), "frontdoor", &mut script);
    Ok(print(&String::from_utf8_lossy(&script))?)
}

pub fn man() -> Result<(), Failure> {
    let mut command = command().term_width(WIDTH);
    command.build();
    let mut page = Vec::new();
    let made = Man::new(command.clone()).render(&mut page);
    made.context("cannot make the page")?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for inner in command.get_subcommands_mut() {
        add(&mut page, inner, "frontdoor");
    }
    Ok(print(&page)?)
}

/// The help of the command and of those in it, as it stands.
fn add(page: &mut String, command: &mut Command, before: &str) {
    if command.get_name() == "help" {
        return;
    }
    let name = format!("{before} {}", command.get_name());
    let help = command.render_long_help().to_string();
    let help: Vec<_> = help.lines().map(escaped).collect();
    let (heading, help) = (name.to_uppercase(), help.join("\n"));
    page.push_str(&format!(".SH \"{heading}\"\n.nf\n{help}\n.fi\n"));
    for inner in command.get_subcommands_mut() {
        add(page, inner, &name);
    }
}

/// A line in which nothing is a command of the typesetter.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line,
    }
}
