//! `frontdoor completions` and `frontdoor man`: a script for the owner's shell, and one
//! manual page with every command.

use anyhow::{Context as _, Result};
use clap::{Args, Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::Cli;
use super::output::print;

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
    /// The shell to write them for
    shell: Shell,
}

pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "frontdoor", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub fn man() -> Result<()> {
    let mut command = Cli::command().term_width(WIDTH);
    command.build();
    let mut page = Vec::new();
    let made = Man::new(command.clone()).render(&mut page);
    made.context("cannot write the page")?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for inner in command.get_subcommands_mut() {
        add(&mut page, inner, "frontdoor");
    }
    print(&page)
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
