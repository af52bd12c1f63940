//! Copies of a SQLite database, checked, and putting one in its place.

use std::error::Error;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek as _};
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

const NOT_OURS: &str = "it is no database of this program";
/// Nothing of anybody else's is called so.
const PARTIAL: &str = ".frontdoor-partial";

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

/// An error in whatever words its cause has; [`words`] are for the owner.
type Told<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn words(error: &(dyn Error + 'static)) -> String {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    if let Some(error) = error.downcast_ref::<rusqlite::Error>() {
        return match error.sqlite_error_code() {
            Some(NotADatabase) => NOT_OURS.into(),
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
                place: copy.display().to_string(),
                reason: "a PostgreSQL database is backed up with `pg_dump`".into(),
            }),
        }
    }

    /// What a backup holds, if it can be put in the place of this database.
    pub async fn inspect_backup(url: &DatabaseUrl, copy: &Path) -> Result<BackupFacts> {
        Self::with_backup(url, copy, |_, copy| look(copy)).await
    }

    /// Puts a backup in the place of the database, which nobody may be using. The
    /// caller has asked the owner.
    pub async fn restore(url: &DatabaseUrl, copy: &Path) -> Result<Restored> {
        Self::with_backup(url, copy, replace).await
    }

    async fn with_backup<T: Send + 'static>(
        url: &DatabaseUrl,
        copy: &Path,
        work: fn(&Path, &Path) -> Told<T>,
    ) -> Result<T> {
        let (url, copy) = (url.clone(), copy.to_owned());
        queue::on_thread(move || {
            let done = match &url {
                DatabaseUrl::Sqlite(database) => work(database, &copy),
                DatabaseUrl::Postgres(_) => {
                    Err("a PostgreSQL database is restored with `pg_restore`".into())
                }
            };
            done.map_err(|error| StoreError::Restore {
                place: copy.display().to_string(),
                reason: words(&*error),
            })
        })
        .await
    }
}

/// A whole and checked copy, for its owner only. It grows under another name and
/// gets its own only once it is whole and on disk, so an interrupted backup is
/// never mistaken for a good one.
pub fn write(source: &Path, copy: &Path) -> Result<()> {
    let partial = beside(copy, PARTIAL);
    let write = || -> Told<()> {
        if copy.symlink_metadata().is_ok() {
            return Err("it exists already".into());
        }
        let _lock = begin(&partial)?;
        let written = copy_whole(source, &partial).and_then(|()| {
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
        place: copy.display().to_string(),
        reason: words(&*error),
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

/// Inside one transaction: the copy is of one moment, and in WAL mode no writer
/// waits for it. It is read back on a connection that has nothing in memory.
fn copy_whole(source: &Path, target: &Path) -> Told<()> {
    let from = file::open_reader(source)?;
    from.execute_batch("BEGIN")?;
    from.backup(rusqlite::MAIN_DB, target, NO_PROGRESS)?;
    // One file without side files is easier to carry away.
    let to = Db::open(target)?;
    to.pragma_update(None, "journal_mode", "delete")?;
    to.close().map_err(|(_, error)| error)?;
    assert_whole(&file::open_alone(target)?)
}

/// Every page and every index of it.
fn assert_whole(db: &Db) -> Told<()> {
    let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(format!("it is damaged ({verdict})").into()),
    }
}

/// The names of files survive a power cut. Some file systems can't be asked.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    use ErrorKind::{InvalidInput, Unsupported};
    match File::open(folder_of(path)).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
        synced => synced,
    }
}

/// With what may be beside it.
fn remove_all(partial: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(partial, suffix));
    }
}

fn look(copy: &Path) -> Told<BackupFacts> {
    // Before SQLite, whose message would be about its own way of opening a file.
    let found = File::open(copy)?.metadata()?;
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
    let db = file::open_alone(copy)?;
    // Its own words for a file that is none.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let mut session = SqliteSession::new(db);
    let mut tx = Tx::new(&mut session);
    let version = migrate::version(&mut tx)?;
    if version.version == 0 {
        return Err(NOT_OURS.into());
    }
    migrate::is_up_to_date(&version)?;
    if moving::refuse_unfinished(&mut tx, "").is_err() {
        return Err("a move to it was cut off: it is not whole".into());
    }
    Ok(BackupFacts {
        version: version.version,
        known: migrate::known(),
        leads: tx.value("SELECT count(*) FROM contacts", &[])?,
        newest: tx.value("SELECT max(created_at) FROM contacts", &[])?,
    })
}

/// What is there is locked as a whole, as SQLite itself locks it, so whoever uses
/// it is noticed, and whoever comes has to wait. The backup is copied and checked
/// beside it, the old database is copied aside, and one renaming makes the change:
/// until then everything is as it was. Its old journal goes last; cut off before
/// that, the next start finds two that don't belong together, and says so.
fn replace(database: &Path, copy: &Path) -> Told<Restored> {
    let facts = look(copy)?;
    let real = database.canonicalize();
    let target = real.unwrap_or_else(|_| database.to_owned());
    let old = Old::hold(&target)?;
    let id = |found: &fs::Metadata| (found.dev(), found.ino());
    if id(&old.file.metadata()?) == id(&copy.metadata()?) {
        return Err("it is the database itself".into());
    }
    let partial = beside(&target, ".restoring");
    // Nobody else is here: one that is there was left by a restore that was cut off.
    remove_all(&partial);
    let replaced = old.replace_by(copy, &partial);
    if replaced.is_err() {
        remove_all(&partial);
        if !old.was_there {
            let _ = fs::remove_file(&old.path);
        }
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
            Err(Errno::AGAIN | Errno::ACCESS) => {
                let place = path.display();
                Err(format!("a server or another command uses {place}: stop it first").into())
            }
            Err(error) => Err(format!("cannot lock {}: {error}", path.display()).into()),
        }
    }

    /// Returns where the old one is now.
    fn replace_by(&self, copy: &Path, partial: &Path) -> Told<Option<PathBuf>> {
        self.write_like_it(File::open(copy)?, partial)?;
        assert_whole(&file::open_alone(partial)?)?;
        prepare(partial)?;
        let aside = self.keep_aside()?;
        fs::rename(partial, &self.path)?;
        for suffix in ["-wal", "-shm"] {
            match fs::remove_file(beside(&self.path, suffix)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        sync_folder_of(&self.path)?;
        Ok(aside)
    }

    /// A new file with the owner and the rights of the old one, on disk.
    fn write_like_it(&self, mut from: impl io::Read, to: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut new = options.write(true).create_new(true).mode(0o600).open(to)?;
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
        let has_journal = Files::new(&self.path).journal_bytes() > 0;
        if !self.was_there && !has_journal {
            return Ok(None);
        }
        let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let aside = beside(&self.path, &format!(".before-restore-{time}"));
        let copy = || -> io::Result<()> {
            (&self.file).rewind()?;
            self.write_like_it(&self.file, &aside)?;
            if has_journal {
                let journal = File::open(beside(&self.path, "-wal"))?;
                self.write_like_it(journal, &beside(&aside, "-wal"))?;
            }
            sync_folder_of(&aside)
        };
        if let Err(error) = copy() {
            remove_all(&aside);
            let why = words(&error);
            return Err(format!("cannot keep the old one aside: {why}").into());
        }
        // Where the journal belongs to it; what can't be opened stays as it was.
        if let Ok((db, _)) = file::admit(&Files::new(&aside)) {
            let _ = file::checkpoint_when_closed(&db, true);
        }
        Ok(Some(aside))
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
