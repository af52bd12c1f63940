//! Creates, opens and watches the files of a SQLite database.
//!
//! SQLite keeps committing to a deleted file, and applies any intact journal (`-wal`) to whatever
//! file is next to it. So the files at the path are compared with the open ones, and a journal is
//! only applied to the file it was written for. See docs/decisions/0013-the-files-that-are-open.md.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use super::{Result, StoreError};

pub const DISK_FULL: &str = "the disk is full: make room";
/// How long to wait for another process that writes; shorter than a visitor's request may take.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(3);
/// How often opening is tried: a checkpoint changes the file meanwhile, a large one for seconds.
const TRIES: usize = 30;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// The paths of a database.
#[derive(Debug, Clone)]
pub struct Files {
    pub database: PathBuf,
    /// SQLite keeps these next to the target of a symbolic link.
    journal: PathBuf,
    index: PathBuf,
}

/// The state of the files at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Device and inode.
    database: (u64, u64),
    /// Device and inode of the journal (`-wal`) and its index (`-shm`), if they exist.
    journal: [Option<(u64, u64)>; 2],
    /// Size and modification time of the database file, to which only a checkpoint writes.
    content: (u64, i64, i64),
}

/// A change to the files of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file is missing or inaccessible.
    Removed,
    /// Another file is there.
    Replaced,
    /// Another journal is next to it, or none.
    JournalReplaced,
    /// The same file with other content.
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

    /// The location, for people.
    pub fn location(&self) -> String {
        self.database.display().to_string()
    }

    pub fn stamp(&self) -> Result<Stamp> {
        let id = |file: &Metadata| (file.dev(), file.ino());
        let read = || {
            let database = self.database.metadata()?;
            io::Result::Ok(Stamp {
                database: id(&database),
                journal: [&self.journal, &self.index]
                    .map(|file| file.metadata().ok().as_ref().map(id)),
                content: (database.len(), database.mtime(), database.mtime_nsec()),
            })
        };
        let location = self.location();
        read().map_err(|error| match error.kind() {
            ErrorKind::NotFound => StoreError::Missing { location },
            _ => StoreError::CannotOpen {
                location,
                reason: rights(&self.database).unwrap_or_else(|| error.to_string()),
            },
        })
    }

    pub fn compare(&self, earlier: &Stamp) -> std::result::Result<(), Change> {
        match self.stamp() {
            Ok(now) if now == *earlier => Ok(()),
            Ok(now) if now.database != earlier.database => Err(Change::Replaced),
            Ok(now) if now.content != earlier.content => Err(Change::Overwritten),
            Ok(_) => Err(Change::JournalReplaced),
            Err(_) => Err(Change::Removed),
        }
    }

    /// Size and modification time of the journal, which don't change while no process writes.
    pub fn journal(&self) -> Option<(u64, i64, i64)> {
        let journal = self.journal.metadata().ok()?;
        let content = (journal.len(), journal.mtime(), journal.mtime_nsec());
        (content.0 > 0).then_some(content)
    }

    pub fn journal_bytes(&self) -> u64 {
        self.journal().map_or(0, |(bytes, ..)| bytes)
    }

    pub fn free_bytes(&self) -> Option<u64> {
        let system = rustix::fs::statvfs(&self.database).ok()?;
        Some(system.f_bavail.saturating_mul(system.f_frsize))
    }

    pub fn refusal(&self, change: Change) -> StoreError {
        let location = self.location();
        match change {
            Change::Removed => StoreError::Removed { location },
            _ => StoreError::Replaced { location },
        }
    }

    pub fn cannot_open(&self, error: &rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let location = self.location();
        let reason = match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                return self.damaged(&error.to_string());
            }
            _ if is_full(error) => DISK_FULL.into(),
            _ => rights(&self.database).unwrap_or_else(|| error.to_string()),
        };
        StoreError::CannotOpen { location, reason }
    }

    fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged {
            location: self.location(),
            reason: reason.lines().collect::<Vec<_>>().join(" "),
        }
    }
}

impl Stamp {
    /// The same files, whatever their content.
    pub fn same_files(&self, other: &Self) -> bool {
        (self.database, self.journal) == (other.database, other.journal)
    }
}

/// The same path with a suffix.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A connection that writes. It keeps its temporary data in memory: a temporary file would hold
/// personal data outside the database. All checkpoints, including the one on close, are run by
/// `sqlite`.
pub fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let db = open(path)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(db)
}

/// A connection that can't write, even by mistake.
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
    // Otherwise SQLite plans a statement anew whenever a value might match a partial index.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_prepared_statement_cache_capacity(128);
    Ok(db)
}

/// Opens a backup or copy without its journal. No side files are created.
pub fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    const IN_A_URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/');
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), IN_A_URL);
    let db = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    db.execute_batch("PRAGMA trusted_schema = OFF")?;
    Ok(db)
}

/// Sets whether closing the last connection checkpoints and deletes the journal. Off until file and
/// journal are known to match.
pub fn checkpoint_when_closed(db: &Connection, run: bool) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !run)
        .map(|_| ())
}

/// SQLite doesn't wait for a lock when the journal mode changes, so several processes that start on
/// a new file must retry here.
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
    // If there is no space for shared memory, SQLite reports an I/O error.
    let no_room = |error: &rusqlite::ffi::Error| error.extended_code == SQLITE_IOERR_SHMSIZE;
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_error().is_some_and(no_room)
}

/// Opens the database after checking that its files belong together. The caller checks the schema
/// version.
pub fn open_checked(files: &Files) -> Result<(Connection, Stamp)> {
    for _ in 1..TRIES {
        match try_open_checked(files) {
            Err(StoreError::Mixed { .. } | StoreError::Replaced { .. }) => {
                std::thread::sleep(BETWEEN_TRIES);
            }
            opened => return opened,
        }
    }
    try_open_checked(files)
}

/// Tries once: another process may be changing the files that are rejected.
fn try_open_checked(files: &Files) -> Result<(Connection, Stamp)> {
    let mixed = || StoreError::Mixed {
        location: files.location(),
    };
    let before = files.stamp()?;
    let has_journal = files.journal_bytes() > 0;
    if before.content.0 == 0 && has_journal {
        // SQLite would take the journal for a leftover and delete it.
        return Err(mixed());
    }
    // Must happen before this process opens the file: closing it would release our locks.
    let in_file = if has_journal {
        open_immutable(&files.database).and_then(|db| Generation::read(&db))
    } else {
        Ok(None)
    };
    let to_error = |error: rusqlite::Error| files.cannot_open(&error);
    let db = open_writer(&files.database).map_err(to_error)?;
    let with_journal = Generation::read(&db).map_err(to_error)?;
    if has_journal {
        match (in_file.unwrap_or_default(), with_journal) {
            (Some(file), Some(whole)) if whole.may_follow(&file) => {}
            (Some(_), Some(_)) => return Err(mixed()),
            // Perhaps interrupted during a checkpoint: only a complete read can tell.
            _ => {
                tracing::info!("reading the whole database: does its journal belong to it?");
                check(&db, files, "integrity_check")?;
            }
        }
    }
    let stamp = files.stamp()?;
    if (stamp.database, stamp.content) == (before.database, before.content) {
        Ok((db, stamp))
    } else {
        Err(files.refusal(Change::Replaced))
    }
}

/// Reads the whole database. Returns false if it was interrupted.
pub fn check(db: &Connection, files: &Files, pragma: &str) -> Result<bool> {
    let sql = format!("PRAGMA {pragma}(1)");
    match db.query_row(&sql, [], |row| row.get::<_, String>(0)) {
        Ok(verdict) if verdict == "ok" => Ok(true),
        Ok(verdict) => Err(files.damaged(&verdict)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(false)
        }
        Err(error) => Err(files.cannot_open(&error)),
    }
}

/// Identifies the checkpoints that a file has had. Our server and commands write a new generation
/// to the journal before each checkpoint: a file matches its journal if it has the journal's latest
/// generation, or an earlier one whose checkpoint isn't known to be complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    current: String,
    /// Generations that the file may still have, oldest first, separated by commas.
    previous: Option<String>,
}

impl Generation {
    /// Returns `None` if the table doesn't exist yet.
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

    /// Increases with each generation, so an older copy has a lower number.
    pub fn number(db: &Connection) -> rusqlite::Result<i64> {
        let sql = "SELECT CAST(substr(generation, 1, 10) AS INTEGER) FROM store_state";
        db.prepare_cached(sql)?.query_row([], |row| row.get(0))
    }

    /// Begins the next generation, or continues `begun` if no checkpoint has run since; returns its
    /// name.
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

    /// Records that the file has at least this generation, so earlier ones are obsolete. Another
    /// process may have begun a later one meanwhile.
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

/// Creates the file if it is missing, readable by its owner only, because it holds personal data.
/// SQLite gives its side files the same mode and owner.
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
            .map_err(|error| format!("can't create its directory: {error}"))?;
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

/// Root may run `frontdoor migrate`, but the service seldom runs as root.
fn give_to_owner_of_folder(made: &[&Path]) -> std::result::Result<(), String> {
    let (true, Some(top)) = (rustix::process::geteuid().is_root(), made.last()) else {
        return Ok(());
    };
    let give = |owner: Metadata| {
        let (user, group) = (Some(owner.uid()), Some(owner.gid()));
        made.iter().try_for_each(|each| chown(each, user, group))
    };
    let result = folder_of(top).metadata().and_then(give);
    result.map_err(|error| format!("can't give it to the owner of its folder: {error}"))
}

/// Describes owner, mode and current user, if access rights keep the file from being opened.
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
