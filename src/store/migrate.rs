//! Upgrades the schema inside the caller's transaction, with one list of migrations for both
//! databases.
//!
//! Replicas are upgraded one by one, so an older program must keep working with a newer schema that
//! only adds to it: each migration states the oldest version compatible with it.

use std::path::PathBuf;

use uuid::Uuid;

use super::tx::{Engine, Tx, args};
use super::{Result, StoreError};

macro_rules! migration {
    ($name:literal, $compatible_from:literal) => {
        (
            $name,
            include_str!(concat!("../../migrations/", $name, ".sql")),
            $compatible_from,
        )
    };
}

/// Of each version, from 1 on: its file's name, its statements, and the oldest version whose
/// programs can work with it.
const MIGRATIONS: [(&str, &str, i64); 6] = [
    migration!("0001_schema", 1),
    migration!("0002_desk", 1),
    migration!("0003_visits", 1),
    migration!("0004_bookings", 1),
    migration!("0005_link_key", 1),
    migration!("0006_issue_text", 1),
];

const HISTORY: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version         {int} NOT NULL PRIMARY KEY,
    name            TEXT NOT NULL,
    -- The oldest schema whose program can work with this one.
    compatible_from {int} NOT NULL
){strict}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Migrated {
    Created,
    Upgraded {
        from: i64,
        to: i64,
        /// A copy of the file before the upgrade; a database server has its own backups.
        backup: Option<PathBuf>,
    },
    /// The schema was up to date.
    Nothing,
}

/// The version that this program uses.
pub(super) fn known() -> i64 {
    MIGRATIONS.len() as i64
}

/// The schema version of a database; 0 if it has none of our tables. Fails if the schema was
/// changed in an incompatible way.
pub(super) fn version(tx: &mut Tx<'_>) -> Result<i64> {
    let has_table = match tx.engine() {
        Engine::Sqlite => "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'",
        Engine::Postgres => "SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL",
    };
    if !tx.exists(has_table, &[])? {
        return Ok(0);
    }
    let sql = "SELECT coalesce(max(version), 0) AS version,
        coalesce(max(compatible_from), 0) AS compatible_from FROM schema_migrations";
    let found = tx.first(sql, &[]).ok().flatten();
    // Another program's table of that name has other columns.
    let read = |column| found.as_ref().and_then(|row| row.get(column).ok());
    let known = known();
    match (read("version"), read("compatible_from")) {
        (Some(found), Some(needed)) if needed > known => Err(StoreError::TooNew { found, known }),
        (Some(found), Some(_)) => Ok(found),
        _ => Err(StoreError::Unavailable(
            "its table schema_migrations is another program's, or of a build before the first \
            release: use a new database"
                .into(),
        )),
    }
}

/// Fails if the schema is missing or too old, for commands that must not change it.
pub(super) fn require_known(tx: &mut Tx<'_>, location: &str) -> Result<()> {
    let (found, known, location) = (version(tx)?, known(), location.to_owned());
    match found {
        found if found >= known => Ok(()),
        0 => Err(StoreError::Missing { location }),
        found => Err(StoreError::TooOld {
            location,
            found,
            known,
        }),
    }
}

/// The caller must hold a lock against concurrent migrations, and has made the backup.
pub(super) fn run(tx: &mut Tx<'_>, backup: Option<PathBuf>) -> Result<Migrated> {
    let found = version(tx)?;
    if found >= known() {
        return Ok(Migrated::Nothing);
    }
    tx.batch(HISTORY)?;
    for (version, (name, statements, compatible_from)) in (1..).zip(MIGRATIONS) {
        if version > found {
            tx.batch(statements)?;
            let sql = "INSERT INTO schema_migrations (version, name, compatible_from)
                VALUES ($1, $2, $3)";
            tx.execute(sql, args![version, name, compatible_from])?;
        }
    }
    Ok(match found {
        0 => {
            let identity = Uuid::new_v4().to_string();
            let sql = "UPDATE store_state SET identity = $1, generation = '0000000000-' || $1";
            tx.execute(sql, args![identity])?;
            Migrated::Created
        }
        from => Migrated::Upgraded {
            from,
            to: known(),
            backup,
        },
    })
}

/// For tests of the schema.
#[cfg(test)]
pub(super) fn all_steps() -> String {
    MIGRATIONS.map(|(_, statements, _)| statements).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_run_in_its_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let known = MIGRATIONS.map(|(name, ..)| format!("{name}.sql"));
        assert_eq!(known.to_vec(), files);
    }
}
