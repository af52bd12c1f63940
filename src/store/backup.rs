//! Copies of a SQLite database, checked, and putting one in its place.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection as Db;
use rusqlite::backup::{Backup, StepResult};
use rustix::fs::{CWD, FlockOperation, RenameFlags, fcntl_lock, flock, renameat_with};
use rustix::io::Errno;

use super::sqlite_file::{self as file, DISK_FULL, Files, beside, folder_of};
use super::sqlite_session::SqliteSession;
use super::tx::Tx;
use super::{Database, DatabaseUrl, Result, Store, StoreError, migrate, moving, queue};

const NOT_OURS: &str = "it is no database of this program";
/// Nothing of anybody else's is called so.
const PARTIAL: &str = ".frontdoor-partial";
const PAGES_AT_ONCE: i32 = 4096;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFacts {
    /// Of its tables, and of those that this program works with.
    pub version: i64,
    pub known: i64,
    pub leads: u64,
    /// When the last of them came in.
    pub newest: Option<Timestamp>,
}

/// What restoring did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub facts: BackupFacts,
    /// Where the database is that was there before.
    pub aside: Option<PathBuf>,
}

/// Why something cannot be done, in words.
type Told<T> = std::result::Result<T, String>;

impl Store {
    /// Writes a consistent copy to a new file while the store is in use.
    pub async fn backup(&self, copy: &Path) -> Result<()> {
        let copy = copy.to_owned();
        match self.database() {
            Database::Sqlite(database) => {
                let source = database.files.database.clone();
                queue::on_thread(move || write(&source, &copy)).await
            }
            Database::Postgres(_) => Err(StoreError::Backup {
                place: copy.display().to_string(),
                reason: "a PostgreSQL database is backed up with `pg_dump`".into(),
            }),
        }
    }

    /// What a backup holds, if it can be put in the place of this database.
    pub async fn inspect_backup(url: &DatabaseUrl, copy: &Path) -> Result<BackupFacts> {
        refuse_server(url, copy)?;
        let copy = copy.to_owned();
        queue::on_thread(move || look(&copy).map_err(|why| refused(&copy, why))).await
    }

    /// Puts a backup in the place of the database, which nobody may be using. The
    /// caller has asked the owner.
    pub async fn restore(url: &DatabaseUrl, copy: &Path) -> Result<Restored> {
        let (database, copy) = (refuse_server(url, copy)?, copy.to_owned());
        queue::on_thread(move || replace(&database, &copy).map_err(|why| refused(&copy, why))).await
    }
}

fn refuse_server(url: &DatabaseUrl, copy: &Path) -> Result<PathBuf> {
    match url {
        DatabaseUrl::Sqlite(database) => Ok(database.clone()),
        DatabaseUrl::Postgres(_) => Err(refused(
            copy,
            "a PostgreSQL database is restored with `pg_restore`".into(),
        )),
    }
}

fn refused(copy: &Path, reason: String) -> StoreError {
    StoreError::Restore {
        place: copy.display().to_string(),
        reason,
    }
}

/// A whole and checked copy, for its owner only. It grows under another name and
/// gets its own only once it is whole and on disk, so an interrupted backup is
/// never mistaken for a good one.
pub fn write(source: &Path, copy: &Path) -> Result<()> {
    let written = || {
        if copy.symlink_metadata().is_ok() {
            return Err("it exists already".into());
        }
        let partial = beside(copy, PARTIAL);
        let _lock = begin(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
        let written = copy_pages(source, &partial)
            .map_err(|error| words(&error))
            .and_then(|()| sync(&partial).map_err(|error| error.to_string()))
            .and_then(|()| put_in_place(&partial, copy));
        if written.is_err() {
            remove_all(&partial);
        }
        written
    };
    written().map_err(|reason| StoreError::Backup {
        place: copy.display().to_string(),
        reason,
    })
}

/// A new file, and a lock on its folder for as long as it is written. Whoever finds
/// the folder unlocked knows that what is partial in it was left by a killed backup.
fn begin(partial: &Path) -> io::Result<File> {
    let folder = File::open(folder_of(partial))?;
    if flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
        for entry in fs::read_dir(folder_of(partial))?.flatten() {
            if entry.file_name().to_string_lossy().ends_with(PARTIAL) {
                remove_all(&entry.path());
            }
        }
    }
    // A file system without locks leaves such files to the owner.
    let _ = flock(&folder, FlockOperation::LockShared);
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).mode(0o600).open(partial)?;
    Ok(folder)
}

fn copy_pages(source: &Path, target: &Path) -> rusqlite::Result<()> {
    let from = file::open_reader(source)?;
    // The rows are counted in the state that is copied. All steps see that state,
    // and in WAL mode they hold up no writer.
    from.execute_batch("BEGIN")?;
    let rows = count_rows(&from)?;
    let mut to = Db::open(target)?;
    {
        let backup = Backup::new(&from, &mut to)?;
        loop {
            match backup.step(PAGES_AT_ONCE)? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => return Err(failed(rusqlite::ffi::SQLITE_BUSY, "the database is locked")),
            }
        }
    }
    drop(from);
    // One file without side files is easier to carry away.
    to.pragma_update(None, "journal_mode", "delete")?;
    to.close().map_err(|(_, error)| error)?;
    // Read back on a connection that has nothing in memory.
    let copy = file::open_alone(target)?;
    assert_whole(&copy)?;
    match count_rows(&copy)? == rows {
        true => Ok(()),
        false => Err(failed(
            rusqlite::ffi::SQLITE_CORRUPT,
            "the copy has other rows than the database",
        )),
    }
}

/// How many rows each table has.
fn count_rows(db: &Db) -> rusqlite::Result<BTreeMap<String, i64>> {
    let mut tables = db.prepare(
        "SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    names
        .map(|name| {
            let name = name?;
            let quoted = name.replace('"', "\"\"");
            let sql = format!("SELECT count(*) FROM \"{quoted}\"");
            Ok((name, db.query_row(&sql, [], |row| row.get(0))?))
        })
        .collect()
}

/// Every page and every index of it.
fn assert_whole(db: &Db) -> rusqlite::Result<()> {
    let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(failed(rusqlite::ffi::SQLITE_CORRUPT, &verdict)),
    }
}

fn failed(code: i32, why: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(why.into()))
}

fn words(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error.sqlite_error_code() {
        Some(NotADatabase) => NOT_OURS.into(),
        Some(DatabaseCorrupt) => format!("it is damaged ({error})"),
        _ if file::is_full(error) => DISK_FULL.into(),
        _ => error.to_string(),
    }
}

fn words_io(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull => DISK_FULL.into(),
        _ => error.to_string(),
    }
}

/// What is in the file survives a power cut.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// So do the names of the files beside it. Some file systems cannot be asked.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match sync(folder_of(path)) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Gives a file its name; never replaces one that has appeared meanwhile.
fn put_in_place(partial: &Path, name: &Path) -> Told<()> {
    let renamed = match renameat_with(CWD, partial, CWD, name, RenameFlags::NOREPLACE) {
        // Not every file system can do both in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if name.symlink_metadata().is_err() => {
            fs::rename(partial, name)
        }
        renamed => renamed.map_err(io::Error::from),
    };
    renamed.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => "it exists already".to_owned(),
        _ => error.to_string(),
    })?;
    sync_folder_of(name).map_err(|error| error.to_string())
}

/// With what may be beside it.
fn remove_all(partial: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(partial, suffix));
    }
}

fn look(copy: &Path) -> Told<BackupFacts> {
    // Before SQLite, whose message would be about its own way of opening a file.
    let opened = File::open(copy).and_then(|opened| opened.metadata());
    let found = opened.map_err(|error| error.to_string())?;
    if !found.is_file() || found.len() == 0 {
        return Err(NOT_OURS.into());
    }
    if Files::new(copy).journal_bytes() > 0 {
        return Err(
            "a journal (-wal) is beside it: it is a database in use, and no backup; \
            `frontdoor backup` makes one of it"
                .into(),
        );
    }
    let db = file::open_alone(copy).map_err(|error| words(&error))?;
    // Its own words for a file that is none.
    let count = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    count.map_err(|error| words(&error))?;
    let mut session = SqliteSession::new(db);
    let mut tx = Tx::new(&mut session);
    let version = migrate::version(&mut tx).map_err(|error| error.to_string())?;
    if version.version == 0 {
        return Err(NOT_OURS.into());
    }
    migrate::is_up_to_date(&version).map_err(|error| error.to_string())?;
    if moving::refuse_unfinished(&mut tx, "").is_err() {
        return Err("a move to it was cut off: it is not whole".into());
    }
    let mut facts = || {
        Ok(BackupFacts {
            version: version.version,
            known: migrate::known(),
            leads: tx.value("SELECT count(*) FROM contacts", &[])?,
            newest: tx.value("SELECT max(created_at) FROM contacts", &[])?,
        })
    };
    facts().map_err(|error: StoreError| error.to_string())
}

/// What is there is locked as a whole, as SQLite itself locks it, so whoever uses
/// it is noticed, and whoever comes has to wait. The backup is copied and checked
/// beside it, the old database is copied aside, and one renaming makes the change:
/// until then everything is as it was. Its old journal goes last; cut off before
/// that, the next start finds two that do not belong together, and says so.
fn replace(database: &Path, copy: &Path) -> Told<Restored> {
    let facts = look(copy)?;
    let real = database.canonicalize();
    let target = real.unwrap_or_else(|_| database.to_owned());
    let old = Old::hold(&target)?;
    old.refuse_itself(copy)?;
    let partial = beside(&target, ".restoring");
    // Nobody else is here: one that is there was left by a restore that was cut off.
    remove_all(&partial);
    let replaced = old.replace_by(copy, &partial);
    if replaced.is_err() {
        remove_all(&partial);
        old.remove_if_made();
    }
    Ok(Restored {
        facts,
        aside: replaced?,
    })
}

/// What was at the path, locked. Its file may be opened by nothing else here:
/// closing it anywhere in this process would end the lock.
struct Old {
    path: PathBuf,
    file: File,
    was_there: bool,
}

impl Old {
    fn hold(path: &Path) -> Told<Self> {
        let was_there = path.symlink_metadata().is_ok();
        file::create_file(path)?;
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let file = opened.map_err(|error| {
            file::rights(path).unwrap_or_else(|| format!("{}: {error}", path.display()))
        })?;
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                file,
                was_there,
            }),
            Err(Errno::AGAIN | Errno::ACCESS) => Err(format!(
                "a server or another command uses {}: stop it first",
                path.display()
            )),
            Err(error) => Err(format!("cannot lock {}: {error}", path.display())),
        }
    }

    fn refuse_itself(&self, copy: &Path) -> Told<()> {
        let id = |found: fs::Metadata| (found.dev(), found.ino());
        let (ours, theirs) = (self.file.metadata(), copy.metadata());
        match (ours.map(id), theirs.map(id)) {
            (Ok(ours), Ok(theirs)) if ours == theirs => Err("it is the database itself".to_owned()),
            _ => Ok(()),
        }
    }

    /// Returns where the old one is now.
    fn replace_by(&self, copy: &Path, partial: &Path) -> Told<Option<PathBuf>> {
        let source = File::open(copy).map_err(|error| error.to_string())?;
        self.write_like_it(source, partial)
            .map_err(|error| words_io(&error))?;
        let written = file::open_alone(partial).and_then(|db| assert_whole(&db));
        written
            .and_then(|()| prepare(partial))
            .map_err(|error| words(&error))?;
        let aside = self.keep_aside()?;
        let renamed = fs::rename(partial, &self.path).and_then(|()| self.remove_journal());
        renamed.map_err(|error| error.to_string())?;
        Ok(aside)
    }

    /// A new file with the owner and the rights of the old one, on disk.
    fn write_like_it(&self, mut from: impl io::Read, to: &Path) -> io::Result<()> {
        let mut new = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(to)?;
        io::copy(&mut from, &mut new)?;
        let (old, made) = (self.file.metadata()?, new.metadata()?);
        if (old.uid(), old.gid()) != (made.uid(), made.gid()) {
            fchown(&new, Some(old.uid()), Some(old.gid()))?;
        }
        new.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
        new.sync_all()
    }

    /// A copy, its journal included, so that nothing is missing at any moment.
    fn keep_aside(&self) -> Told<Option<PathBuf>> {
        let journal = beside(&self.path, "-wal");
        let has_journal = Files::new(&self.path).journal_bytes() > 0;
        if !self.was_there && !has_journal {
            return Ok(None);
        }
        let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let aside = beside(&self.path, &format!(".before-restore-{time}"));
        let aside_journal = beside(&aside, "-wal");
        let copy = || {
            (&self.file).rewind()?;
            self.write_like_it(&self.file, &aside)?;
            if has_journal {
                self.write_like_it(File::open(&journal)?, &aside_journal)?;
            }
            sync_folder_of(&aside)
        };
        if let Err(error) = copy() {
            remove_all(&aside);
            let why = words_io(&error);
            return Err(format!("cannot keep the old one aside: {why}"));
        }
        // Where the journal belongs to it; what cannot be opened stays as it was.
        if let Ok((db, _)) = file::admit(&Files::new(&aside)) {
            let _ = file::checkpoint_when_closed(&db, true);
        }
        Ok(Some(aside))
    }

    fn remove_journal(&self) -> io::Result<()> {
        for suffix in ["-wal", "-shm"] {
            match fs::remove_file(beside(&self.path, suffix)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        sync_folder_of(&self.path)
    }

    fn remove_if_made(&self) {
        if !self.was_there {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A backup has no journal. With one, as servers have it, a command that comes
/// before the first server changes the file as they do. What was delivered after
/// the backup was made waits again, so nothing is sent until the owner has decided.
fn prepare(copy: &Path) -> rusqlite::Result<()> {
    let db = file::open_writer(copy)?;
    let now = super::tx::stamp(Timestamp::now());
    db.execute("INSERT INTO sending_pause (paused_at) VALUES (?1)", [now])?;
    file::use_write_ahead_log(&db)?;
    file::checkpoint_when_closed(&db, true)?;
    db.close().map_err(|(_, error)| error)
}
