//! Opening the database file with the settings everything else relies on.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long to wait for another process that writes. Shorter than a visitor
/// is made to wait for an answer.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// A connection that writes. What it must be able to undo within a transaction
/// it keeps in memory: a temporary file would be slow, and would hold personal
/// data outside the database. When the journal is folded into the file we
/// decide ourselves (`journal`), also at the end: see [`fold_when_closed`].
pub fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let db = open(path)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(db)
}

/// A connection that cannot write, even by mistake.
pub fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let db = open(path)?;
    db.execute_batch("PRAGMA query_only = ON;")?;
    Ok(db)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    #[cfg(test)]
    let db = super::plan_tests::overheard(db, path)?;
    fold_when_closed(&db, false)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 0;",
    )?;
    // Otherwise a statement whose values might fit a partial index is planned anew each time it runs.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Whether the last connection folds the journal into the file and removes it.
/// Off until it is known that the two belong together.
pub fn fold_when_closed(db: &Connection, fold: bool) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !fold)
        .map(|_| ())
}

/// SQLite does not wait for a lock when the journal mode changes, so several
/// processes that start on a new file must take turns here.
pub fn use_write_ahead_log(db: &Connection) -> rusqlite::Result<()> {
    let give_up_at = Instant::now() + BUSY_TIMEOUT;
    loop {
        let switched =
            db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        match switched {
            Ok(_) => return Ok(()),
            Err(error) if is_busy(&error) && Instant::now() < give_up_at => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
}

pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

pub fn is_full(error: &rusqlite::Error) -> bool {
    // Where there is no room for the memory that processes share, it is called an
    // I/O error.
    let no_room = |error: &rusqlite::ffi::Error| error.extended_code == SQLITE_IOERR_SHMSIZE;
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_error().is_some_and(no_room)
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_is_planned_once_whatever_its_values() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let db = open_writer(file.path()).unwrap();
        db.execute_batch(
            "CREATE TABLE things (kind TEXT); CREATE INDEX some ON things (kind) WHERE kind = 'a'",
        )
        .unwrap();
        let mut query = db
            .prepare("SELECT count(*) FROM things WHERE kind = ?1")
            .unwrap();
        for kind in ["a", "b", "a"] {
            let none: u32 = query.query_row([kind], |row| row.get(0)).unwrap();
            assert_eq!(none, 0);
        }
        assert_eq!(query.get_status(StatementStatus::RePrepare), 0);
    }
}
