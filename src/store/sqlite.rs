//! The embedded database: one thread writes, a few read.
//!
//! `synchronous=FULL` in WAL mode: a committed transaction survives a power cut,
//! which is what lets the site say "Thank you" and mean it.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::Connection as Db;
use rusqlite::hooks::Wal;
use tokio::sync::watch;

use super::health::lock;
use super::queue::{Connection, Shared, Workers, on_thread};
use super::sqlite_file::{
    self as file, BUSY_TIMEOUT, Change, DISK_FULL, Files, Generation, Stamp, beside,
};
use super::sqlite_session::{SqliteSession, failed};
use super::tx::{Session, Tx};
use super::{Migrated, OpenMode, Result, StoreError, backup, migrate, moving};

const READERS: usize = 4;
/// A start must not take seconds because there is much to read.
const CHECK_AT_START: Duration = Duration::from_secs(1);

/// The journal is checkpointed at this size: a checkpoint makes writers wait for
/// two more syncs. On a small disk it happens earlier, at a quarter of the free
/// space, because the journal must not take the room that the checkpoint needs.
const LARGEST_JOURNAL: u64 = 16 * 1024 * 1024;
/// Below this no disk is too small.
const SMALL_JOURNAL: u64 = 128 * 1024;
/// A page and its header, in the journal.
const FRAME: u64 = 4096 + 24;
/// For the largest lead, in the journal and in the file.
const ROOM_FOR_A_LEAD: u64 = 128 * 1024;
/// Somebody else's changes the file for no longer than this.
const LONGEST_CHECKPOINT: Duration = Duration::from_secs(30);
/// A checkpoint does not wait for somebody who reads; there is a next time.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_millis(50);

pub struct Sqlite {
    pub files: Files,
    pub writer: Workers,
    pub readers: Workers,
    watch: Arc<FileWatch>,
}

impl Sqlite {
    /// Blocks.
    pub fn open(path: &Path, mode: OpenMode, shared: &Shared) -> Result<Self> {
        let files = Files::new(path);
        let journal_was_empty = files.journal_bytes() == 0;
        let (db, stamp) = match mode {
            OpenMode::Create | OpenMode::Fill => {
                let (db, stamp, _) = create_or_upgrade(&files)?;
                (db, stamp)
            }
            OpenMode::Existing => open_existing(&files)?,
        };
        let watch = Arc::new(FileWatch::new(files.clone(), stamp));
        let writer = Writer::new(db, watch.clone(), mode, journal_was_empty)?;
        let reader = |_| Reader {
            session: None,
            watch: watch.clone(),
        };
        let readers = (0..READERS).map(reader).collect();
        Ok(Self {
            writer: Workers::start("store-writer", vec![writer], shared)?,
            readers: Workers::start("store-reader", readers, shared)?,
            files,
            watch,
        })
    }

    /// Runs work for as long as it takes, on a connection of its own.
    pub async fn read_long<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let database = self.files.database.clone();
        on_thread(move || {
            let db = file::open_reader(&database)?;
            work(&mut Tx::new(&mut SqliteSession::new(db)))
        })
        .await
    }

    pub fn has_room(&self) -> bool {
        let free = self.files.free_bytes();
        free.is_none_or(|free| free >= ROOM_FOR_A_LEAD)
    }

    /// Returns when another file is at the path than the one that is open. Where
    /// there is none, a start would make an empty one: that is for the owner.
    pub async fn lost(&self) -> StoreError {
        let mut lost = self.watch.lost.subscribe();
        let why = match lost.wait_for(Option::is_some).await {
            Ok(why) => why.clone(),
            Err(_) => None,
        };
        while !self.files.database.exists() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        why.unwrap_or_else(|| self.files.refusal(Change::Replaced))
    }
}

fn open_existing(files: &Files) -> Result<(Db, Stamp)> {
    let (db, stamp) = file::admit(files)?;
    let mut session = SqliteSession::new(db);
    let mut tx = Tx::new(&mut session);
    migrate::require_known(&mut tx, &files.place())?;
    Ok((session.db, stamp))
}

/// Makes the tables, or brings them up to date, and closes the database again.
pub fn migrate(path: &Path) -> Result<Migrated> {
    let files = Files::new(path);
    let (db, _, migrated) = create_or_upgrade(&files)?;
    file::checkpoint_when_closed(&db, true)?;
    moving::refuse_unfinished(&mut Tx::new(&mut SqliteSession::new(db)), &files.place())?;
    Ok(migrated)
}

/// Whether a server could use it, without changing anything. False when it is
/// too large to have been read whole.
pub fn check(path: &Path) -> Result<bool> {
    let files = Files::new(path);
    let journal_was_empty = files.journal_bytes() == 0;
    let (db, _) = open_existing(&files)?;
    let whole = file::check(&db, &files, "quick_check", file::THOROUGHLY)?;
    file::checkpoint_when_closed(&db, journal_was_empty)?;
    moving::refuse_unfinished(&mut Tx::new(&mut SqliteSession::new(db)), &files.place())?;
    Ok(whole)
}

fn create_or_upgrade(files: &Files) -> Result<(Db, Stamp, Migrated)> {
    let place = files.place();
    let cannot = |reason| StoreError::CannotOpen {
        place: place.clone(),
        reason,
    };
    if matches!(files.look(), Ok(None)) && files.journal_bytes() > 0 {
        return Err(StoreError::Mixed {
            place: files.place(),
        });
    }
    file::create_file(&files.database).map_err(cannot)?;
    let (db, _) = file::admit(files)?;
    if !file::check(&db, files, "quick_check", CHECK_AT_START)? {
        tracing::info!("too large to be read whole at start; `frontdoor check` does");
    }
    let mut session = SqliteSession::new(db);
    let migrated = upgrade(files, &mut session)?;
    let db = session.db;
    file::use_write_ahead_log(&db).map_err(|error| files.cannot_open(&error))?;
    // So that file and journal can be told to belong together from now on.
    let _ = checkpoint(&db, &mut None, true);
    let stamp = files.look().ok().flatten();
    let stamp = stamp.ok_or_else(|| files.refusal(Change::Removed))?;
    Ok((db, stamp, migrated))
}

/// The write lock comes before the look at the version, so several processes
/// that start at once take turns and each step runs once.
fn upgrade(files: &Files, session: &mut SqliteSession) -> Result<Migrated> {
    let found = migrate::version(&mut Tx::new(session))?;
    if migrate::is_up_to_date(&found)? {
        return Ok(Migrated::Nothing);
    }
    let backup = match found.version {
        0 => None,
        version => Some(back_up(&files.database, version)?),
    };
    session.batch("BEGIN IMMEDIATE")?;
    let migrated = migrate::run(&mut Tx::new(session));
    session.batch(match migrated {
        Ok(_) => "COMMIT",
        Err(_) => "ROLLBACK",
    })?;
    migrated.map(|migrated| migrated.with_backup(backup))
}

/// Beside the file, for its owner only, named after the version it has.
fn back_up(database: &Path, version: i64) -> Result<PathBuf> {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let copy = beside(database, &format!(".v{version}-{time}.backup"));
    backup::write(database, &copy)?;
    // Root may run this for the service's user, who needs it in an emergency.
    if let Ok(owner) = database.metadata() {
        let _ = chown(&copy, Some(owner.uid()), Some(owner.gid()));
    }
    tracing::info!(file = %copy.display(), from = version, "upgrading the database; a copy is in");
    Ok(copy)
}

/// Knows whether the open files are those at the path. Once they are not, the
/// store stays closed: a start looks at everything with care.
struct FileWatch {
    files: Files,
    stamp: Mutex<Stamp>,
    lost: watch::Sender<Option<StoreError>>,
}

impl FileWatch {
    fn new(files: Files, stamp: Stamp) -> Self {
        Self {
            files,
            stamp: Mutex::new(stamp),
            lost: watch::Sender::new(None),
        }
    }

    fn stamp(&self) -> Stamp {
        lock(&self.stamp).clone()
    }

    fn refuse_lost(&self) -> Result<()> {
        match &*self.lost.borrow() {
            Some(why) => Err(why.clone()),
            None => Ok(()),
        }
    }

    /// Before reading, and before what was read is believed. A checkpoint changes
    /// the file's content, which does not matter here; but beside an empty file
    /// SQLite would take the journal for a left-over and remove it.
    fn check_for_reading(&self) -> Result<()> {
        self.refuse_lost()?;
        let stamp = self.stamp();
        match self.files.look() {
            Ok(Some(now)) if now.same_files(&stamp) && !now.is_empty() => Ok(()),
            Ok(Some(_)) => Err(self.files.refusal(Change::Replaced)),
            _ => Err(self.files.refusal(Change::Removed)),
        }
    }

    /// After a checkpoint of our own or of one of our commands.
    fn accept(&self) {
        let mut stamp = lock(&self.stamp);
        if let Ok(Some(now)) = self.files.look()
            && now.same_files(&stamp)
        {
            *stamp = now;
        }
    }

    fn lose(&self, change: Change) -> StoreError {
        let why = self.files.refusal(change);
        self.lost.send_replace(Some(why.clone()));
        why
    }
}

struct Writer {
    session: SqliteSession,
    watch: Arc<FileWatch>,
    /// A server, not one of the owner's commands: runs checkpoints.
    serves: bool,
    journal_was_empty: bool,
    wrote: bool,
    changes: u64,
    /// Pages that are in the journal, as of the last commit.
    frames: Arc<AtomicU64>,
    /// The last generation that is known here.
    generation: i64,
    /// When a server or a command beside us was seen to run a checkpoint.
    anothers_checkpoint: Option<Instant>,
    /// The one whose checkpoint is not complete yet.
    begun: Option<String>,
    /// The one that the file has, to be noted with the next commit.
    finished: Option<String>,
    /// The journal the last time nobody had written for a while.
    quiet: Option<(u64, i64, i64)>,
}

impl Writer {
    fn new(
        mut db: Db,
        watch: Arc<FileWatch>,
        mode: OpenMode,
        journal_was_empty: bool,
    ) -> Result<Self> {
        let frames = Arc::<AtomicU64>::default();
        let noted = frames.clone();
        db.wal_hook(Some(move |_: &mut Wal, number: i32| {
            noted.store(u64::try_from(number).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self {
            generation: Generation::number(&db)?,
            session: SqliteSession::new(db),
            watch,
            serves: mode != OpenMode::Existing,
            journal_was_empty,
            wrote: false,
            changes: 0,
            frames,
            anothers_checkpoint: None,
            begun: None,
            finished: None,
            quiet: None,
        })
    }

    /// The files at the path are those that are open, before a commit and before
    /// anybody is told that it is stored.
    fn check_files(&mut self) -> Result<()> {
        self.watch.refuse_lost()?;
        match self.watch.files.compare(&self.watch.stamp()) {
            Ok(()) => Ok(()),
            Err(Change::Overwritten) if self.another_runs_a_checkpoint() => {
                self.watch.accept();
                Ok(())
            }
            Err(change) => {
                if matches!(change, Change::Removed | Change::JournalReplaced) {
                    // The open file is still the one that leads belong in: it is
                    // whole with what is in the journal.
                    let _ = run_checkpoint(&self.session.db, true);
                }
                Err(self.watch.lose(change))
            }
        }
    }

    /// Whoever runs a checkpoint begins a generation first; a copy that somebody
    /// wrote over the file has none that is later than ours.
    fn another_runs_a_checkpoint(&mut self) -> bool {
        let known = std::mem::replace(
            &mut self.generation,
            Generation::number(&self.session.db).unwrap_or(0),
        );
        if self.generation > known {
            self.anothers_checkpoint = Some(Instant::now());
        }
        let begun = self.anothers_checkpoint;
        begun.is_some_and(|begun| begun.elapsed() < LONGEST_CHECKPOINT)
    }

    /// True when the journal is empty.
    fn checkpoint(&mut self, truncate: bool) -> bool {
        if self.check_files().is_err() {
            return false;
        }
        let db = &self.session.db;
        let _ = db.busy_timeout(CHECKPOINT_TIMEOUT);
        let done = checkpoint(db, &mut self.begun, truncate).unwrap_or(false);
        let _ = db.busy_timeout(BUSY_TIMEOUT);
        self.generation = Generation::number(db).unwrap_or(self.generation);
        // Also after a failure: part of it may be done.
        self.watch.accept();
        if done {
            self.finished = self.begun.take();
            self.frames.store(0, Ordering::Relaxed);
        }
        done
    }

    fn limit_journal(&mut self) {
        let used = self.frames.load(Ordering::Relaxed) * FRAME;
        if used > SMALL_JOURNAL {
            let quarter = self.watch.files.free_bytes().map(|free| free / 4);
            let limit = quarter.map_or(LARGEST_JOURNAL, |quarter| quarter.min(LARGEST_JOURNAL));
            if used >= limit {
                // A file that keeps its length is synced faster than one that grows.
                self.checkpoint(limit < LARGEST_JOURNAL);
            }
        }
    }

    fn try_commit(&mut self) -> rusqlite::Result<()> {
        let db = &self.session.db;
        let changed = db.total_changes() != self.changes;
        if changed && let Some(name) = self.finished.take() {
            Generation::finish(db, &name)?;
        }
        db.prepare_cached("COMMIT")?.execute([])?;
        self.wrote |= changed;
        Ok(())
    }
}

impl Connection for Writer {
    fn writes(&self) -> bool {
        true
    }

    fn begin(&mut self) -> Result<()> {
        self.check_files()?;
        let db = &self.session.db;
        let begun = db.prepare_cached("BEGIN IMMEDIATE");
        begun
            .and_then(|mut begin| begin.execute([]))
            .map_err(failed)?;
        self.changes = db.total_changes();
        Ok(())
    }

    fn session(&mut self) -> &mut dyn Session {
        &mut self.session
    }

    fn commit(&mut self, _wakes: bool) -> Result<()> {
        if let Err(error) = self.try_commit() {
            self.rollback();
            return Err(failed(error));
        }
        self.check_files()
    }

    /// The room of the journal may be enough.
    fn recovers(&mut self, failure: &StoreError, _in_commit: bool) -> bool {
        *failure == StoreError::Unavailable(DISK_FULL.into()) && self.checkpoint(true)
    }

    fn rollback(&mut self) {
        // SQLite may have undone the whole transaction by itself already.
        if !self.session.db.is_autocommit() {
            let _ = self.session.batch("ROLLBACK");
        }
    }

    fn look_after(&mut self, idle: bool) -> Result<()> {
        if !self.serves {
            return Ok(());
        }
        if !idle {
            self.limit_journal();
            return Ok(());
        }
        self.check_files()?;
        let journal = self.watch.files.journal();
        if journal.is_some() && journal == self.quiet {
            self.checkpoint(true);
        }
        self.quiet = self.watch.files.journal();
        Ok(())
    }

    /// A server, or a command that wrote, leaves one whole file and no journal.
    /// One that only read leaves all as it was.
    fn close(&mut self) {
        if self.check_files().is_err() {
            return;
        }
        if self.serves && !self.checkpoint(true) {
            tracing::warn!("the journal stays beside the database: another program uses it");
        } else if !self.serves && self.wrote {
            let _ = Generation::begin(&self.session.db, None);
        }
        if self.serves || self.wrote || self.journal_was_empty {
            let _ = file::checkpoint_when_closed(&self.session.db, true);
        }
    }
}

/// Moves what is in the journal into the file, under a new generation. False
/// when somebody who reads kept the journal from being emptied.
pub fn checkpoint(db: &Db, begun: &mut Option<String>, truncate: bool) -> rusqlite::Result<bool> {
    *begun = match Generation::begin(db, begun.as_deref()) {
        // No room even for that: what is in the journal already goes first.
        Err(error) if file::is_full(&error) => {
            run_checkpoint(db, true)?;
            Some(Generation::begin(db, None)?)
        }
        // Without a generation, others would take a checkpoint for somebody's copy.
        name => Some(name?),
    };
    run_checkpoint(db, truncate)
}

fn run_checkpoint(db: &Db, truncate: bool) -> rusqlite::Result<bool> {
    let sql = match truncate {
        true => "PRAGMA wal_checkpoint(TRUNCATE)",
        false => "PRAGMA wal_checkpoint(RESTART)",
    };
    let busy: i64 = db.query_row(sql, [], |row| row.get(0))?;
    Ok(busy == 0)
}

/// Opened when it is first needed: most commands read little.
struct Reader {
    session: Option<SqliteSession>,
    watch: Arc<FileWatch>,
}

impl Connection for Reader {
    fn writes(&self) -> bool {
        false
    }

    fn begin(&mut self) -> Result<()> {
        self.watch.check_for_reading()?;
        if self.session.is_none() {
            let db = file::open_reader(&self.watch.files.database);
            self.session = Some(SqliteSession::new(db.map_err(failed)?));
        }
        // All statements of a job see the same state.
        self.session().batch("BEGIN")
    }

    fn session(&mut self) -> &mut dyn Session {
        self.session.as_mut().expect("begun before it is used")
    }

    fn commit(&mut self, _wakes: bool) -> Result<()> {
        self.session().batch("COMMIT")?;
        self.watch.check_for_reading()
    }

    fn rollback(&mut self) {
        // The connection may be the cause of the failure.
        self.session = None;
    }
}
