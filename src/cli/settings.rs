//! `frontdoor settings`: shows the settings in force. Also reads them for all commands.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::UsageError;
use super::lists::{Columns, show};
use super::output::eprint_line;
use crate::config::{EffectiveSetting, ExternalSettings, ServeArgs, Settings};

pub const AFTER_HELP: &str = "\
A flag wins over the environment, the environment over the settings file, and
the file over the default. Secrets are shown as ***. Exit code 2 means that a
value is wrong; the last line says which.";

/// Reads the environment and the settings file for every command.
pub fn collect(file: Option<PathBuf>) -> Result<()> {
    let given = ExternalSettings::collect(file, std::env::vars_os()).map_err(UsageError)?;
    for file in &given.open_secrets {
        let file = file.display();
        eprint_line!(
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

const COLUMNS: Columns<EffectiveSetting> = ("SETTING, VALUE, FROM", |setting| {
    vec![
        setting.name.to_owned(),
        setting.value().to_owned(),
        setting.origin(),
    ]
});

pub fn run(args: &SettingsArgs) -> Result<()> {
    let rows = args.settings.rows().into_iter();
    let settings: Vec<_> = rows.map(EffectiveSetting::from).collect();
    show(args.json, &COLUMNS, &settings)?;
    Settings::load(&args.settings)?;
    Ok(())
}
