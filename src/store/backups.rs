//! Copies of the database, and putting one in its place.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{DatabaseUrl, Result, Store, StoreError, on_engine, sqlite};

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFacts {
    /// Of its tables, and of those that this program works with.
    pub version: i64,
    pub known: i64,
    pub leads: u64,
    /// When the last of them came in.
    pub newest: Option<Timestamp>,
}

/// What restoring did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub facts: BackupFacts,
    /// Where the database is that was there before.
    pub aside: Option<PathBuf>,
}

impl Store {
    /// Writes a consistent copy to a new file while the store is in use.
    pub async fn backup(&self, file: &Path) -> Result<()> {
        on_engine!(self, db => db.backup(file.to_owned()).await)
    }

    /// What a backup holds, if it can be put in the place of this database.
    pub async fn inspect_backup(url: &DatabaseUrl, file: &Path) -> Result<BackupFacts> {
        refuse_server(url, file)?;
        sqlite::inspect(file.to_owned()).await
    }

    /// Puts a backup in the place of the database, which nobody may be using.
    pub async fn restore(url: &DatabaseUrl, file: &Path) -> Result<Restored> {
        let database = refuse_server(url, file)?;
        sqlite::restore(database, file.to_owned()).await
    }
}

fn refuse_server(url: &DatabaseUrl, file: &Path) -> Result<PathBuf> {
    match url {
        DatabaseUrl::Sqlite(database) => Ok(database.clone()),
        DatabaseUrl::Postgres(_) => Err(StoreError::Restore {
            place: file.display().to_string(),
            reason: "a PostgreSQL database is restored with `pg_restore`".into(),
        }),
    }
}
