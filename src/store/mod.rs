//! Where leads and subscribers are kept: one face, whichever database is behind it.
//!
//! A call that stores something returns only once it is on disk. This module
//! is the only place with SQL, and no type of a database driver leaves it.

mod backlog;
mod backups;
mod channels;
mod columns;
mod cursor;
mod deliveries;
mod delivery_kind;
mod digests;
mod error;
mod facts;
pub mod health;
mod imports;
mod issues;
mod lead_states;
mod leads;
mod lessons;
mod links;
mod live_lessons;
mod moving;
mod pause;
mod person;
mod postgres;
mod postgres_url;
mod refusals;
mod releases;
mod reminders;
mod retention;
mod schedules;
mod shared_counts;
mod spam;
mod sqlite;
mod subscribers;
mod unreadable;
mod url;
mod wakeups;
#[cfg(test)]
mod ways;

use std::path::PathBuf;

use jiff::Timestamp;

pub use backlog::{Backlog, Connections};
pub use backups::{BackupFacts, Restored};
pub use channels::{Channel, ChannelHealth};
pub use cursor::Cursor;
pub use deliveries::*;
pub use delivery_kind::DeliveryKind;
pub use digests::{Attention, Digest, Failing, remind_after};
pub use error::{Result, StoreError};
pub use facts::{Fact, LeadFacts};
use health::Health;
pub use imports::{Import, Imported, Welcome};
pub use issues::*;
pub use lead_states::*;
pub use leads::*;
pub use lessons::Lesson;
pub use links::*;
pub use live_lessons::LiveLessons;
pub use moving::{Move, MovedTable, Step};
pub use pause::{Dropped, WaitingKind};
pub use person::Record;
use postgres::Postgres;
pub use postgres_url::PostgresUrl;
pub use refusals::AddressRefusal;
use refusals::{GETS_ISSUES, REFUSALS_THAT_SUSPEND};
pub use releases::{BUILT_IN, KEPT_RELEASES, NewRelease, StoredRelease};
pub use retention::{LastPruning, OldRecords, OldRow};
pub use schedules::{DueIssue, IssueSummary, NewSchedule, RunOutcome, ScheduleState};
pub use shared_counts::{Counted, SharedCounts};
pub use spam::SAME_TEXT_WITHIN;
use sqlite::Sqlite;
pub use subscribers::*;
pub use unreadable::Unreadable;
use unreadable::{PassedOver, Read};
pub use url::DatabaseUrl;
pub use wakeups::{Sleeper, Wakeups};

/// What to do when the database does not exist yet, or is of an earlier
/// version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Create it, directory included, or upgrade it: for the server.
    Create,
    /// Refuse: a tool pointed at a wrong place should say so.
    Existing,
}

/// What [`Store::migrate`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Migrated {
    Created,
    Upgraded {
        from: i64,
        to: i64,
        /// Of the file as it was; a database server has its own.
        backup: Option<PathBuf>,
    },
    /// It was up to date.
    Nothing,
}

/// Whose clock tells when something is due and a lease has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The one that all who share the database go by: of the database's server,
    /// or of the one machine that a file is on.
    Shared,
    /// What each caller says: for tests.
    Callers,
}

/// An open database. Cheap to clone; all clones share their connections.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
    wakeups: Wakeups,
    passed_over: PassedOver,
}

#[derive(Clone)]
enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// The same call on whichever database is behind. One that lacks it does not
/// compile.
macro_rules! on_engine {
    ($store:expr, $db:ident => $call:expr) => {
        match &$store.engine {
            $crate::store::Engine::Sqlite($db) => $call,
            $crate::store::Engine::Postgres($db) => $call,
        }
    };
}
use on_engine;

impl Store {
    /// Opens the database; with [`OpenMode::Create`] also makes it, or brings
    /// its tables up to date.
    pub async fn open(url: &DatabaseUrl, mode: OpenMode) -> Result<Self> {
        Self::open_by(url, mode, Clock::Shared).await
    }

    /// By a clock that a test can turn.
    #[doc(hidden)]
    pub async fn open_by(url: &DatabaseUrl, mode: OpenMode, clock: Clock) -> Result<Self> {
        let store = Self::open_engine(url, mode, clock).await?;
        store.refuse_unfinished().await?;
        Ok(store)
    }

    async fn open_engine(url: &DatabaseUrl, mode: OpenMode, clock: Clock) -> Result<Self> {
        let wakeups = Wakeups::default();
        let engine = match url {
            DatabaseUrl::Sqlite(file) => Engine::Sqlite(Sqlite::open(file.clone(), mode).await?),
            DatabaseUrl::Postgres(url) => {
                Engine::Postgres(Postgres::open(url, mode, clock, wakeups.clone()).await?)
            }
        };
        Ok(Self::new(engine, wakeups))
    }

    fn new(engine: Engine, wakeups: Wakeups) -> Self {
        Self {
            engine,
            wakeups,
            passed_over: PassedOver::default(),
        }
    }

    /// Makes the database's tables, or brings them up to date.
    pub async fn migrate(url: &DatabaseUrl) -> Result<Migrated> {
        let migrated = match url {
            DatabaseUrl::Sqlite(file) => sqlite::migrate(file.clone()).await,
            DatabaseUrl::Postgres(url) => postgres::migrate(url).await,
        }?;
        // Refused while a move to it is unfinished.
        Self::open(url, OpenMode::Existing).await?.close().await?;
        Ok(migrated)
    }

    /// Whether a server could use it; changes nothing. False when it is too
    /// large to have been read whole.
    pub async fn check(url: &DatabaseUrl) -> Result<bool> {
        match url {
            DatabaseUrl::Sqlite(file) => sqlite::check(file.clone()).await,
            DatabaseUrl::Postgres(server) => {
                let whole = postgres::check(server).await?;
                // Also asks whether a move to it is unfinished.
                Self::open(url, OpenMode::Existing).await?.close().await?;
                Ok(whole)
            }
        }
    }

    /// Every lead is a transaction of its own: the yardstick of the benchmark,
    /// not for use.
    #[doc(hidden)]
    pub async fn open_without_group_commit(url: &DatabaseUrl) -> Result<Self> {
        let (mode, wakeups) = (OpenMode::Create, Wakeups::default());
        let engine = match url {
            DatabaseUrl::Sqlite(file) => {
                Engine::Sqlite(Sqlite::open_with(file.clone(), mode, 1).await?)
            }
            DatabaseUrl::Postgres(url) => {
                let opened = Postgres::open(url, mode, Clock::Shared, wakeups.clone());
                Engine::Postgres(opened.await?.each_alone())
            }
        };
        Ok(Self::new(engine, wakeups))
    }

    /// Whether a lead could be stored right now: writes, and commits.
    pub async fn probe(&self) -> Result<()> {
        on_engine!(self, db => db.probe(Timestamp::now()).await)
    }

    pub fn health(&self) -> &Health {
        on_engine!(self, db => db.health())
    }

    /// How many writes wait for their turn.
    pub fn waiting(&self) -> usize {
        on_engine!(self, db => db.waiting())
    }

    /// Which database this is, for people.
    pub fn place(&self) -> String {
        on_engine!(self, db => db.place())
    }

    /// For whoever delivers.
    pub fn wakeups(&self) -> &Wakeups {
        &self.wakeups
    }

    /// Finishes what waits and leaves everything whole; all clones are closed.
    pub async fn close(&self) -> Result<()> {
        on_engine!(self, db => db.close().await)
    }
}
