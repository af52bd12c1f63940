//! Makes verified copies of a SQLite database, and restores one.

use std::error::Error;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection as Db;
use rusqlite::backup::NO_PROGRESS;
use rustix::fs::{FlockOperation, fcntl_lock, flock};
use rustix::io::Errno;

use super::sqlite_file::{self as file, DISK_FULL, Files, beside, folder_of};
use super::sqlite_session::SqliteSession;
use super::tx::Tx;
use super::{Database, DatabaseUrl, Result, Store, StoreError, migrate, moving, queue};

const NOT_A_DATABASE: &str = "it isn't a frontdoor database";
/// The suffix of incomplete backups, which no other program uses.
const PARTIAL: &str = ".frontdoor-partial";

/// The content of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupContent {
    /// The schema version of its tables.
    pub version: i64,
    /// The schema version that this program uses.
    pub known: i64,
    pub leads: u64,
    /// When the latest lead arrived.
    pub newest: Option<Timestamp>,
}

/// What `restore` has done.
pub struct Restored {
    /// Where the previous database is now, if there was one.
    pub previous: Option<PathBuf>,
    /// How many subscribers of the backup have unsubscribed since, and stay so; `None` if the
    /// previous database can't be read.
    pub unsubscribed: Option<usize>,
}

/// An error with its cause's own text, which [`describe`] rephrases for the owner.
type BackupResult<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn describe(error: &(dyn Error + 'static)) -> String {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    if let Some(error) = error.downcast_ref::<rusqlite::Error>() {
        return match error.sqlite_error_code() {
            Some(NotADatabase) => NOT_A_DATABASE.into(),
            Some(DatabaseCorrupt) => format!("it is damaged ({error})"),
            _ if file::is_full(error) => DISK_FULL.into(),
            _ => error.to_string(),
        };
    }
    match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(ErrorKind::StorageFull) => DISK_FULL.into(),
        _ => error.to_string(),
    }
}

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
                location: copy.display().to_string(),
                reason: "a PostgreSQL database is backed up with `pg_dump`".into(),
            }),
        }
    }

    /// Returns the content of a backup if it can replace this database.
    pub async fn inspect_backup(url: &DatabaseUrl, copy: &Path) -> Result<BackupContent> {
        Self::with_backup(url, copy, |_, copy| inspect(copy)).await
    }

    /// Replaces the database, which must not be in use, by a backup. The caller has asked the
    /// owner.
    pub async fn restore(url: &DatabaseUrl, copy: &Path) -> Result<Restored> {
        Self::with_backup(url, copy, replace).await
    }

    async fn with_backup<T: Send + 'static>(
        url: &DatabaseUrl,
        copy: &Path,
        work: fn(&Path, &Path) -> BackupResult<T>,
    ) -> Result<T> {
        let (url, copy) = (url.clone(), copy.to_owned());
        queue::on_thread(move || {
            let result = match &url {
                DatabaseUrl::Sqlite(database) => work(database, &copy),
                DatabaseUrl::Postgres(_) => {
                    Err("a PostgreSQL database is restored with `pg_restore`".into())
                }
            };
            result.map_err(|error| StoreError::Restore {
                location: copy.display().to_string(),
                reason: describe(&*error),
            })
        })
        .await
    }
}

/// Writes a complete, verified copy that only its owner can read. It gets its final name only once
/// it is complete and on disk, so an interrupted backup is never mistaken for a good one.
pub(super) fn write(source: &Path, copy: &Path) -> Result<()> {
    let partial = beside(copy, PARTIAL);
    let write = || -> BackupResult<()> {
        if copy.symlink_metadata().is_ok() {
            return Err("it exists already".into());
        }
        let _lock = create_locked(&partial)?;
        let written = copy_and_check(source, &partial).and_then(|()| {
            File::open(&partial)?.sync_all()?;
            fs::rename(&partial, copy)?;
            Ok(sync_folder_of(copy)?)
        });
        if written.is_err() {
            remove_all(&partial);
        }
        written
    };
    write().map_err(|error| StoreError::Backup {
        location: copy.display().to_string(),
        reason: describe(&*error),
    })
}

/// Creates the file, and locks its folder while it is written. If the folder isn't locked, partial
/// files in it were left by a killed backup and are deleted.
fn create_locked(partial: &Path) -> io::Result<File> {
    let folder = File::open(folder_of(partial))?;
    if flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
        for entry in fs::read_dir(folder_of(partial))?.flatten() {
            if entry.file_name().to_string_lossy().ends_with(PARTIAL) {
                remove_all(&entry.path());
            }
        }
    }
    // On a file system without locks, the owner has to delete such files.
    let _ = flock(&folder, FlockOperation::LockShared);
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).mode(0o600).open(partial)?;
    Ok(folder)
}

/// Copies inside one transaction: the copy is consistent, and in WAL mode no writer waits for it.
/// It is verified on a new connection that has nothing cached.
fn copy_and_check(source: &Path, target: &Path) -> BackupResult<()> {
    let source_db = file::open_reader(source)?;
    source_db.execute_batch("BEGIN")?;
    source_db.backup(rusqlite::MAIN_DB, target, NO_PROGRESS)?;
    // Without a journal, the backup is a single file.
    let copy_db = Db::open(target)?;
    copy_db.pragma_update(None, "journal_mode", "delete")?;
    copy_db.close().map_err(|(_, error)| error)?;
    check_integrity(&file::open_immutable(target)?)
}

/// Checks every page and every index.
fn check_integrity(db: &Db) -> BackupResult<()> {
    let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(format!("it is damaged ({verdict})").into()),
    }
}

/// Makes file names survive a power cut. Some file systems don't support this.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    use ErrorKind::{InvalidInput, Unsupported};
    match File::open(folder_of(path)).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Removes a file and SQLite's side files.
fn remove_all(partial: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(partial, suffix));
    }
}

fn inspect(copy: &Path) -> BackupResult<BackupContent> {
    // Checked before SQLite opens the file, because SQLite's own message would be less clear.
    let found = File::open(copy)?.metadata()?;
    if !found.is_file() || found.len() == 0 {
        return Err(NOT_A_DATABASE.into());
    }
    if Files::new(copy).journal_bytes() > 0 {
        return Err(
            "a journal (-wal) is beside it: it is a database in use, and no backup; \
            `frontdoor backup` makes one of it"
                .into(),
        );
    }
    let db = file::open_immutable(copy)?;
    // Fails with SQLite's own error if the file isn't a database.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let mut session = SqliteSession::new(db);
    let mut tx = Tx::new(&mut session);
    let version = migrate::version(&mut tx)?;
    if version == 0 {
        return Err(NOT_A_DATABASE.into());
    }
    if moving::refuse_unfinished(&mut tx, "").is_err() {
        return Err("it is incomplete: a `frontdoor move` to it was interrupted".into());
    }
    Ok(BackupContent {
        version,
        known: migrate::known(),
        leads: tx.value("SELECT count(*) FROM contacts", &[])?,
        newest: tx.value("SELECT max(created_at) FROM contacts", &[])?,
    })
}

/// Locks the existing database with SQLite's own locks, so that its users are noticed and new ones
/// wait. The backup is copied and verified next to it, the old database gets a second name, and a
/// rename replaces it: until then nothing has changed. The old journal (WAL) is deleted last: after
/// an interruption before that, the next start reports that it doesn't match the database.
fn replace(database: &Path, copy: &Path) -> BackupResult<Restored> {
    inspect(copy)?;
    let real = database.canonicalize();
    let target = real.unwrap_or_else(|_| database.to_owned());
    let old = PreviousDatabase::lock(&target)?;
    let id = |found: &fs::Metadata| (found.dev(), found.ino());
    if id(&old.file.metadata()?) == id(&copy.metadata()?) {
        return Err("it is the database itself".into());
    }
    let partial = beside(&target, ".restoring");
    // We hold the lock, so an existing partial file was left by an interrupted restore.
    remove_all(&partial);
    let replaced = old.replace_by(copy, &partial);
    if replaced.is_err() {
        remove_all(&partial);
        if !old.was_there {
            let _ = fs::remove_file(&old.path);
        }
    }
    replaced
}

/// The previous database, locked. Nothing else in this process may open its file: closing it
/// anywhere would release the lock.
struct PreviousDatabase {
    path: PathBuf,
    file: File,
    was_there: bool,
}

impl PreviousDatabase {
    fn lock(path: &Path) -> BackupResult<Self> {
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
            Err(Errno::AGAIN | Errno::ACCESS) => {
                let path = path.display();
                Err(format!("a server or another command uses {path}: stop it first").into())
            }
            Err(error) => Err(format!("can't lock {}: {error}", path.display()).into()),
        }
    }

    fn replace_by(&self, copy: &Path, partial: &Path) -> BackupResult<Restored> {
        self.write_with_same_owner(copy, partial)?;
        check_integrity(&file::open_immutable(partial)?)?;
        prepare(partial)?;
        let aside = self.link_aside()?;
        fs::rename(partial, &self.path)?;
        for suffix in ["-wal", "-shm"] {
            match fs::remove_file(beside(&self.path, suffix)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        sync_folder_of(&self.path)?;
        // Makes the old database a single file, if its journal matches it.
        if let Some(aside) = &aside
            && let Ok((db, _)) = file::open_checked(&Files::new(aside))
        {
            let _ = file::checkpoint_when_closed(&db, true);
        }
        let unsubscribed = match &aside {
            Some(aside) => keep_unsubscribed(&self.path, aside).ok(),
            None => Some(0),
        };
        Ok(Restored {
            previous: aside,
            unsubscribed,
        })
    }

    /// Writes a new file with the owner and mode of the old one and syncs it.
    fn write_with_same_owner(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut new = options.write(true).create_new(true).mode(0o600).open(to)?;
        io::copy(&mut File::open(from)?, &mut new)?;
        let (old, made) = (self.file.metadata()?, new.metadata()?);
        if (old.uid(), old.gid()) != (made.uid(), made.gid()) {
            fchown(&new, Some(old.uid()), Some(old.gid()))?;
        }
        new.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
        new.sync_all()
    }

    /// Gives the old database and its journal a second name, so that the data is complete at every
    /// moment.
    fn link_aside(&self) -> BackupResult<Option<PathBuf>> {
        let has_journal = Files::new(&self.path).journal_bytes() > 0;
        if !self.was_there && !has_journal {
            return Ok(None);
        }
        let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let aside = beside(&self.path, &format!(".before-restore-{time}"));
        let link = |suffix| fs::hard_link(beside(&self.path, suffix), beside(&aside, suffix));
        let linked = link("").and_then(|()| if has_journal { link("-wal") } else { Ok(()) });
        if let Err(error) = linked {
            remove_all(&aside);
            let why = describe(&error);
            return Err(format!("can't keep the old one aside: {why}").into());
        }
        Ok(Some(aside))
    }
}

/// Switches the file to a journal (WAL), because a command may use it before a server does. Also
/// pauses sending: deliveries sent after the backup was made are pending again, and the owner has
/// to decide about them. Browsers that were signed out since stay so.
fn prepare(copy: &Path) -> rusqlite::Result<()> {
    let db = file::open_writer(copy)?;
    for table in ["desk_links", "desk_sessions"] {
        if db.table_exists(None, table)? {
            db.execute(&format!("DELETE FROM {table}"), [])?;
        }
    }
    let now = super::tx::stamp(Timestamp::now());
    db.execute("INSERT INTO sending_pause (paused_at) VALUES (?1)", [now])?;
    file::use_write_ahead_log(&db)?;
    file::checkpoint_when_closed(&db, true)?;
    db.close().map_err(|(_, error)| error)
}

/// The law forbids sending to people who have unsubscribed, even if the backup doesn't know it.
fn keep_unsubscribed(database: &Path, previous: &Path) -> rusqlite::Result<usize> {
    let previous = file::open_immutable(previous)?;
    let sql = "SELECT email_key, unsubscribed_at FROM subscribers WHERE state = 'unsubscribed'";
    let mut gone = previous.prepare(sql)?;
    let mut db = file::open_writer(database)?;
    let tx = db.transaction()?;
    let mut kept = 0;
    let mut rows = gone.query([])?;
    while let Some(row) = rows.next()? {
        let person: (String, Option<String>) = (row.get(0)?, row.get(1)?);
        kept += tx.execute(
            "UPDATE subscribers SET state = 'unsubscribed', unsubscribed_at = ?2
            WHERE email_key = ?1 AND state <> 'unsubscribed'",
            person,
        )?;
    }
    tx.commit()?;
    file::checkpoint_when_closed(&db, true)?;
    db.close().map_err(|(_, error)| error)?;
    Ok(kept)
}
