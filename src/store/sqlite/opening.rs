//! From a path to an open database: by the server, which may create and
//! upgrade it, by a tool, which may not, and by whoever only wants to know.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::admission::{self, Open};
use super::apart::{Patience, apart};
use super::files::Files;
use super::journal::Emptied;
use super::{address_keys, backup, connection, creation, journal, migrate as migrations, moving};
use crate::store::{Migrated, OpenMode, Result, StoreError};

/// A start must not take seconds because there is much to read.
const AT_START: Duration = Duration::from_secs(1);

pub fn open(files: &Files, mode: OpenMode) -> Result<Open> {
    match mode {
        OpenMode::Create => create_or_upgrade(files).map(|(open, _)| open),
        OpenMode::Existing => {
            let open = admission::admit(files)?;
            admission::check_version(&open.db, files)?;
            Ok(open)
        }
    }
}

/// Brings the database up to date, or makes a new one, and closes it again.
pub async fn migrate(path: PathBuf) -> Result<Migrated> {
    apart(move || {
        let (open, migrated) = create_or_upgrade(&Files::new(&path))?;
        connection::fold_when_closed(&open.db, true)?;
        Ok(migrated)
    })
    .await
}

/// Whether a server could use it, without changing anything. False when it is
/// too large to have been read whole.
pub async fn check(path: PathBuf) -> Result<bool> {
    apart(move || {
        let files = Files::new(&path);
        let open = open(&files, OpenMode::Existing)?;
        if moving::marker(&open.db)?.is_some() {
            let place = admission::place(&files);
            return Err(StoreError::HalfMoved { place });
        }
        let whole = admission::quick_check(&open.db, &files, admission::THOROUGHLY)?;
        connection::fold_when_closed(&open.db, open.journal_was_empty)?;
        Ok(whole)
    })
    .await
}

fn create_or_upgrade(files: &Files) -> Result<(Open, Migrated)> {
    let cannot = |reason: String| StoreError::CannotOpen {
        place: admission::place(files),
        reason,
    };
    let is_new = matches!(files.look(), Ok(None));
    if is_new && files.journal_bytes() > 0 {
        return Err(admission::mixed(files));
    }
    creation::create_file(&files.database).map_err(cannot)?;
    let mut open = admission::admit(files)?;
    let found = migrations::version(&open.db).map_err(|error| admission::cannot(files, &error))?;
    migrations::refuse_newer(found)?;
    if !admission::quick_check(&open.db, files, AT_START)? {
        tracing::info!("too large to be read whole at start; `frontdoor check` does");
    }
    let migrated = upgrade(files, &mut open, found)?;
    address_keys::fill_what_is_missing(&mut open.db)?;
    connection::use_write_ahead_log(&open.db).map_err(|error| cannot(error.to_string()))?;
    // So that file and journal can be told to belong together from now on.
    if migrated != Migrated::Nothing || open.journal_was_empty {
        open.journal_was_empty = journal::fold(&mut open, Emptied::GivenBack).unwrap_or(false);
    }
    let stamp = files.look().ok().flatten();
    open.stamp = stamp.ok_or_else(|| admission::replaced(files))?;
    Ok((open, migrated))
}

fn upgrade(files: &Files, open: &mut Open, found: i64) -> Result<Migrated> {
    let known = migrations::known();
    if found == known {
        return Ok(Migrated::Nothing);
    }
    let backup = match found {
        0 => None,
        _ => Some(back_up(&files.database, found)?),
    };
    if let Some(file) = &backup {
        let file = file.display();
        tracing::info!(%file, from = found, to = known, "upgrading the database; a copy is in");
    }
    migrations::run(&mut open.db)?;
    Ok(match backup {
        None => Migrated::Created,
        Some(backup) => Migrated::Upgraded {
            from: found,
            to: known,
            backup: Some(backup),
        },
    })
}

/// Beside the file, for its owner only, named after the version it has.
fn back_up(database: &Path, version: i64) -> Result<PathBuf> {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut name = OsString::from(database);
    name.push(format!(".v{version}-{time}.backup"));
    let file = PathBuf::from(name);
    backup::write_backup(database, &file, &Patience::default())?;
    // Root may run this for the service's user, who needs it in an emergency.
    if let Ok(owner) = database.metadata() {
        let _ = chown(&file, Some(owner.uid()), Some(owner.gid()));
    }
    Ok(file)
}
