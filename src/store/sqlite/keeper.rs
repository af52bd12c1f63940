//! Keeps the one connection that writes, and knows whether it may be used.
//!
//! Before each group of jobs and again before anybody is answered, the files
//! at the path must be the ones that are open. If they are not, the group is
//! refused, what is open is let go of, and only what passes `admission` is
//! opened in its place: by itself, once something good is there again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::admission::{self, Open, THOROUGHLY};
use super::committed::Committed;
use super::files::{Change, Files, JournalFile, Stamp};
use super::gate::{Gate, refusal};
use super::generation::{self, Kinship};
use super::group;
use super::job::Job;
use super::journal::Emptied;
use super::readers::Readers;
use super::{DISK_FULL, connection, journal};
use crate::store::health::Health;
use crate::store::{OpenMode, Result, StoreError};

/// What was refused is looked at again after this, or once it has changed.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Under load the look after one group is the look before the next.
const JUST_SEEN: Duration = Duration::from_millis(2);

pub struct Keeper {
    pub files: Files,
    pub mode: OpenMode,
    pub gate: Arc<Gate>,
    pub readers: Arc<Readers>,
    pub health: Arc<Health>,
    open: Option<Open>,
    refused: Option<Refused>,
    /// What was open before, until something is open again.
    before: Option<Before>,
    wrote: bool,
    /// When the files were last seen to be the open ones.
    seen: Option<Instant>,
    /// What the journal was like the last time nobody had written for a while.
    quiet: Option<JournalFile>,
}

struct Before {
    stamp: Stamp,
    /// The last generation that was known.
    known: Option<String>,
    change: Change,
}

struct Refused {
    stamp: Option<Stamp>,
    at: Instant,
    why: StoreError,
}

impl Keeper {
    pub fn new(
        files: Files,
        mode: OpenMode,
        gate: Arc<Gate>,
        readers: Arc<Readers>,
        health: Arc<Health>,
        open: Open,
    ) -> Self {
        Self {
            files,
            mode,
            gate,
            readers,
            health,
            before: None,
            open: Some(open),
            refused: None,
            wrote: false,
            seen: None,
            quiet: None,
        }
    }

    /// All jobs or none of them, in the files at the path.
    pub fn commit(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<Committed> {
        let began = Instant::now();
        let outcome = self.try_commit(jobs);
        match &outcome {
            Err(error) => self.health.note(Some(error)),
            Ok(Committed::All { changed: true }) => {
                self.wrote = true;
                if let Some(open) = &mut self.open {
                    open.folded = None;
                }
                self.health.note(None);
                self.health.committed(began.elapsed());
            }
            // Says nothing about whether a lead could be stored.
            Ok(_) => {}
        }
        outcome
    }

    fn try_commit(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<Committed> {
        self.ensure_open()?;
        let outcome = match self.attempt(jobs) {
            Err(error) if connection::is_full(&error) && self.fold(Emptied::GivenBack) => {
                self.attempt(jobs)
            }
            outcome => outcome,
        };
        let outcome = outcome.map_err(|error| self.failed(&error))?;
        self.confirm()?;
        Ok(outcome)
    }

    fn attempt(&mut self, jobs: &mut [Box<dyn Job>]) -> rusqlite::Result<Committed> {
        let open = self.open.as_ref().ok_or(rusqlite::Error::InvalidQuery)?;
        group::commit(&open.db, jobs, open.folded.as_deref())
    }

    /// A connection that failed for any other reason than a lock or a full
    /// disk may be the cause itself.
    fn failed(&mut self, error: &rusqlite::Error) -> StoreError {
        if !connection::is_busy(error) && !connection::is_full(error) {
            self.open = None;
        }
        match error {
            error if connection::is_full(error) => StoreError::Unavailable(DISK_FULL.into()),
            error if connection::is_busy(error) => StoreError::Busy(error.to_string()),
            error => StoreError::Unavailable(error.to_string()),
        }
    }

    fn ensure_open(&mut self) -> Result<()> {
        if let Some(open) = &self.open {
            if self.seen.is_some_and(|at| at.elapsed() < JUST_SEEN) {
                return Ok(());
            }
            match self.files.compare(&open.stamp) {
                Ok(()) => return Ok(()),
                Err(change) => self.let_go(change),
            }
        }
        self.reopen()
    }

    /// The other half of the promise: what was committed is at the path.
    fn confirm(&mut self) -> Result<()> {
        let Some(open) = &self.open else {
            return Err(admission::replaced(&self.files));
        };
        match self.files.compare(&open.stamp) {
            Ok(()) => {
                self.seen = Some(Instant::now());
                Ok(())
            }
            Err(change) => {
                self.let_go(change);
                match change {
                    // One of our own tools, or a copy: admission can tell.
                    Change::Overwritten => self.reopen(),
                    _ => Err(refusal(&self.files, change)),
                }
            }
        }
    }

    /// Closes everything. What is in the journal goes into the file that was
    /// open, wherever that is now, unless that could mix it with another, or
    /// the file that is there now can take it.
    fn let_go(&mut self, change: Change) {
        self.seen = None;
        let _paused = self.readers.pause();
        let Some(open) = self.open.take() else { return };
        let stays = match change {
            Change::Overwritten | Change::Index => true,
            Change::Replaced => self.is_kin(&open),
            Change::Removed | Change::Journal => false,
        };
        if !stays {
            let _ = journal::empty(&open.db, Emptied::GivenBack);
        }
        self.gate.close(refusal(&self.files, change));
        self.before = Some(Before {
            stamp: open.stamp,
            known: open.known,
            change,
        });
    }

    /// Whether the open journal belongs to the other file at the path too: a
    /// copy, as new as the journal.
    fn is_kin(&self, open: &Open) -> bool {
        let alone = generation::read_file_alone(&self.files.database)
            .ok()
            .flatten();
        let together = generation::read(&open.db).ok().flatten();
        generation::kinship(alone.as_ref(), together.as_ref()) == Kinship::Sure
    }

    fn reopen(&mut self) -> Result<()> {
        let stamp = self.files.look().ok().flatten();
        if let Some(refused) = &self.refused
            && refused.stamp == stamp
            && refused.at.elapsed() < RETRY_PAUSE
        {
            return Err(refused.why.clone());
        }
        let _paused = self.readers.pause();
        let why = match self.examine() {
            Ok(open) => {
                self.gate.open(open.stamp.clone());
                self.tell_of(&open);
                self.open = Some(open);
                self.refused = None;
                return Ok(());
            }
            Err(StoreError::Missing { .. }) => refusal(&self.files, Change::Removed),
            Err(why) => why,
        };
        self.gate.close(why.clone());
        self.refused = Some(Refused {
            stamp,
            at: Instant::now(),
            why: why.clone(),
        });
        Err(why)
    }

    /// Whoever put another file there should read that it is in use. Our own
    /// tools are known by a generation that is later than the one we knew.
    fn tell_of(&mut self, open: &Open) {
        let Some(before) = self.before.take() else {
            return;
        };
        let number = |name: &Option<String>| name.as_deref().map(generation::number);
        let by_a_tool = number(&open.known) > number(&before.known);
        let overwritten = before.change == Change::Overwritten && !by_a_tool;
        if overwritten || !open.stamp.same_database(&before.stamp) {
            let file = admission::place(&self.files);
            tracing::warn!(%file, "the database file was replaced; checked and in use");
        }
    }

    fn examine(&self) -> Result<Open> {
        let mut open = admission::admit(&self.files)?;
        admission::check_version(&open.db, &self.files)?;
        if !admission::quick_check(&open.db, &self.files, THOROUGHLY)? {
            let why = "the new file is too large to be checked in time: restart the server";
            return Err(StoreError::Unavailable(why.into()));
        }
        if self.mode == OpenMode::Create {
            connection::use_write_ahead_log(&open.db)?;
            open.stamp = self.look_again()?;
        }
        Ok(open)
    }

    fn look_again(&self) -> Result<Stamp> {
        let stamp = self.files.look().ok().flatten();
        stamp.ok_or_else(|| refusal(&self.files, Change::Removed))
    }

    /// Folds the journal into the file if it is ours; true when it is empty.
    fn fold(&mut self, emptied: Emptied) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if self.files.compare(&open.stamp).is_err() {
            return false;
        }
        let folded = journal::fold(open, emptied).unwrap_or(false);
        // Also after a failure: part of it may be done.
        if let Ok(Some(stamp)) = self.files.look()
            && stamp.same_files(&open.stamp)
        {
            open.stamp = stamp;
        }
        folded
    }

    /// After each group.
    pub fn bound_journal(&mut self) {
        let Some(open) = &self.open else { return };
        if let Some(emptied) = journal::is_due(&open.used, &self.files.database) {
            self.fold(emptied);
        }
    }

    /// Now and then: notices what happened to the files while nobody wrote,
    /// and folds what nobody has added to since the last time.
    pub fn tick(&mut self) {
        let was_closed = self.open.is_none();
        let open = self.ensure_open();
        if was_closed || open.is_err() {
            self.health.note(open.as_ref().err());
        }
        let journal = self.files.journal();
        if open.is_ok() && journal.is_some() && journal == self.quiet {
            self.fold(Emptied::GivenBack);
        }
        self.quiet = self.files.journal();
    }

    /// The last connection of a server, or of a tool that wrote, leaves one
    /// whole file and no journal. One that only read leaves all as it was.
    pub fn close(mut self) {
        self.readers.close();
        let Some(mut open) = self.open.take() else {
            return;
        };
        if self.files.compare(&open.stamp).is_err() {
            return;
        }
        let serves = self.mode == OpenMode::Create;
        if serves && !journal::fold(&mut open, Emptied::GivenBack).unwrap_or(false) {
            tracing::warn!("the journal stays beside the database: another program uses it");
        } else if !serves && self.wrote {
            let _ = generation::begin(&open.db, None);
        }
        if serves || self.wrote || open.journal_was_empty {
            let _ = connection::fold_when_closed(&open.db, true);
        }
    }
}
