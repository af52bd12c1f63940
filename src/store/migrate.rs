//! Upgrades the schema inside the caller's transaction, with one list of migrations for both
//! databases.
//!
//! Replicas are upgraded one by one, so an older program must keep working with a newer schema that
//! only adds to it: each migration states the oldest version compatible with it.

use std::path::PathBuf;

use uuid::Uuid;

use super::tx::{Engine, Tx, args};
use super::{Result, StoreError};

struct Migration {
    version: i64,
    name: &'static str,
    sql: &'static str,
    /// Programs that know this version or a later one can work with it.
    compatible_from: i64,
}

macro_rules! migrations {
    ($($version:literal $name:literal, compatible_from $from:literal;)+) => {
        const MIGRATIONS: &[Migration] = &[$(Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../../migrations/000", $version, "_", $name, ".sql")),
            compatible_from: $from,
        }),+];
    };
}
migrations! {
    1 "schema", compatible_from 1;
    2 "desk", compatible_from 1;
    3 "visits", compatible_from 1;
    4 "bookings", compatible_from 1;
    5 "link_key", compatible_from 1;
    6 "issue_text", compatible_from 1;
}

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
    MIGRATIONS.last().map_or(0, |last| last.version)
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
    for step in MIGRATIONS.iter().filter(|step| step.version > found) {
        tx.batch(step.sql)?;
        let sql = "INSERT INTO schema_migrations (version, name, compatible_from)
            VALUES ($1, $2, $3)";
        tx.execute(sql, args![step.version, step.name, step.compatible_from])?;
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
    MIGRATIONS.iter().map(|step| step.sql).collect()
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
        let file = |each: &Migration| format!("{:04}_{}.sql", each.version, each.name);
        assert_eq!(MIGRATIONS.iter().map(file).collect::<Vec<_>>(), files);
    }
}
