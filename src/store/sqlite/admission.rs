//! What may be opened: nothing damaged, nothing mixed, nothing of another
//! version, and nothing that changes while it is being looked at.

use std::sync::mpsc;
use std::time::Duration;

use rusqlite::Connection;

use super::files::{Files, Stamp};
use super::generation::{self, Kinship};
use super::used::Used;
use super::{DISK_FULL, connection, creation, migrate};
use crate::store::{Result, StoreError};

/// Beside a tool that folds the journal the file may be read half written.
const TRIES: usize = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// For what must be read whole before it is used.
pub const THOROUGHLY: Duration = Duration::from_secs(30);

/// An open database and the files it is in.
pub struct Open {
    pub db: Connection,
    pub stamp: Stamp,
    /// Nothing was left in the journal by whoever had it open before.
    pub journal_was_empty: bool,
    /// The generation that the file is known to have; the next group notes it.
    pub folded: Option<String>,
    /// The last one that is known here.
    pub known: Option<String>,
    /// The one that was begun here and is not in the file yet.
    pub unfolded: Option<String>,
    pub used: Used,
}

/// Opens what is at the path if nothing speaks against it. The version is
/// the caller's to check.
pub fn admit(files: &Files) -> Result<Open> {
    let mut opened = try_admit(files);
    for _ in 1..TRIES {
        let may_pass = matches!(
            opened,
            Err(StoreError::Mixed { .. } | StoreError::Replaced { .. })
        );
        if !may_pass {
            break;
        }
        std::thread::sleep(BETWEEN_TRIES);
        opened = try_admit(files);
    }
    opened
}

/// Once. What it refuses may be only half written yet.
pub fn try_admit(files: &Files) -> Result<Open> {
    let before = look(files)?;
    let journal_was_empty = files.journal_bytes() == 0;
    if before.is_empty() && !journal_was_empty {
        // SQLite would take the journal for a left-over and remove it.
        return Err(mixed(files));
    }
    let alone = match journal_was_empty {
        true => Ok(None),
        false => generation::read_file_alone(&files.database),
    };
    let mut db = connection::open_writer(&files.database).map_err(|error| cannot(files, &error))?;
    let used = Used::follow(&mut db).map_err(|error| cannot(files, &error))?;
    let together = generation::read(&db).map_err(|error| cannot(files, &error))?;
    let alone = match journal_was_empty {
        true => together.clone(),
        false => alone.unwrap_or_default(),
    };
    if !journal_was_empty {
        match generation::kinship(alone.as_ref(), together.as_ref()) {
            Kinship::Sure => {}
            Kinship::Doubtful => read_whole(&db, files, THOROUGHLY)?,
            Kinship::None => return Err(mixed(files)),
        }
    }
    let stamp = look(files)?;
    // What was read half written may have looked as if nothing could be told.
    match stamp.same_content(&before) {
        true => Ok(Open {
            db,
            stamp,
            folded: alone.map(|alone| alone.current),
            known: together.map(|whole| whole.current),
            unfolded: None,
            used,
            journal_was_empty,
        }),
        false => Err(replaced(files)),
    }
}

/// What is not sure within `limit` is refused.
fn read_whole(db: &Connection, files: &Files, limit: Duration) -> Result<()> {
    tracing::info!("reading the whole database: does its journal belong to it?");
    match check(db, files, "integrity_check", limit)? {
        true => Ok(()),
        false => Err(StoreError::Unsure {
            place: place(files),
        }),
    }
}

/// Reads through the whole database, but no longer than `limit`. False when
/// that was too short to say that all is well.
pub fn quick_check(db: &Connection, files: &Files, limit: Duration) -> Result<bool> {
    check(db, files, "quick_check", limit)
}

fn check(db: &Connection, files: &Files, pragma: &str, limit: Duration) -> Result<bool> {
    if limit.is_zero() {
        return Ok(false);
    }
    let interrupt = db.get_interrupt_handle();
    let (done, finished) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if finished.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            interrupt.interrupt();
        }
    });
    let verdict = db.query_row(&format!("PRAGMA {pragma}(1)"), [], |row| {
        row.get::<_, String>(0)
    });
    drop(done);
    let _ = watch.join();
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(true),
        Ok(verdict) => Err(damaged(files, &verdict)),
        Err(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) =>
        {
            Ok(false)
        }
        Err(error) => Err(cannot(files, &error)),
    }
}

/// The version must be this program's.
pub fn check_version(db: &Connection, files: &Files) -> Result<()> {
    let (found, known) = (migrate::version(db)?, migrate::known());
    match found < known {
        true => Err(StoreError::TooOld {
            place: place(files),
            found,
            known,
        }),
        false => migrate::refuse_newer(found),
    }
}

fn look(files: &Files) -> Result<Stamp> {
    match files.look() {
        Ok(Some(stamp)) => Ok(stamp),
        Ok(None) => Err(StoreError::Missing {
            place: place(files),
        }),
        Err(error) => Err(StoreError::CannotOpen {
            place: place(files),
            reason: creation::rights(&files.database).unwrap_or_else(|| error.to_string()),
        }),
    }
}

pub fn cannot(files: &Files, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => damaged(files, &error.to_string()),
        _ if connection::is_full(error) => StoreError::CannotOpen {
            place: place(files),
            reason: DISK_FULL.into(),
        },
        _ => StoreError::CannotOpen {
            place: place(files),
            reason: creation::rights(&files.database).unwrap_or_else(|| error.to_string()),
        },
    }
}

fn damaged(files: &Files, reason: &str) -> StoreError {
    StoreError::Damaged {
        place: place(files),
        reason: reason.lines().collect::<Vec<_>>().join(" "),
    }
}

pub fn mixed(files: &Files) -> StoreError {
    StoreError::Mixed {
        place: place(files),
    }
}

pub fn replaced(files: &Files) -> StoreError {
    StoreError::Replaced {
        place: place(files),
    }
}

pub fn place(files: &Files) -> String {
    files.database.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_cannot_be_judged_in_time_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.db");
        let db = Connection::open(&path).unwrap();
        let refused = read_whole(&db, &Files::new(&path), Duration::ZERO).unwrap_err();
        let said = refused.to_string();
        assert!(
            said.contains("leads.db-wal") && said.contains("move"),
            "{said}"
        );
        assert_eq!(read_whole(&db, &Files::new(&path), THOROUGHLY), Ok(()));
    }
}
