//! The daily backup: one file a day in the owner's folder, named after the database and the time
//! and verified before it gets that name; the oldest are deleted.
//!
//! Only files with exactly such a name are counted and deleted.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::config::BackupSettings;
use crate::store::{DatabaseUrl, Digest, Store};

const TIME: &str = "%Y%m%dT%H%M%SZ";

/// Clones share the state.
#[derive(Clone)]
pub struct Backups {
    folder: PathBuf,
    /// The name of the database file, without its extension.
    name: String,
    keep: usize,
    known: Arc<Mutex<Known>>,
}

#[derive(Clone, Default)]
struct Known {
    last_good: Option<Timestamp>,
    /// Why the last attempt failed, if it did.
    failure: Option<String>,
}

impl Backups {
    /// Returns `None` if no backups are configured or the database isn't SQLite.
    pub fn new(settings: Option<&BackupSettings>, url: &DatabaseUrl) -> Option<Self> {
        let (Some(settings), DatabaseUrl::Sqlite(database)) = (settings, url) else {
            return None;
        };
        let name = database.file_stem().unwrap_or(database.as_os_str());
        Some(Self {
            folder: settings.folder.clone(),
            name: name.to_string_lossy().into_owned(),
            keep: settings.keep,
            known: Arc::default(),
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The time of the last good backup, taken from its name. One from the future was made before
    /// the clock was set back and is ignored.
    pub fn last_good(&self, now: Timestamp) -> io::Result<Option<Timestamp>> {
        let times = self.times()?;
        let last = times.into_iter().rfind(|time| *time <= now);
        self.known().last_good = last;
        Ok(last)
    }

    /// The same as of the last check, without disk access; for metrics and the digest.
    pub fn last_known(&self) -> Option<Timestamp> {
        self.known().last_good
    }

    /// Why the last attempt failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.known().failure.clone()
    }

    /// Adds the state of backups to the daily digest.
    pub fn add_to_digest(&self, digest: &mut Digest) {
        digest.last_backup = self.last_known();
        digest.backup_failure = self.failure();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a backup and deletes surplus ones.
    pub async fn make(&self, store: &Store, now: Timestamp) -> Result<PathBuf, String> {
        let made = self.write(store, now).await;
        self.known().failure = made.as_ref().err().cloned();
        made
    }

    async fn write(&self, store: &Store, now: Timestamp) -> Result<PathBuf, String> {
        let mut folder = DirBuilder::new();
        let made = folder.recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let file = self.file(now);
        let written = store.backup(&file).await;
        written.map_err(|error| error.to_string())?;
        self.known().last_good = Some(now);
        self.remove_oldest()
            .map_err(|error| format!("can't delete old backups: {error}"))?;
        Ok(file)
    }

    fn remove_oldest(&self) -> io::Result<()> {
        let times = self.times()?;
        let day = |time: &Timestamp| time.to_zoned(TimeZone::UTC).date();
        // A day may have several backups, made from the desk.
        let mut days: Vec<_> = times.iter().map(day).collect();
        days.dedup();
        let too_many = days.len().saturating_sub(self.keep);
        let mut old = times
            .iter()
            .filter(|time| days[..too_many].contains(&day(time)));
        old.try_for_each(|time| fs::remove_file(self.file(*time)))
    }

    fn file(&self, time: Timestamp) -> PathBuf {
        let time = time.strftime(TIME);
        self.folder.join(format!("{}-{time}.db", self.name))
    }

    /// The times of our files, oldest first.
    fn times(&self) -> io::Result<Vec<Timestamp>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut times = Vec::new();
        for entry in entries {
            times.extend(self.time_of(&entry?.path()));
        }
        times.sort_unstable();
        Ok(times)
    }

    fn time_of(&self, file: &Path) -> Option<Timestamp> {
        let name = file.file_name()?.to_str()?;
        let time = name.strip_prefix(&self.name)?.strip_prefix('-')?;
        let time = DateTime::strptime(TIME, time.strip_suffix(".db")?).ok()?;
        let time = time.to_zoned(TimeZone::UTC).ok()?.timestamp();
        // Other spellings of the same time aren't ours.
        (self.file(time).file_name() == file.file_name()).then_some(time)
    }
}
