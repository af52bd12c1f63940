//! `frontdoor settings`: what is set outside the command line, and what is in force.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::Usage;
use super::lists::{Columns, show};
use super::output::tell;
use crate::config::{Given, Row, ServeArgs, Settings};

pub const AFTER_HELP: &str = "\
A flag wins over the environment, the environment over the settings file, and
that over the default. Secrets are shown as ***. Exit code 2: a value is wrong,
and the last line says which.";

/// Reads the environment and the settings file for every command.
pub fn collect(file: Option<PathBuf>) -> Result<()> {
    let given = Given::collect(file, std::env::vars_os()).map_err(Usage)?;
    for file in &given.open_secrets {
        let file = file.display();
        tell!(
            "frontdoor: {file} holds a secret and everybody on this machine may read it: \
            chmod o-rwx {file}"
        );
    }
    given.keep();
    Ok(())
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
    name: &'static str,
    /// `null`: the default, which may be none.
    value: Option<String>,
    default: &'static str,
    source: &'static str,
    /// The file, with the line where it has several.
    place: Option<String>,
}

const COLUMNS: Columns<InForce> = ("SETTING, VALUE, FROM", |setting| {
    let value = setting.value.as_deref().unwrap_or(setting.default);
    let source = setting.source;
    let from = match &setting.place {
        Some(place) => format!("{} {place}", source.replace('_', " ")),
        None => source.to_owned(),
    };
    vec![setting.name.to_owned(), value.to_owned(), from]
});

pub fn run(args: &SettingsArgs) -> Result<()> {
    let rows = args.settings.rows().into_iter();
    let settings: Vec<_> = rows.map(InForce::from).collect();
    show(args.json, &COLUMNS, &settings)?;
    Settings::load(&args.settings)?;
    Ok(())
}

impl From<Row> for InForce {
    fn from(row: Row) -> Self {
        let found = row.found.as_ref();
        Self {
            name: row.name,
            value: found.map(|found| row.shown(&found.value)),
            default: row.default,
            source: found.map_or("default", |found| found.source),
            place: found.and_then(|found| found.place.clone()),
        }
    }
}
