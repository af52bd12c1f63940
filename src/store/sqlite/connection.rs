//! Opening the database file with the settings everything else relies on.

use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::OpenMode;

/// How long to wait for another process that writes. Shorter than a visitor
/// is made to wait for an answer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// Makes sure the file is there, readable by its owner only: it holds
/// personal data. SQLite gives its side files the same mode.
pub fn prepare_file(path: &Path, mode: OpenMode) -> Result<(), String> {
    if mode == OpenMode::Existing {
        return match path.try_exists() {
            Ok(true) => Ok(()),
            Ok(false) => Err("there is no such file; the server creates it".into()),
            Err(error) => Err(error.to_string()),
        };
    }
    if let Some(directory) = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| format!("cannot create its directory: {error}"))?;
    }
    let created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match created {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// The one connection that writes. What it must be able to undo within a
/// transaction it keeps in memory: a temporary file would be slow, and would
/// hold personal data outside the database. The log is folded into the file
/// every 16 MB: each time, writers wait for two more syncs.
pub fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    use_write_ahead_log(&db)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
        PRAGMA wal_autocheckpoint = 4000;",
    )?;
    Ok(db)
}

/// A connection that cannot write, even by mistake.
pub fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.execute_batch("PRAGMA query_only = ON;")?;
    Ok(db)
}

fn open(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.execute_batch("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// SQLite does not wait for a lock when the journal mode changes, so several
/// processes that start on a new file must take turns here.
fn use_write_ahead_log(db: &Connection) -> rusqlite::Result<()> {
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

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
