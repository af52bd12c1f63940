//! Where leads and subscribers are kept: one face, whichever database is behind it.
//!
//! A call that stores something returns only once it is on disk. This module
//! is the only place with SQL, and no type of a database driver leaves it.

mod error;
mod facts;
pub mod health;
mod invitation;
mod newsletter;
mod newsletter_records;
mod records;
mod sqlite;
mod url;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

pub use error::{Result, StoreError};
pub use facts::{Fact, LeadFacts};
use health::Health;
pub use invitation::Invitation;
pub use newsletter_records::*;
pub use records::*;
pub use url::DatabaseUrl;

use sqlite::Sqlite;

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
        backup: PathBuf,
    },
    /// It was up to date.
    Nothing,
}

/// An open database. Cheap to clone; all clones share their connections.
#[derive(Clone)]
pub struct Store {
    sqlite: Sqlite,
}

impl Store {
    /// Opens the database; with [`OpenMode::Create`] also makes it, or brings
    /// its tables up to date.
    pub async fn open(url: &DatabaseUrl, mode: OpenMode) -> Result<Self> {
        Ok(Self {
            sqlite: Sqlite::open(file(url)?, mode).await?,
        })
    }

    /// Makes the database, or brings its tables up to date after a backup.
    pub async fn migrate(url: &DatabaseUrl) -> Result<Migrated> {
        sqlite::migrate(file(url)?).await
    }

    /// Whether a server could use it; changes nothing. False when it is too
    /// large to have been read whole.
    pub async fn check(url: &DatabaseUrl) -> Result<bool> {
        sqlite::check(file(url)?).await
    }

    /// A new SQLite file in which every write is a transaction of its own: the
    /// yardstick of the benchmark, not for use.
    #[doc(hidden)]
    pub async fn open_without_group_commit(path: &Path) -> Result<Self> {
        Ok(Self {
            sqlite: Sqlite::open_with(path.to_owned(), OpenMode::Create, 1).await?,
        })
    }

    /// Whether a lead could be stored right now: writes, and commits.
    pub async fn probe(&self) -> Result<()> {
        self.sqlite.probe(Timestamp::now()).await
    }

    pub fn health(&self) -> &Health {
        self.sqlite.health()
    }

    /// How many writes wait for their turn.
    pub fn waiting(&self) -> usize {
        self.sqlite.waiting()
    }

    /// Which database this is, for people.
    pub fn place(&self) -> String {
        self.sqlite.place()
    }

    /// Finishes what waits and leaves one whole file; all clones are closed.
    pub async fn close(&self) -> Result<()> {
        self.sqlite.close().await
    }

    /// Stores a lead and its deliveries, both or neither. With a known
    /// idempotency key nothing is stored and the first lead's id returned,
    /// even if the words differ: the first answer was already given.
    pub async fn add_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        self.sqlite.add_lead(lead, now).await
    }

    /// The same for a form that cannot have a key: the same words in every
    /// field within a minute are one lead.
    pub async fn add_form_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        self.sqlite.add_form_lead(lead, now).await
    }

    pub async fn lead(&self, id: &str) -> Result<Option<Lead>> {
        self.sqlite.lead(id.to_owned()).await
    }

    /// Newest first.
    pub async fn leads(&self, filter: LeadFilter) -> Result<Vec<Lead>> {
        self.sqlite.leads(filter).await
    }

    /// Lets a held lead's deliveries go out.
    pub async fn release(&self, id: &str, now: Timestamp) -> Result<Released> {
        self.sqlite.release(id.to_owned(), now).await
    }

    /// Removes everything about the person with this address, and overwrites
    /// it in the files.
    pub async fn forget(&self, email: &str) -> Result<Forgotten> {
        self.sqlite.forget(email.to_owned()).await
    }

    /// Newest first.
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        self.sqlite.deliveries(filter).await
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        self.sqlite.delivery_counts().await
    }

    /// Starts given-up or waiting deliveries over; returns how many.
    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        self.sqlite.retry(which, now).await
    }

    /// Takes up to `limit` due deliveries of these kinds for `lease`. A claim
    /// whose lease has ended without an outcome is due again.
    pub async fn claim(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        self.claim_except(kinds, limit, lease, Vec::new(), now)
            .await
    }

    /// The same without those that the caller is sending: a clock that jumps
    /// may end their lease too early.
    pub async fn claim_except(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        busy: Vec<String>,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        self.sqlite.claim(kinds, limit, lease, busy, now).await
    }

    /// Pulls in what a clock that was set back has moved into the far future.
    /// True when there is more of it than one transaction may hold.
    pub async fn replan(&self, kinds: &'static [DeliveryKind], now: Timestamp) -> Result<bool> {
        self.sqlite.replan(kinds, now).await
    }

    /// Writes down what became of a claim. False when the claim had ended
    /// and somebody else's outcome counts.
    pub async fn record(&self, claim: &Claim, outcome: Outcome, now: Timestamp) -> Result<bool> {
        let (id, token) = (claim.delivery_id.clone(), claim.token.clone());
        self.sqlite.record(id, token, outcome, now).await
    }

    /// Writes a consistent copy to a new file while the store is in use.
    pub async fn backup(&self, file: &Path) -> Result<()> {
        self.sqlite.backup(file.to_owned()).await
    }
}

fn file(url: &DatabaseUrl) -> Result<PathBuf> {
    match url {
        DatabaseUrl::Sqlite(path) => Ok(path.clone()),
        DatabaseUrl::Postgres(_) => Err(StoreError::CannotOpen {
            place: "postgres://…".into(),
            reason: "this build stores in SQLite only".into(),
        }),
    }
}
