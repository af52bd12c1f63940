//! The store of leads, subscribers and deliveries, in either SQLite or PostgreSQL.
//!
//! A call that stores something returns only once it is on disk. Its work is a function over a
//! transaction ([`tx::Tx`]) with one SQL text for both databases, run by threads that own a
//! connection each (`queue`). Drivers are used only in `sqlite*`, `postgres*`, `backup` and
//! `person`. Each other file covers one subject: its types, statements and rules. All SQL is in
//! this module, and no driver's type leaves it.

mod backup;
mod bookings;
mod claims;
mod deliveries;
mod desk;
mod error;
pub mod health;
mod issues;
mod lead_changes;
mod leads;
mod migrate;
mod moving;
mod notices;
mod person;
#[cfg(test)]
mod plan_tests;
mod postgres;
mod postgres_tls;
mod queue;
#[cfg(test)]
mod queue_tests;
mod releases;
mod replies;
mod retention;
mod select;
mod spam;
mod sqlite;
mod sqlite_file;
mod sqlite_session;
mod subscribers;
mod tx;
mod url;
mod visits;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

pub use backup::*;
pub use bookings::*;
pub use claims::*;
pub use deliveries::*;
pub use desk::*;
pub use error::*;
use health::Health;
pub use issues::*;
pub use lead_changes::*;
pub use leads::*;
pub use migrate::*;
pub use moving::*;
pub use notices::*;
pub use person::*;
use postgres::Postgres;
pub use queue::JOB_TIMEOUT;
use queue::{JobThreads, LONG_JOB_TIMEOUT, Shared, Work};
pub use releases::*;
pub use replies::*;
pub use retention::*;
pub use spam::*;
use sqlite::Sqlite;
pub use subscribers::*;
pub use tx::Unreadable;
use tx::{FromValue, Row, Tx, Value, args};
pub use url::{DatabaseUrl, PostgresUrl};
pub use visits::*;

/// Signals that this process has stored something that may be due. Receivers also poll, for what
/// other processes store.
type Wakeups = watch::Sender<()>;

/// How many jobs may share a transaction.
const MAX_GROUP_JOBS: usize = 64;

/// What to do if the database doesn't exist or has an older schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Create it with its directory, or upgrade it; for the server.
    Create,
    /// Fail, so that a command with a wrong path reports it.
    Existing,
    /// Like `Create`, but also if a move is unfinished; for the move itself.
    MoveTarget,
}

/// A position in a list ordered by time, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: Timestamp,
    pub id: String,
}

impl Cursor {
    pub fn new(created_at: Timestamp, id: &str) -> Self {
        Self {
            created_at,
            id: id.to_owned(),
        }
    }

    /// Returns `None` for text that isn't a cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, id) = text.split_once(' ')?;
        Some(Self::new(time.parse().ok()?, id))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.created_at, self.id)
    }
}

/// An open database. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    database: Database,
    writers: JobThreads,
    readers: JobThreads,
    shared: Shared,
    location: String,
    migrated: Migrated,
}

/// The parts that differ between the two databases.
enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Store {
    /// Opens the database; with [`OpenMode::Create`], also creates or upgrades it.
    pub async fn open(url: &DatabaseUrl, mode: OpenMode) -> Result<Self> {
        Self::open_with(url, mode, MAX_GROUP_JOBS).await
    }

    /// Every write is its own transaction: the baseline of the benchmark, not for production.
    #[doc(hidden)]
    pub async fn open_without_group_commit(url: &DatabaseUrl) -> Result<Self> {
        Self::open_with(url, OpenMode::Create, 1).await
    }

    async fn open_with(url: &DatabaseUrl, mode: OpenMode, largest_group: usize) -> Result<Self> {
        let url = url.clone();
        let shared = Shared {
            health: Arc::new(Health::default()),
            wakeups: Wakeups::default(),
            largest_group,
        };
        let opening = move || match &url {
            DatabaseUrl::Sqlite(path) => sqlite::open(path, mode, shared),
            DatabaseUrl::Postgres(url) => postgres::open(url, mode, shared),
        };
        let store = Self(Arc::new(queue::on_thread(opening).await?));
        if mode != OpenMode::MoveTarget {
            let location = store.location();
            let is_complete = move |tx: &mut Tx<'_>| moving::refuse_unfinished(tx, &location);
            store.read(is_complete).await?;
        }
        Ok(store)
    }

    pub async fn migrate(url: &DatabaseUrl) -> Result<Migrated> {
        let store = Self::open(url, OpenMode::Create).await?;
        store.close().await?;
        Ok(store.0.migrated.clone())
    }

    /// Whether a server could use the database; changes nothing.
    pub async fn check(url: &DatabaseUrl) -> Result<()> {
        let store = Self::open(url, OpenMode::Existing).await?;
        store.check_whole().await?;
        store.close().await
    }

    /// Checks an open database in the same way.
    pub async fn check_whole(&self) -> Result<()> {
        match self.database() {
            Database::Sqlite(database) => database.check().await,
            Database::Postgres(_) => {
                let write = "UPDATE store_state SET probed_at = probed_at";
                self.execute(write, &[]).await.map(drop)
            }
        }
    }

    /// Runs a write and returns after the commit.
    async fn write<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        let shares = matches!(self.database(), Database::Sqlite(_));
        self.write_with_timeout(shares, work).await
    }

    /// Runs a write that happens at this time ([`Tx::now`]).
    async fn write_at<T: Send + 'static>(&self, now: Timestamp, work: impl Work<T>) -> Result<T> {
        self.write(at(now, work)).await
    }

    /// Writes only if `is_needed`, which only reads, returns true: usually there is nothing to do,
    /// and the writer stays free for other jobs.
    async fn write_if<T: Default + Send + 'static>(
        &self,
        is_needed: impl Work<bool>,
        work: impl Work<T>,
    ) -> Result<T> {
        if self.read(is_needed).await? {
            self.write(work).await
        } else {
            Ok(T::default())
        }
    }

    /// Runs a write of a new lead, which shares its transaction with others on either database. No
    /// row of its own can be locked yet: if it waits for a lock, no lead can be stored.
    async fn write_lead<T: Send + 'static>(&self, now: Timestamp, work: impl Work<T>) -> Result<T> {
        let result = self.write_with_timeout(true, at(now, work)).await;
        if let Err(error @ StoreError::Locked(_)) = &result {
            self.health().failed(error);
        }
        result
    }

    async fn write_with_timeout<T: Send + 'static>(
        &self,
        shares: bool,
        work: impl Work<T>,
    ) -> Result<T> {
        let result = self.0.writers.run(shares, JOB_TIMEOUT, work).await;
        if let Err(error @ StoreError::Busy(_)) = &result {
            // The writer's thread may still be stuck and unable to report it.
            self.health().failed(error);
        }
        result
    }

    /// Runs a write without the usual timeout, for example of megabytes over a slow connection.
    async fn write_long<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        match self.database() {
            Database::Sqlite(_) => self.0.writers.run(false, LONG_JOB_TIMEOUT, work).await,
            Database::Postgres(database) => database.run_long(work).await,
        }
    }

    /// Runs work that only reads.
    async fn read<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        self.0.readers.run(false, JOB_TIMEOUT, work).await
    }

    /// Runs work that only reads on its own connection, without the usual timeout.
    async fn read_long<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        match self.database() {
            Database::Sqlite(database) => database.read_long(work).await,
            Database::Postgres(database) => database.run_long(work).await,
        }
    }

    /// Runs one statement and returns the number of changed rows.
    async fn execute(&self, sql: &str, args: &[Value]) -> Result<u64> {
        let (sql, args) = (sql.to_owned(), args.to_vec());
        self.write(move |tx| tx.execute(&sql, &args)).await
    }

    /// Runs one query and converts each row with `read`.
    async fn query<T: Send + 'static>(
        &self,
        sql: &str,
        args: &[Value],
        read: impl Fn(&Row) -> Result<T> + Send + 'static,
    ) -> Result<Vec<T>> {
        let (sql, args) = (sql.to_owned(), args.to_vec());
        self.read(move |tx| tx.query(&sql, &args)?.iter().map(&read).collect())
            .await
    }

    /// Runs one query. Unreadable rows of the table are left out ([`Tx::readable`]).
    async fn query_readable<T: Send + 'static>(
        &self,
        table: &'static str,
        sql: &str,
        args: &[Value],
        read: impl Fn(&Row) -> Result<T> + Send + 'static,
    ) -> Result<Vec<T>> {
        let (sql, args) = (sql.to_owned(), args.to_vec());
        self.read(move |tx| {
            let rows = tx.query(&sql, &args)?;
            Ok(tx.readable(&rows, table, &read))
        })
        .await
    }

    /// The only column of the only row of a query.
    async fn value<T: FromValue + Send + 'static>(&self, sql: &str, args: &[Value]) -> Result<T> {
        let (sql, args) = (sql.to_owned(), args.to_vec());
        self.read(move |tx| tx.value(&sql, &args)).await
    }

    fn database(&self) -> &Database {
        &self.0.database
    }

    /// The current time by the clock that all users of the database share: this machine's for a
    /// file, the server's for a database server. Callers pass it to what they store; the machine's
    /// own clock is only for what is shown.
    pub fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        let offset = match self.database() {
            Database::Sqlite(_) => SignedDuration::ZERO,
            Database::Postgres(database) => database.clock_offset(),
        };
        now.saturating_add(offset).unwrap_or(now)
    }

    /// Whether a lead could be stored now: commits a write and checks for free space.
    pub async fn probe(&self) -> Result<()> {
        self.write_lead(self.now(), probe).await?;
        match self.database() {
            Database::Sqlite(database) if !database.has_room() => Err(StoreError::DiskFull),
            _ => Ok(()),
        }
    }

    /// Returns when the file at the path is no longer the open one: the store then stays closed
    /// until a restart.
    pub async fn lost(&self) -> StoreError {
        match self.database() {
            Database::Sqlite(database) => database.lost().await,
            Database::Postgres(_) => std::future::pending().await,
        }
    }

    /// All unreadable leads and deliveries, found by reading every row.
    pub async fn unreadable(&self) -> Result<Vec<Unreadable>> {
        self.read_long(|tx| {
            let delivery = "deliveries.*, NULL AS person, false AS is_refused".to_owned();
            for (table, columns) in [("contacts", Lead::sql_columns()), ("deliveries", delivery)] {
                let sql =
                    format!("SELECT {columns} FROM {table} WHERE id > $1 ORDER BY id LIMIT 5000");
                let mut after = String::new();
                loop {
                    let rows = tx.query(&sql, args![&after])?;
                    let Some(last) = rows.last() else { break };
                    after = last.get("id")?;
                    match table {
                        "contacts" => drop(tx.readable(&rows, table, Lead::read)),
                        _ => drop(tx.readable(&rows, table, Delivery::read)),
                    }
                }
            }
            Ok(std::mem::take(&mut tx.unreadable))
        })
        .await
    }

    pub fn health(&self) -> &Health {
        &self.0.shared.health
    }

    pub fn queued_writes(&self) -> usize {
        self.0.writers.queued()
    }

    /// The database's location, for people.
    pub fn location(&self) -> String {
        self.0.location.clone()
    }

    /// Changes when this process has stored something that may be due.
    pub fn wakeups(&self) -> watch::Receiver<()> {
        self.0.shared.wakeups.subscribe()
    }

    /// Finishes queued jobs and closes the database cleanly, for all clones.
    pub async fn close(&self) -> Result<()> {
        self.0.readers.close().await?;
        self.0.writers.close().await
    }
}

/// The same work, at this time.
fn at<T>(now: Timestamp, work: impl Work<T>) -> impl Work<T> {
    move |tx: &mut Tx<'_>| {
        tx.now = now;
        work(tx)
    }
}

/// Writes on the same path as a lead.
fn probe(tx: &mut Tx<'_>) -> Result<()> {
    let sql = "UPDATE store_state SET probed_at = $1";
    match tx.execute(sql, args![Timestamp::now()])? {
        1 => Ok(()),
        _ => Err(StoreError::Unavailable("its own row is gone".into())),
    }
}
