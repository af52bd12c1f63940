//! The files of a SQLite database: created, opened with care, and watched.
//!
//! SQLite goes on committing into a file that was removed, and applies any whole
//! journal (`-wal`) to whatever file stands beside it. So the files at the path
//! are compared with those that are open, and a journal is only applied to the
//! file it was written for. Why and how: docs/decisions/0013-the-files-that-are-open.md.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use super::{Result, StoreError};

pub const DISK_FULL: &str = "the disk is full: make room";
/// How long to wait for another process that writes: shorter than a visitor is
/// made to wait for an answer.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(3);
/// For a database that must be read whole before it is used.
pub const THOROUGHLY: Duration = Duration::from_secs(30);
/// A tool that runs a checkpoint may leave the file half written for a moment.
const TRIES: usize = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// Where a database is.
#[derive(Debug, Clone)]
pub struct Files {
    pub database: PathBuf,
    /// SQLite keeps them beside the file that a link leads to.
    journal: PathBuf,
    index: PathBuf,
}

/// What stood at the paths at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Device and inode of the database, its journal (`-wal`) and the journal's
    /// index (`-shm`).
    files: [Option<(u64, u64)>; 3],
    /// Size and last change of the database's file. Only a checkpoint writes to it.
    content: (u64, i64, i64),
}

/// What somebody did to the files of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing is there, or it cannot be seen.
    Removed,
    /// Another file is there.
    Replaced,
    /// Another journal is beside it, or none.
    JournalReplaced,
    /// The same file with another content.
    Overwritten,
}

impl Files {
    pub fn new(database: &Path) -> Self {
        let real = database.canonicalize();
        let real = real.unwrap_or_else(|_| database.to_owned());
        Self {
            database: database.to_owned(),
            journal: beside(&real, "-wal"),
            index: beside(&real, "-shm"),
        }
    }

    /// For people.
    pub fn place(&self) -> String {
        self.database.display().to_string()
    }

    /// `None` when there is no database.
    pub fn look(&self) -> io::Result<Option<Stamp>> {
        let Some(database) = metadata(&self.database)? else {
            return Ok(None);
        };
        let id = |file: &Metadata| (file.dev(), file.ino());
        Ok(Some(Stamp {
            files: [
                Some(id(&database)),
                metadata(&self.journal)?.as_ref().map(id),
                metadata(&self.index)?.as_ref().map(id),
            ],
            content: (database.len(), database.mtime(), database.mtime_nsec()),
        }))
    }

    pub fn compare(&self, then: &Stamp) -> std::result::Result<(), Change> {
        match self.look() {
            Ok(Some(now)) if now == *then => Ok(()),
            Ok(Some(now)) if now.files[0] != then.files[0] => Err(Change::Replaced),
            Ok(Some(now)) if now.content != then.content => Err(Change::Overwritten),
            Ok(Some(_)) => Err(Change::JournalReplaced),
            _ => Err(Change::Removed),
        }
    }

    /// Size and last change of the journal: the same while nobody writes.
    pub fn journal(&self) -> Option<(u64, i64, i64)> {
        let journal = metadata(&self.journal).ok().flatten();
        let content = |file: Metadata| (file.len(), file.mtime(), file.mtime_nsec());
        journal.map(content).filter(|(bytes, ..)| *bytes > 0)
    }

    pub fn journal_bytes(&self) -> u64 {
        self.journal().map_or(0, |(bytes, ..)| bytes)
    }

    pub fn free_bytes(&self) -> Option<u64> {
        let system = rustix::fs::statvfs(&self.database).ok()?;
        Some(system.f_bavail.saturating_mul(system.f_frsize))
    }

    pub fn refusal(&self, change: Change) -> StoreError {
        let place = self.place();
        match change {
            Change::Removed => StoreError::Removed { place },
            _ => StoreError::Replaced { place },
        }
    }

    fn mixed(&self) -> StoreError {
        StoreError::Mixed {
            place: self.place(),
        }
    }

    pub fn cannot_open(&self, error: &rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let place = self.place();
        let reason = match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                return self.damaged(&error.to_string());
            }
            _ if is_full(error) => DISK_FULL.into(),
            _ => rights(&self.database).unwrap_or_else(|| error.to_string()),
        };
        StoreError::CannotOpen { place, reason }
    }

    fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged {
            place: self.place(),
            reason: reason.lines().collect::<Vec<_>>().join(" "),
        }
    }
}

impl Stamp {
    /// The same files, whatever is in them.
    pub fn same_files(&self, other: &Self) -> bool {
        self.files == other.files
    }

    /// As a file is that somebody is about to copy something into.
    pub fn is_empty(&self) -> bool {
        self.content.0 == 0
    }

    /// The same file, and nobody has written into it.
    fn same_database(&self, other: &Self) -> bool {
        (self.files[0], self.content) == (other.files[0], other.content)
    }
}

fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match path.metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same path with something added to its end.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A connection that writes. What it must be able to undo within a transaction
/// it keeps in memory: a temporary file would hold personal data outside of the
/// database. Checkpoints are ours to run (`sqlite`), also the one at the end.
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
    checkpoint_when_closed(&db, false)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 0;",
    )?;
    // Otherwise SQLite plans a statement anew whenever a value might fit a partial index.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_prepared_statement_cache_capacity(128);
    Ok(db)
}

/// The file without any journal: a backup, a copy. Nothing is written beside it.
pub fn open_alone(path: &Path) -> rusqlite::Result<Connection> {
    const IN_A_URL: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'_')
        .remove(b'-')
        .remove(b'~');
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), IN_A_URL);
    let db = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    db.execute_batch("PRAGMA trusted_schema = OFF")?;
    Ok(db)
}

/// Whether the last connection runs a checkpoint and removes the journal. Off
/// until it is known that file and journal belong together.
pub fn checkpoint_when_closed(db: &Connection, run: bool) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !run)
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
    // Without room for the memory that processes share, SQLite calls it an I/O error.
    let no_room = |error: &rusqlite::ffi::Error| error.extended_code == SQLITE_IOERR_SHMSIZE;
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_error().is_some_and(no_room)
}

/// Opens what is at the path if nothing speaks against it. The version is the
/// caller's to check.
pub fn admit(files: &Files) -> Result<(Connection, Stamp)> {
    let mut admitted = try_admit(files);
    for _ in 1..TRIES {
        let may_pass = matches!(
            admitted,
            Err(StoreError::Mixed { .. } | StoreError::Replaced { .. })
        );
        if !may_pass {
            break;
        }
        std::thread::sleep(BETWEEN_TRIES);
        admitted = try_admit(files);
    }
    admitted
}

/// Once. What it refuses may be only half written yet.
fn try_admit(files: &Files) -> Result<(Connection, Stamp)> {
    let before = look(files)?;
    let has_journal = files.journal_bytes() > 0;
    if before.is_empty() && has_journal {
        // SQLite would take the journal for a left-over and remove it.
        return Err(files.mixed());
    }
    // Before this process has it open: closing it again gives up its locks.
    let alone = match has_journal {
        true => open_alone(&files.database).and_then(|db| Generation::read(&db)),
        false => Ok(None),
    };
    let cannot = |error: rusqlite::Error| files.cannot_open(&error);
    let db = open_writer(&files.database).map_err(cannot)?;
    let together = Generation::read(&db).map_err(cannot)?;
    if has_journal {
        match (alone.unwrap_or_default(), together) {
            (Some(file), Some(whole)) if whole.may_follow(&file) => {}
            (Some(_), Some(_)) => return Err(files.mixed()),
            // Cut off in the middle of a checkpoint, perhaps: only reading it all can tell.
            _ => read_whole(&db, files)?,
        }
    }
    let stamp = look(files)?;
    match stamp.same_database(&before) {
        true => Ok((db, stamp)),
        false => Err(files.refusal(Change::Replaced)),
    }
}

fn look(files: &Files) -> Result<Stamp> {
    let place = files.place();
    match files.look() {
        Ok(Some(stamp)) => Ok(stamp),
        Ok(None) => Err(StoreError::Missing { place }),
        Err(error) => Err(StoreError::CannotOpen {
            place,
            reason: rights(&files.database).unwrap_or_else(|| error.to_string()),
        }),
    }
}

fn read_whole(db: &Connection, files: &Files) -> Result<()> {
    tracing::info!("reading the whole database: does its journal belong to it?");
    match check(db, files, "integrity_check", THOROUGHLY)? {
        true => Ok(()),
        false => Err(StoreError::Unsure {
            place: files.place(),
        }),
    }
}

/// Reads through the whole database, but no longer than `limit`. False when
/// that was too short to say that all is well.
pub fn check(db: &Connection, files: &Files, pragma: &str, limit: Duration) -> Result<bool> {
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
        Ok(verdict) => Err(files.damaged(&verdict)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(false)
        }
        Err(error) => Err(files.cannot_open(&error)),
    }
}

/// Which checkpoints a file has seen. A new generation is written to the journal
/// before each checkpoint, by the server and by the owner's commands: a file is
/// the one its journal was written for if it has the generation that the journal
/// ends with, or one before it whose checkpoint is not known to be complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    current: String,
    /// Those that the file may still have, oldest first, commas between them.
    previous: Option<String>,
}

impl Generation {
    /// `None` where there is no such table yet.
    fn read(db: &Connection) -> rusqlite::Result<Option<Self>> {
        let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_state'";
        if db.query_row(table, [], |_| Ok(())).optional()?.is_none() {
            return Ok(None);
        }
        let sql = "SELECT generation, previous FROM store_state";
        db.query_row(sql, [], |row| {
            Ok(Self {
                current: row.get(0)?,
                previous: row.get(1)?,
            })
        })
        .optional()
    }

    fn may_follow(&self, file: &Self) -> bool {
        let mut before = self.previous.iter().flat_map(|names| names.split(','));
        file.current == self.current || before.any(|name| name == file.current)
    }

    /// Counts up with each generation; an older copy is behind.
    pub fn number(db: &Connection) -> rusqlite::Result<i64> {
        let sql = "SELECT CAST(substr(generation, 1, 10) AS INTEGER) FROM store_state";
        db.prepare_cached(sql)?.query_row([], |row| row.get(0))
    }

    /// Begins the next one, or goes on with `begun` if no checkpoint has been
    /// run since; returns its name.
    pub fn begin(db: &Connection, begun: Option<&str>) -> rusqlite::Result<String> {
        db.prepare_cached(
            "UPDATE store_state SET previous = coalesce(previous || ',', '') || generation,
                generation = printf('%010d-', CAST(substr(generation, 1, 10) AS INTEGER) + 1)
                    || lower(hex(randomblob(11)))
            WHERE generation IS NOT ?1",
        )?
        .execute([begun])?;
        let mut name = db.prepare_cached("SELECT generation FROM store_state")?;
        name.query_row([], |row| row.get(0))
    }

    /// The file has at least this one: those before it are over. Another program
    /// may have begun a later one meanwhile.
    pub fn finish(db: &Connection, name: &str) -> rusqlite::Result<()> {
        db.prepare_cached(
            "UPDATE store_state SET previous = CASE generation
                WHEN ?1 THEN NULL
                ELSE substr(previous, instr(previous, ?1)) END
            WHERE previous IS NOT NULL AND (generation = ?1 OR instr(previous, ?1) > 0)",
        )?
        .execute([name])
        .map(|_| ())
    }
}

/// Makes sure the file is there, readable by its owner only: it holds personal
/// data. SQLite gives its side files the same mode and owner.
pub fn create_file(path: &Path) -> std::result::Result<(), String> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|each| !each.as_os_str().is_empty() && each.symlink_metadata().is_err())
        .collect();
    if let Some(directory) = missing.get(1) {
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
        Ok(_) => give_to_owner_of_folder(&missing),
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.to_string()),
        Err(_) if !path.exists() => Err("it is a link to a file that doesn't exist".into()),
        Err(_) => Ok(()),
    }
}

pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|name| !name.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The service seldom runs as root, who may be the one to run `frontdoor migrate`.
fn give_to_owner_of_folder(made: &[&Path]) -> std::result::Result<(), String> {
    let (true, Some(top)) = (rustix::process::geteuid().is_root(), made.last()) else {
        return Ok(());
    };
    let give = |owner: Metadata| {
        let (user, group) = (Some(owner.uid()), Some(owner.gid()));
        made.iter().try_for_each(|each| chown(each, user, group))
    };
    let given = folder_of(top).metadata().and_then(give);
    given.map_err(|error| format!("cannot give it to the owner of its folder: {error}"))
}

/// Whose it is and who asks, where that is why it cannot be opened.
pub fn rights(path: &Path) -> Option<String> {
    use rustix::fs::{Access, access};
    let denied = |path: &Path| access(path, Access::READ_OK | Access::WRITE_OK).is_err();
    let closed = [folder_of(path), path]
        .into_iter()
        .find(|each| each.exists() && denied(each))?;
    let found = closed.metadata().ok()?;
    Some(format!(
        "{} belongs to user {} with rights {:o}, this program runs as user {}",
        closed.display(),
        found.uid(),
        found.mode() & 0o777,
        rustix::process::geteuid().as_raw(),
    ))
}
