//! `frontdoor man`: one manual page with every command.

use anyhow::Context as _;
use clap::Command;
use clap_mangen::Man;

use super::output::print;
use super::{Failure, bare_command};

pub const AFTER_HELP: &str = "\
To read it: frontdoor man | man -l -
To install it: frontdoor man > /usr/local/share/man/man1/frontdoor.1";

/// Of the help texts; a page has a margin.
const WIDTH: usize = 72;

pub fn run() -> Result<(), Failure> {
    let mut command = bare_command().term_width(WIDTH);
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .context("cannot make the page")?;
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
    let help: Vec<_> = help.lines().map(harmless).collect();
    let heading = name.to_uppercase();
    page.push_str(&format!(
        ".SH \"{heading}\"\n.nf\n{}\n.fi\n",
        help.join("\n")
    ));
    for inner in command.get_subcommands_mut() {
        add(page, inner, &name);
    }
}

/// A line in which nothing is a command of the typesetter.
fn harmless(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line,
    }
}
