//! A consistent copy of the database while it is in use.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::{Sqlite, connection};
use crate::store::{Result, StoreError};

impl Sqlite {
    pub async fn backup(&self, file: PathBuf) -> Result<()> {
        let source = self.files.database.clone();
        tokio::task::spawn_blocking(move || write_backup(&source, &file))
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?
    }
}

/// A whole and checked copy, for its owner only.
pub fn write_backup(source: &Path, file: &Path) -> Result<()> {
    write_copy(source, file).map_err(|reason| StoreError::Backup {
        place: file.display().to_string(),
        reason,
    })
}

/// The copy grows under another name and gets its own only once it is whole,
/// so an interrupted backup is never mistaken for a good one.
fn write_copy(source: &Path, file: &Path) -> std::result::Result<(), String> {
    if file.symlink_metadata().is_ok() {
        return Err("it exists already".into());
    }
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&partial)
        .map_err(|error| format!("{}: {error}", partial.display()))?;
    let copied = copy(source, &partial)
        .map_err(|error| error.to_string())
        // Unlike a rename, a link never replaces a file that has appeared.
        .and_then(|()| fs::hard_link(&partial, file).map_err(|error| error.to_string()));
    let removed = fs::remove_file(&partial).map_err(|error| error.to_string());
    copied.and(removed)
}

fn copy(source: &Path, target: &Path) -> rusqlite::Result<()> {
    let from = connection::open_reader(source)?;
    let mut to = Connection::open(target)?;
    {
        let backup = Backup::new(&from, &mut to)?;
        // All pages in one step: one snapshot, and in WAL mode it holds up no
        // writer.
        match backup.step(-1)? {
            StepResult::Done => {}
            _ => return Err(locked()),
        }
    }
    // One file without side files is easier to carry away.
    to.pragma_update(None, "journal_mode", "delete")?;
    let verdict: String = to.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => to.close().map_err(|(_, error)| error),
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(verdict),
        )),
    }
}

fn locked() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, Some("the database is locked".into()))
}
