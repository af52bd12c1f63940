//! A consistent copy of the database while it is in use.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use rustix::fs::{FlockOperation, flock};

use super::apart::{Patience, apart};
use super::inspection::Rows;
use super::placing::{beside, folder_of, put_in_place, sync};
use super::{DISK_FULL, Sqlite, connection, inspection};
use crate::store::{Result, StoreError};

/// Nothing of anybody else's is called so.
const PARTIAL: &str = ".frontdoor-partial";
/// Between two looks whether somebody still waits.
const PAGES_AT_ONCE: i32 = 4096;

impl Sqlite {
    pub async fn backup(&self, file: PathBuf) -> Result<()> {
        let source = self.files.database.clone();
        let patience = Patience::default();
        let _ended = patience.ends_here();
        apart(move || write_backup(&source, &file, &patience)).await
    }
}

/// A whole and checked copy, for its owner only.
pub fn write_backup(source: &Path, file: &Path, patience: &Patience) -> Result<()> {
    write_copy(source, file, patience).map_err(|reason| StoreError::Backup {
        place: file.display().to_string(),
        reason,
    })
}

/// The copy grows under another name and gets its own only once it is whole and
/// on disk, so an interrupted backup is never mistaken for a good one.
fn write_copy(source: &Path, file: &Path, patience: &Patience) -> Result<(), String> {
    if file.symlink_metadata().is_ok() {
        return Err("it exists already".into());
    }
    let partial = beside(file, PARTIAL);
    let _lock = begin(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
    let copied = copy(source, &partial, patience)
        .map_err(|error| in_words(&error))
        .and_then(|()| sync(&partial).map_err(|error| error.to_string()))
        .and_then(|()| put_in_place(&partial, file));
    if copied.is_err() {
        remove(&partial);
    }
    copied
}

/// A new file, and a lock on its folder for as long as it is written. Whoever finds
/// the folder unlocked knows that what is partial in it was left by a killed backup.
fn begin(partial: &Path) -> io::Result<File> {
    let folder = File::open(folder_of(partial))?;
    if flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
        for entry in fs::read_dir(folder_of(partial))?.flatten() {
            let path = entry.path();
            if path.to_string_lossy().ends_with(PARTIAL) {
                remove(&path);
            }
        }
    }
    // A file system without locks leaves such files to the owner.
    let _ = flock(&folder, FlockOperation::LockShared);
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).mode(0o600).open(partial)?;
    Ok(folder)
}

fn remove(partial: &Path) {
    for left in [partial, &beside(partial, "-journal")] {
        let _ = fs::remove_file(left);
    }
}

fn copy(source: &Path, target: &Path, patience: &Patience) -> rusqlite::Result<()> {
    let from = connection::open_reader(source)?;
    // The rows are counted in the state that is copied.
    from.execute_batch("BEGIN")?;
    let rows = inspection::rows(&from)?;
    let mut to = Connection::open(target)?;
    {
        let backup = Backup::new(&from, &mut to)?;
        // All steps see the state in which the rows were counted, and in WAL mode
        // they hold up no writer.
        loop {
            match backup.step(PAGES_AT_ONCE)? {
                StepResult::Done => break,
                StepResult::More if patience.is_over() => {
                    return Err(failed(rusqlite::ffi::SQLITE_INTERRUPT, "it was cut off"));
                }
                StepResult::More => {}
                _ => return Err(failed(rusqlite::ffi::SQLITE_BUSY, "the database is locked")),
            }
        }
    }
    drop(from);
    // One file without side files is easier to carry away.
    to.pragma_update(None, "journal_mode", "delete")?;
    to.close().map_err(|(_, error)| error)?;
    verify(target, &rows, patience)
}

/// Reads back what was written, on a connection that has nothing in memory.
fn verify(copy: &Path, rows: &Rows, patience: &Patience) -> rusqlite::Result<()> {
    let mut db = inspection::open_alone(copy)?;
    patience.bound(&mut db)?;
    inspection::assert_whole(&db)?;
    match inspection::rows(&db)? == *rows {
        true => Ok(()),
        false => Err(failed(
            rusqlite::ffi::SQLITE_CORRUPT,
            "the copy has other rows than the database",
        )),
    }
}

fn failed(code: i32, why: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(why.into()))
}

fn in_words(error: &rusqlite::Error) -> String {
    match connection::is_full(error) {
        true => DISK_FULL.into(),
        false => error.to_string(),
    }
}
