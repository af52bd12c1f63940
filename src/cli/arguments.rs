//! From the command line, and what is set around it, to a command with its
//! settings.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _};

use super::output::{self, tell};
use super::{Cli, Failure, tips};
use crate::config::{Given, Origin, Row, SettingsFileArgs, known_names};

/// What was set, and where.
#[derive(Debug, Default)]
pub struct Sources {
    given: Given,
    /// By the flag's name.
    flags: BTreeMap<String, String>,
}

impl Sources {
    /// The value of a setting, if it has one beside its default.
    pub fn find(&self, row: &Row) -> Option<(&str, Origin)> {
        let flag = self
            .flags
            .get(&row.flag)
            .filter(|text| !text.trim().is_empty());
        let flag = flag.map(|value| (value.as_str(), Origin::Flag));
        let given = || self.given.get(&row.name);
        flag.or_else(|| given().map(|found| (found.value.as_str(), found.origin.clone())))
    }

    pub fn given(&self) -> &Given {
        &self.given
    }
}

impl Cli {
    /// What is no command of ours, or asks for help, ends here.
    pub fn from_arguments() -> Result<Self, Failure> {
        let mut command = Self::command();
        if !output::is_terminal() {
            // Help goes into a pipe as it is.
            command = command.term_width(0);
        }
        // Without the file first: help must be there when the file is broken.
        let (cli, _) = parse(command.clone());
        if !cli.command.has_settings() {
            return Ok(cli);
        }
        let given = collect(&cli.settings)?;
        let (mut cli, matches) = parse(with_values(command, &given));
        let mut flags = BTreeMap::new();
        add_flags(&matches, &mut flags);
        cli.sources = Sources { given, flags };
        Ok(cli)
    }
}

fn parse(command: Command) -> (Cli, ArgMatches) {
    let matches = command.try_get_matches();
    let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    parsed.unwrap_or_else(|error| tips::set_right(error).exit())
}

fn collect(file: &SettingsFileArgs) -> Result<Given, Failure> {
    let given = Given::collect(file.path(), std::env::vars_os()).map_err(Failure::Usage)?;
    if !given.unknown.is_empty() {
        let known = known_names();
        let lines = given.unknown.iter().map(|(place, name)| {
            let tip = tips::setting(name, &known);
            let tip = tip.map(|tip| format!(": did you mean {tip}?"));
            format!(
                "{place}: {name} is no setting of frontdoor{}",
                tip.unwrap_or_default()
            )
        });
        return Err(Failure::Usage(lines.collect::<Vec<_>>().join("; ")));
    }
    for file in &given.open_secrets {
        let file = file.display();
        tell!(
            "frontdoor: {file} holds a secret and everybody on this machine may read it: \
            chmod o-rwx {file}"
        );
    }
    Ok(given)
}

/// With what is set in files as if it were the default: flags win over it, and
/// so does the environment, unless it is empty there.
fn with_values(command: Command, given: &Given) -> Command {
    let fill = |arg: Arg| {
        let name = arg.get_env().and_then(OsStr::to_str);
        match name.and_then(|name| given.get(name)) {
            Some(found) if found.origin != Origin::Environment => arg
                .env(Resettable::Reset)
                .default_value(found.value.clone()),
            _ => arg,
        }
    };
    let command = command.mut_args(fill);
    command.mut_subcommands(|inner| with_values(inner, given))
}

fn add_flags(matches: &ArgMatches, flags: &mut BTreeMap<String, String>) {
    for id in matches.ids().map(clap::Id::as_str) {
        // What a command passes up to those before it is not among their own.
        let Ok(Some(value)) = matches.try_get_one::<String>(id) else {
            continue;
        };
        if matches.value_source(id) == Some(ValueSource::CommandLine) {
            flags.insert(id.replace('_', "-"), value.clone());
        }
    }
    if let Some((_, inner)) = matches.subcommand() {
        add_flags(inner, flags);
    }
}
