//! From the command line, and what is set around it, to a command with its
//! settings; and `frontdoor settings`, which shows them and where each was set.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory as _, FromArgMatches as _};
use serde::Serialize;

use super::lists::{Column, table};
use super::output::{self, print, print_json, tell};
use super::{Cli, Failure};
use crate::config::{Given, Origin, Row, ServeArgs, Settings, SettingsFileArgs, known_names, rows};

/// How alike a name and the setting that it is taken for must be.
const ALIKE: f64 = 0.85;

pub const AFTER_HELP: &str = "\
A flag wins over the environment, the environment over the settings file, and
that over the default. Secrets are shown as ***. Exit code 2: a value is wrong,
and the last line says which.";

/// The settings that are given, and where.
#[derive(Debug, Default)]
pub struct Sources {
    pub given: Given,
    /// By the flag's name.
    flags: BTreeMap<String, String>,
}

impl Cli {
    /// Ends the program where no command is to be run: a mistake, or a call for help.
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
    parsed.unwrap_or_else(|error| error.exit())
}

fn collect(file: &SettingsFileArgs) -> Result<Given, Failure> {
    let given = Given::collect(file.path(), std::env::vars_os()).map_err(Failure::Usage)?;
    if !given.unknown.is_empty() {
        let known = known_names();
        fn bare(name: &str) -> &str {
            name.trim_start_matches("FRONTDOOR_")
        }
        let lines = given.unknown.iter().map(|(place, name)| {
            let likeness =
                |known: &str| strsim::jaro_winkler(bare(&name.to_uppercase()), bare(known));
            let nearest = known
                .iter()
                .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            let tip = nearest.filter(|known| likeness(known) > ALIKE);
            let tip = tip.map(|tip| format!(": did you mean {tip}?"));
            let tip = tip.unwrap_or_default();
            format!("{place}: {name} is no setting of frontdoor{tip}")
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
        // Flags of an inner command are not among those of the outer one.
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

#[derive(Args, Debug)]
pub struct SettingsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    settings: ServeArgs,
}

/// One setting as it is in force.
#[derive(Serialize)]
struct InForce {
    name: String,
    /// `null`: the default, which may be none.
    value: Option<String>,
    default: String,
    source: &'static str,
    /// The file, with the line where it has several.
    place: Option<String>,
    #[serde(skip)]
    from: String,
}

const COLUMNS: [Column<InForce>; 3] = [
    Column::whole("SETTING", |setting| setting.name.clone()),
    Column::cut("VALUE", 20, |setting| {
        let value = setting.value.as_ref();
        value.unwrap_or(&setting.default).clone()
    }),
    Column::whole("FROM", |setting| setting.from.clone()),
];

pub fn run(args: &SettingsArgs, sources: &Sources) -> Result<(), Failure> {
    let settings: Vec<_> = rows().iter().map(|row| in_force(row, sources)).collect();
    match args.json {
        true => print_json(&settings)?,
        false => print(&table(&COLUMNS, &settings))?,
    }
    Settings::load(&args.settings)?;
    Ok(())
}

fn in_force(row: &Row, sources: &Sources) -> InForce {
    let flag = sources.flags.get(&row.flag);
    let flag = flag.filter(|text| !text.trim().is_empty());
    let (value, origin) = match (flag, sources.given.get(&row.name)) {
        (Some(flag), _) => (Some(flag), Origin::Flag),
        (None, Some(given)) => (Some(&given.value), given.origin.clone()),
        (None, None) => (None, Origin::Default),
    };
    InForce {
        name: row.name.clone(),
        value: value.map(|value| row.shown(value.trim())),
        default: row.default.clone(),
        source: origin.key(),
        place: origin.place(),
        from: origin.to_string(),
    }
}
