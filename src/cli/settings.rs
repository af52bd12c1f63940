//! `frontdoor settings`: what is in force, and where it was set.

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::arguments::Sources;
use super::output::{print, print_json, width};
use super::table::{Column, render};
use crate::config::{Origin, Row, ServeArgs, Settings, rows};

pub const AFTER_HELP: &str = "\
A flag wins over the environment, the environment over the settings file, and
that over the default. Secrets are shown as ***. Exit code 2: a value is wrong,
and the last line says which.";

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
        setting
            .value
            .clone()
            .unwrap_or_else(|| setting.default.clone())
    }),
    Column::whole("FROM", |setting| setting.from.clone()),
];

pub fn run(args: &SettingsArgs, sources: &Sources) -> Result<(), Failure> {
    let settings: Vec<_> = rows().iter().map(|row| in_force(row, sources)).collect();
    match args.json {
        true => print_json(&settings)?,
        false => print(&(render(&COLUMNS, &settings, width()).join("\n") + "\n"))?,
    }
    Settings::load(&args.settings)?;
    Ok(())
}

fn in_force(row: &Row, sources: &Sources) -> InForce {
    let (value, origin) = match sources.find(row) {
        Some((value, origin)) => (Some(row.shown(value.trim())), origin),
        None => (None, Origin::Default),
    };
    InForce {
        name: row.name.clone(),
        value,
        default: row.default.clone(),
        source: origin.key(),
        place: origin.place(),
        from: origin.to_string(),
    }
}
