//! A database server that any number of replicas share.
//!
//! What one writer is for a file, the server's own transactions, constraints
//! and locks are here. Statements are never prepared by name, so that a pooler
//! may stand between (`query_typed` sends text, types and values in one trip).

mod ask;
mod deliveries;
mod issues;
mod leads;
mod links;
mod migrate;
mod moving;
mod pool;
mod rate;
mod sends;
mod subscribe;
mod subscribers;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::health::Health;
use super::{Clock, OpenMode, PostgresUrl, Result, StoreError, Wakeups};
use pool::Pool;

pub use migrate::{check, migrate};
pub use rate::Rate;

/// How long a caller waits for an answer before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(4);

#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    health: Arc<Health>,
    clock: Clock,
    place: String,
}

impl Postgres {
    pub async fn open(
        url: &PostgresUrl,
        mode: OpenMode,
        clock: Clock,
        _wakeups: Wakeups,
    ) -> Result<Self> {
        let pool = Pool::new(url)?;
        match mode {
            OpenMode::Create => drop(migrate::run(&pool).await?),
            OpenMode::Existing => migrate::require_known(&pool).await?,
        }
        Ok(Self {
            place: pool.place(),
            pool,
            health: Arc::default(),
            clock,
        })
    }

    /// The way of a lead, without a lead.
    pub async fn probe(&self, _now: Timestamp) -> Result<()> {
        self.in_time(async {
            let db = self.pool.get().await?;
            let sql = "UPDATE store_state SET probed_at = clock_timestamp()";
            match db.execute_typed(sql, &[]).await? {
                1 => Ok(()),
                _ => Err(StoreError::Unavailable("its own row is gone".into())),
            }
        })
        .await
    }

    /// What a query takes as the present: `coalesce($n, clock_timestamp())`
    /// goes by the server's clock, which all replicas share.
    fn time(&self, now: Timestamp) -> Option<Timestamp> {
        match self.clock {
            Clock::Shared => None,
            Clock::Callers => Some(ask::milliseconds(now)),
        }
    }

    async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::time::timeout(PATIENCE, work)
            .await
            .unwrap_or_else(|_| Err(StoreError::Unavailable("it takes too long".into())))
    }

    pub fn health(&self) -> &Health {
        &self.health
    }

    pub fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    pub fn place(&self) -> String {
        self.place.clone()
    }

    pub async fn close(&self) -> Result<()> {
        self.pool.close();
        Ok(())
    }

    pub async fn backup(&self, file: PathBuf) -> Result<()> {
        Err(StoreError::Backup {
            place: file.display().to_string(),
            reason: "a PostgreSQL database is backed up with `pg_dump`".into(),
        })
    }
}

impl From<tokio_postgres::Error> for StoreError {
    // A server's message may quote values; its code and a constraint's name
    // never do.
    fn from(error: tokio_postgres::Error) -> Self {
        let why = match error.as_db_error() {
            Some(said) => format!("{} ({})", said.severity(), said.code().code()),
            None => error.to_string(),
        };
        Self::Unavailable(why)
    }
}
