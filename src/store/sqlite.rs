//! The SQLite database: one thread writes, a few read.
//!
//! With `synchronous=FULL` in WAL mode, a committed transaction survives a power cut, so a lead
//! that was acknowledged is safe.

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
use super::queue::{Connection, JobThreads, Shared, Work, on_thread};
use super::sqlite_file::{self as file, BUSY_TIMEOUT, Change, Files, Generation, Stamp, beside};
use super::sqlite_session::SqliteSession;
use super::tx::{Session, Tx};
use super::{Database, Inner, Migrated, OpenMode, Result, StoreError, backup, migrate};

const READERS: usize = 4;
/// Limits the check at start, which would take seconds for a large database.
const CHECK_AT_START: Duration = Duration::from_secs(1);

/// The journal (WAL) is checkpointed at this size: a checkpoint makes writers wait for two more
/// syncs. On a small disk it happens earlier, at a quarter of the free space, because the journal
/// must not take the space that the checkpoint needs.
const MAX_JOURNAL: u64 = 16 * 1024 * 1024;
/// A journal below this size fits on any disk.
const SMALL_JOURNAL: u64 = 128 * 1024;
/// A page and its header in the journal.
const FRAME: u64 = 4096 + 24;
/// Space for the largest lead, in the journal and in the file.
const ROOM_FOR_A_LEAD: u64 = 128 * 1024;
/// How long another process's checkpoint may keep changing the file.
const MAX_CHECKPOINT: Duration = Duration::from_secs(30);
/// A checkpoint doesn't wait longer for readers; it is retried later.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_millis(50);

pub struct Sqlite {
    pub files: Files,
    watch: Arc<FileWatch>,
}

/// Blocks until the database is open.
pub fn open(path: &Path, mode: OpenMode, shared: Shared) -> Result<Inner> {
    let files = Files::new(path);
    let journal_was_empty = files.journal_bytes() == 0;
    let (db, stamp, migrated) = match mode {
        OpenMode::Create | OpenMode::MoveTarget => create_or_upgrade(&files)?,
        OpenMode::Existing => open_existing(&files)?,
    };
    let watch = Arc::new(FileWatch {
        files: files.clone(),
        stamp: Mutex::new(stamp),
        lost: watch::Sender::new(None),
    });
    let writer = Writer::new(db, watch.clone(), mode, journal_was_empty)?;
    let reader = |_| Reader {
        session: None,
        watch: watch.clone(),
    };
    let readers = (0..READERS).map(reader).collect();
    Ok(Inner {
        writers: JobThreads::start("store-writer", vec![writer], &shared)?,
        readers: JobThreads::start("store-reader", readers, &shared)?,
        shared,
        location: files.location(),
        database: Database::Sqlite(Sqlite { files, watch }),
        migrated,
    })
}

impl Sqlite {
    /// Runs work on its own connection, without the usual timeout.
    pub async fn read_long<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        let database = self.files.database.clone();
        on_thread(move || {
            let db = file::open_reader(&database)?;
            work(&mut Tx::new(&mut SqliteSession::new(db)))
        })
        .await
    }

    /// Reads the whole database.
    pub async fn check(&self) -> Result<()> {
        let files = self.files.clone();
        on_thread(move || {
            let db = file::open_reader(&files.database)?;
            file::check(&db, &files, "quick_check").map(drop)
        })
        .await
    }

    pub fn has_room(&self) -> bool {
        let free = self.files.free_bytes();
        free.is_none_or(|free| free >= ROOM_FOR_A_LEAD)
    }

    /// Returns when the file at the path is no longer the open one. While there is no file, a
    /// restart would create an empty database, so the owner has to act first.
    pub async fn lost(&self) -> StoreError {
        let mut lost = self.watch.lost.subscribe();
        let why = lost.wait_for(Option::is_some).await.ok();
        let why = why.and_then(|why| why.clone());
        while !self.files.database.exists() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        why.unwrap_or_else(|| self.files.refusal(Change::Replaced))
    }
}

fn open_existing(files: &Files) -> Result<(Db, Stamp, Migrated)> {
    let (db, stamp) = file::open_checked(files)?;
    let mut session = SqliteSession::new(db);
    migrate::require_known(&mut Tx::new(&mut session), &files.location())?;
    Ok((session.db, stamp, Migrated::Nothing))
}

fn create_or_upgrade(files: &Files) -> Result<(Db, Stamp, Migrated)> {
    let location = files.location();
    if matches!(files.stamp(), Err(StoreError::Missing { .. })) && files.journal_bytes() > 0 {
        return Err(StoreError::Mixed { location });
    }
    file::create_file(&files.database)
        .map_err(|reason| StoreError::CannotOpen { location, reason })?;
    let (mut db, _) = file::open_checked(files)?;
    let began = Instant::now();
    db.progress_handler(1_000, Some(move || began.elapsed() > CHECK_AT_START))?;
    if !file::check(&db, files, "quick_check")? {
        tracing::info!("the database is too large to check at start: run frontdoor check");
    }
    db.progress_handler(0, None::<fn() -> bool>)?;
    let mut session = SqliteSession::new(db);
    let migrated = upgrade(files, &mut session)?;
    let db = session.db;
    file::use_write_ahead_log(&db).map_err(|error| files.cannot_open(&error))?;
    // Gives the file a generation, so that a matching journal can be recognized from now on.
    let _ = checkpoint(&db, &mut None, true);
    Ok((db, files.stamp()?, migrated))
}

/// `migrate::run` reads the version again under the write lock, so processes starting at once
/// migrate one at a time and each step runs once.
fn upgrade(files: &Files, session: &mut SqliteSession) -> Result<Migrated> {
    let found = migrate::version(&mut Tx::new(session))?;
    if found >= migrate::known() {
        return Ok(Migrated::Nothing);
    }
    let backup = match found {
        0 => None,
        version => Some(back_up(&files.database, version)?),
    };
    session.batch("BEGIN IMMEDIATE")?;
    let migrated = migrate::run(&mut Tx::new(session), backup)?;
    session.batch("COMMIT")?;
    Ok(migrated)
}

/// Makes a copy next to the file, readable by its owner only and named after its schema version.
fn back_up(database: &Path, version: i64) -> Result<PathBuf> {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let copy = beside(database, &format!(".v{version}-{time}.backup"));
    backup::write(database, &copy)?;
    // Root may run this for the service's user, who needs the copy in an emergency.
    if let Ok(owner) = database.metadata() {
        let _ = chown(&copy, Some(owner.uid()), Some(owner.gid()));
    }
    tracing::info!(file = %copy.display(), from = version, "copied the database to upgrade it");
    Ok(copy)
}

/// Checks whether the open files are those at the path. Once they aren't, the store stays closed
/// until a restart, which checks everything.
struct FileWatch {
    files: Files,
    stamp: Mutex<Stamp>,
    lost: watch::Sender<Option<StoreError>>,
}

impl FileWatch {
    fn stamp(&self) -> Stamp {
        lock(&self.stamp).clone()
    }

    fn refuse_lost(&self) -> Result<()> {
        match &*self.lost.borrow() {
            Some(why) => Err(why.clone()),
            None => Ok(()),
        }
    }

    /// Called before reading, and before the result is trusted. A checkpoint changes the file's
    /// content, which doesn't matter here.
    fn check_for_reading(&self) -> Result<()> {
        self.refuse_lost()?;
        match self.files.compare(&self.stamp()) {
            Ok(()) | Err(Change::Overwritten) => Ok(()),
            Err(change) => Err(self.files.refusal(change)),
        }
    }

    /// Called after a checkpoint of this process or of one of our commands.
    fn accept(&self) {
        let mut stamp = lock(&self.stamp);
        if let Ok(now) = self.files.stamp()
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
    /// True for a server, which runs checkpoints, and false for the owner's commands.
    serves: bool,
    journal_was_empty: bool,
    wrote: bool,
    changes: u64,
    /// The number of pages in the journal as of the last commit.
    frames: Arc<AtomicU64>,
    /// The last known generation.
    generation: i64,
    /// When a checkpoint by another server or command was seen.
    foreign_checkpoint_at: Option<Instant>,
    /// The generation whose checkpoint isn't complete yet.
    begun: Option<String>,
    /// The generation that the file has, to be recorded with the next commit.
    finished: Option<String>,
    /// The journal at the last idle check; if unchanged at the next one, it is checkpointed.
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
        let hook_frames = frames.clone();
        db.wal_hook(Some(move |_: &mut Wal, number: i32| {
            hook_frames.store(u64::try_from(number).unwrap_or(0), Ordering::Relaxed);
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
            // A server may have begun a checkpoint just before a command opened the file.
            foreign_checkpoint_at: (mode == OpenMode::Existing).then(Instant::now),
            begun: None,
            finished: None,
            quiet: None,
        })
    }

    /// Checks that the files at the path are the open ones, before a commit and before it is
    /// acknowledged.
    fn check_files(&mut self) -> Result<()> {
        self.watch.refuse_lost()?;
        match self.watch.files.compare(&self.watch.stamp()) {
            Ok(()) => Ok(()),
            Err(Change::Overwritten) if self.another_process_runs_checkpoint() => {
                self.watch.accept();
                Ok(())
            }
            Err(change) => {
                if matches!(change, Change::Removed | Change::JournalReplaced) {
                    // The journal's leads belong in the open file; the checkpoint moves them there.
                    let _ = run_checkpoint(&self.session.db, true);
                }
                Err(self.watch.lose(change))
            }
        }
    }

    /// Tells another process's checkpoint from a copy written over the file: our processes begin a
    /// generation before a checkpoint, and a copy has none later than ours.
    fn another_process_runs_checkpoint(&mut self) -> bool {
        let known = std::mem::replace(
            &mut self.generation,
            Generation::number(&self.session.db).unwrap_or(0),
        );
        if self.generation > known {
            self.foreign_checkpoint_at = Some(Instant::now());
        }
        let seen_at = self.foreign_checkpoint_at;
        seen_at.is_some_and(|seen_at| seen_at.elapsed() < MAX_CHECKPOINT)
    }

    /// Returns true if the journal is empty.
    fn checkpoint(&mut self, truncate: bool) -> bool {
        if self.check_files().is_err() {
            return false;
        }
        let db = &self.session.db;
        let _ = db.busy_timeout(CHECKPOINT_TIMEOUT);
        let done = checkpoint(db, &mut self.begun, truncate).unwrap_or(false);
        let _ = db.busy_timeout(BUSY_TIMEOUT);
        self.generation = Generation::number(db).unwrap_or(self.generation);
        // Even after a failure, because a part of the checkpoint may be done.
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
            let limit = quarter.map_or(MAX_JOURNAL, |quarter| quarter.min(MAX_JOURNAL));
            if used >= limit {
                // A file that keeps its length syncs faster than one that grows.
                self.checkpoint(limit < MAX_JOURNAL);
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
        db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.changes = db.total_changes();
        Ok(())
    }

    fn session(&mut self) -> &mut dyn Session {
        &mut self.session
    }

    fn commit(&mut self) -> Result<()> {
        if let Err(error) = self.try_commit() {
            self.rollback();
            return Err(error.into());
        }
        self.check_files()
    }

    /// Emptying the journal may free enough space.
    fn recovers(&mut self, failure: &StoreError, _in_commit: bool) -> bool {
        *failure == StoreError::DiskFull && self.checkpoint(true)
    }

    fn rollback(&mut self) {
        // SQLite may already have rolled back the whole transaction.
        if !self.session.db.is_autocommit() {
            let _ = self.session.batch("ROLLBACK");
        }
    }

    fn maintain(&mut self, idle: bool) -> Result<()> {
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

    /// A server, or a command that wrote, leaves a single file without a journal. A command that
    /// only read leaves the files as they were.
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

/// Moves the journal's content into the file, under a new generation. Returns false if readers kept
/// the journal from being emptied.
pub fn checkpoint(db: &Db, begun: &mut Option<String>, truncate: bool) -> rusqlite::Result<bool> {
    *begun = match Generation::begin(db, begun.as_deref()) {
        // No space even for the generation: checkpoint the existing journal first.
        Err(error) if file::is_full(&error) => {
            run_checkpoint(db, true)?;
            Some(Generation::begin(db, None)?)
        }
        // Without a generation, other processes would take the checkpoint for an overwritten file.
        name => Some(name?),
    };
    run_checkpoint(db, truncate)
}

fn run_checkpoint(db: &Db, truncate: bool) -> rusqlite::Result<bool> {
    let sql = if truncate {
        "PRAGMA wal_checkpoint(TRUNCATE)"
    } else {
        "PRAGMA wal_checkpoint(RESTART)"
    };
    let busy: i64 = db.query_row(sql, [], |row| row.get(0))?;
    Ok(busy == 0)
}

/// Opened on first use, because most commands read little.
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
            let db = file::open_reader(&self.watch.files.database)?;
            self.session = Some(SqliteSession::new(db));
        }
        // All statements of a job see the same snapshot.
        self.session().batch("BEGIN")
    }

    fn session(&mut self) -> &mut dyn Session {
        self.session.as_mut().expect("begun before it is used")
    }

    fn commit(&mut self) -> Result<()> {
        self.session().batch("COMMIT")?;
        self.watch.check_for_reading()
    }

    fn rollback(&mut self) {
        // The connection may be the cause of the failure.
        self.session = None;
    }
}
