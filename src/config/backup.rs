//! Copies of the database that the server makes by itself.

use std::path::PathBuf;

use super::parse::Parsed;
use super::setting::{ConfigError, settings};
use crate::store::DatabaseUrl;

settings! {
    BackupArgs in "Data" => Option<BackupSettings> {
        /// Folder for a daily, checked backup of a SQLite database
        #[arg(env = "FRONTDOOR_BACKUP_DIR", value_name = "FOLDER")]
        backup_dir => folder: PathBuf = folder, or off;

        /// So many daily backups are kept
        #[arg(env = "FRONTDOOR_BACKUP_KEEP", value_name = "NUMBER")]
        backup_keep => keep: usize = number, or "14";
    }
}

impl BackupSettings {
    /// A database server has tools of its own for that.
    pub fn load(args: &BackupArgs, url: &DatabaseUrl) -> Result<Option<Self>, ConfigError> {
        let settings = args.load()?;
        match (url, &settings) {
            (DatabaseUrl::Postgres(_), Some(_)) => Err(ConfigError {
                setting: "FRONTDOOR_BACKUP_DIR",
                problem: "must be empty with PostgreSQL, which is backed up with `pg_dump`".into(),
            }),
            _ => Ok(settings),
        }
    }
}

fn folder(text: &str) -> Parsed<PathBuf> {
    match text.contains(char::is_control) {
        true => Err("must be the path of a folder".into()),
        false => Ok(text.into()),
    }
}

fn number(text: &str) -> Parsed<usize> {
    let number = text.parse().ok().filter(|keep| (1..=10_000).contains(keep));
    number.ok_or_else(|| "must be a whole number from 1 to 10000".into())
}
