//! Putting a backup in the place of the database.
//!
//! What is there is locked as a whole, as SQLite itself locks it, so whoever
//! uses it is noticed, and whoever comes has to wait. The backup is copied and
//! checked beside it, the old database is copied aside, and one renaming makes
//! the change: until then everything is as it was. Its old journal goes last;
//! cut off before that, the next start finds two that do not belong together,
//! and says so.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Seek as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;
use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

use super::apart::apart;
use super::files::Files;
use super::placing::{beside, sync_folder_of};
use super::{DISK_FULL, admission, cells, connection, creation, inspection, migrate, moving, row};
use crate::store::{BackupFacts, Restored, Result, StoreError};

const NOT_OURS: &str = "it is no database of this program";

/// What a backup holds; refused if it could not be restored.
pub async fn inspect(file: PathBuf) -> Result<BackupFacts> {
    apart(move || look(&file).map_err(|why| refused(&file, why))).await
}

/// The caller has asked the owner.
pub async fn restore(database: PathBuf, file: PathBuf) -> Result<Restored> {
    apart(move || replace(&database, &file).map_err(|why| refused(&file, why))).await
}

fn refused(file: &Path, reason: String) -> StoreError {
    StoreError::Restore {
        place: file.display().to_string(),
        reason,
    }
}

/// Why something cannot be done, in words.
type Told<T> = std::result::Result<T, String>;

fn look(file: &Path) -> Told<BackupFacts> {
    let found = file.metadata().map_err(|error| error.to_string())?;
    if !found.is_file() || found.len() == 0 {
        return Err(NOT_OURS.into());
    }
    if Files::new(file).journal_bytes() > 0 {
        return Err(
            "a journal (-wal) is beside it: it is a database in use, and no backup; \
            `frontdoor backup` makes one of it"
                .into(),
        );
    }
    // SQLite would not say why it cannot open it.
    File::open(file).map_err(|error| error.to_string())?;
    let db = inspection::open_alone(file).map_err(|error| in_words(&error))?;
    let version = migrate::version(&db).map_err(|error| in_words(&error))?;
    if version == 0 {
        return Err(NOT_OURS.into());
    }
    migrate::refuse_newer(version).map_err(|error| error.to_string())?;
    if !matches!(moving::marker(&db), Ok(None)) {
        return Err("a move to it was cut off: it is not whole".into());
    }
    facts(&db, version).map_err(|error| in_words(&error))
}

fn facts(db: &Connection, version: i64) -> rusqlite::Result<BackupFacts> {
    let sql = "SELECT count(*), max(created_at) FROM contacts";
    db.query_row(sql, [], |row| {
        let newest: Option<cells::Parsed<Timestamp>> = row.get(1)?;
        Ok(BackupFacts {
            version,
            known: migrate::known(),
            leads: row.get::<_, i64>(0)?.unsigned_abs(),
            newest: newest.map(|cells::Parsed(time)| time),
        })
    })
}

fn in_words(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error.sqlite_error_code() {
        Some(NotADatabase) => NOT_OURS.into(),
        Some(DatabaseCorrupt) => format!("it is damaged ({error})"),
        _ => error.to_string(),
    }
}

fn not_prepared(error: &rusqlite::Error) -> String {
    match connection::is_full(error) {
        true => DISK_FULL.into(),
        false => in_words(error),
    }
}

fn not_written(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => DISK_FULL.into(),
        _ => error.to_string(),
    }
}

fn replace(database: &Path, file: &Path) -> Told<Restored> {
    let facts = look(file)?;
    let real = database.canonicalize();
    let target = real.unwrap_or_else(|_| database.to_owned());
    let old = Old::hold(&target)?;
    old.refuse_itself(file)?;
    let partial = beside(&target, ".restoring");
    // Nobody else is here: one that is there was left by who was cut off.
    remove_all(&partial);
    let replaced = old.replace_by(file, &partial);
    if replaced.is_err() {
        remove_all(&partial);
        old.remove_if_made();
    }
    let aside = replaced?;
    Ok(Restored { facts, aside })
}

/// With what may be beside it.
fn remove_all(partial: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(partial, suffix));
    }
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
        creation::create_file(path)?;
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let file = opened.map_err(|error| {
            creation::rights(path).unwrap_or_else(|| format!("{}: {error}", path.display()))
        })?;
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::AGAIN | Errno::ACCESS) => {
                return Err(format!(
                    "a server or another command uses {}: stop it first",
                    path.display()
                ));
            }
            Err(error) => return Err(format!("cannot lock {}: {error}", path.display())),
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            was_there,
        })
    }

    fn refuse_itself(&self, file: &Path) -> Told<()> {
        let id = |found: fs::Metadata| (found.dev(), found.ino());
        let (ours, theirs) = (self.file.metadata(), file.metadata());
        match (ours.map(id), theirs.map(id)) {
            (Ok(ours), Ok(theirs)) if ours == theirs => Err("it is the database itself".to_owned()),
            _ => Ok(()),
        }
    }

    /// Returns where the old one is now.
    fn replace_by(&self, file: &Path, partial: &Path) -> Told<Option<PathBuf>> {
        let source = File::open(file).map_err(|error| error.to_string())?;
        self.write_like_it(source, partial)
            .map_err(|error| not_written(&error))?;
        let copy = inspection::open_alone(partial).map_err(|error| in_words(&error))?;
        inspection::assert_whole(&copy).map_err(|error| in_words(&error))?;
        drop(copy);
        prepare(partial, Timestamp::now()).map_err(|error| not_prepared(&error))?;
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
        let rights = old.mode() & 0o777;
        if rights != made.mode() & 0o777 {
            new.set_permissions(Permissions::from_mode(rights))?;
        }
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
            for left in [&aside, &aside_journal] {
                let _ = fs::remove_file(left);
            }
            let why = not_written(&error);
            return Err(format!("cannot keep the old one aside: {why}"));
        }
        make_one_file(&aside);
        Ok(Some(aside))
    }

    fn remove_journal(&self) -> io::Result<()> {
        for suffix in ["-wal", "-shm"] {
            match fs::remove_file(beside(&self.path, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
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

/// A backup has no journal. With one, as servers have it, a tool that comes before
/// the first server changes the file as they do. What was delivered after the
/// backup was made would be sent again: nothing is, until the owner has decided.
fn prepare(copy: &Path, now: Timestamp) -> rusqlite::Result<()> {
    let db = connection::open_writer(copy)?;
    connection::use_write_ahead_log(&db)?;
    db.execute_batch(migrate::SENDING_PAUSE)?;
    db.execute("DELETE FROM sending_pause", [])?;
    db.execute("INSERT INTO sending_pause VALUES (?1)", [row::stamp(now)])?;
    connection::fold_when_closed(&db, true)?;
    db.close().map_err(|(_, error)| error)
}

/// Where the journal belongs to it; what cannot be opened stays as it was.
fn make_one_file(aside: &Path) {
    if let Ok(open) = admission::admit(&Files::new(aside)) {
        let _ = connection::fold_when_closed(&open.db, true);
    }
}
