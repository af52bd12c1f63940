//! A database server that any number of replicas share.
//!
//! What one writer is for a file, the server's own transactions, constraints
//! and locks are here. Statements are never prepared by name, so that a pooler
//! may stand between (`query_typed` sends text, types and values in one trip).

mod adder;
mod addresses;
mod adopt;
mod ask;
mod backlog;
mod channels;
mod claims;
mod connect;
mod deliveries;
mod digests;
mod failure;
mod forget;
mod group;
mod group_sql;
mod held_notices;
mod ids;
mod imports;
mod issues;
mod job;
mod lead_list;
mod lead_states;
mod leads;
mod lessons;
mod links;
mod listener;
mod migrate;
mod moving;
mod outcomes;
mod pause;
mod person;
#[cfg(test)]
mod plan_tests;
mod pool;
mod rate;
mod recent;
mod refusals;
mod releases;
mod reminders;
mod repeats;
mod request;
mod retention;
mod row;
mod same_text;
mod schedules;
mod sends;
mod session;
mod subscribe;
mod subscribers;
mod tls;
mod turns;
mod unreadable;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use tokio::sync::Notify;

use super::health::Health;
use super::{Clock, OpenMode, PostgresUrl, Result, StoreError, Wakeups};
use adder::Adder;
use ids::IdKind;
use pool::Pool;
use watch::Watch;

pub use migrate::{check, migrate};
pub use rate::Rate;

#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    adder: Adder,
    health: Arc<Health>,
    clock: Clock,
    /// Of the table `contacts`.
    ids: IdKind,
    place: String,
    /// A call has failed: whoever watches looks whether leads can be stored.
    doubt: Arc<Notify>,
    /// Only beside a server.
    watch: Option<Arc<Watch>>,
}

impl Postgres {
    pub async fn open(
        url: &PostgresUrl,
        mode: OpenMode,
        clock: Clock,
        wakeups: Wakeups,
    ) -> Result<Self> {
        let pool = Pool::new(url)?;
        pool.first().await?;
        match mode {
            OpenMode::Create => drop(migrate::run(&pool).await?),
            OpenMode::Existing => migrate::require_known(&pool).await?,
        }
        let ids = migrate::ids(&pool).await?;
        let (health, doubt) = (Arc::<Health>::default(), Arc::<Notify>::default());
        let watch = (mode == OpenMode::Create)
            .then(|| Watch::start(pool.clone(), health.clone(), doubt.clone(), wakeups));
        Ok(Self {
            adder: Adder::start(pool.clone(), ids, health.clone(), doubt.clone()),
            pool,
            health,
            clock,
            ids,
            place: url.place(),
            doubt,
            watch: watch.map(Arc::new),
        })
    }

    /// Without sharing transactions.
    pub fn each_alone(mut self) -> Self {
        self.adder = self.adder.each_alone();
        self
    }

    /// The way of a lead, without a lead.
    pub async fn probe(&self, _now: Timestamp) -> Result<()> {
        let began = Instant::now();
        let stored = watch::probe(&self.pool, watch::SOON).await;
        watch::note(&self.health, &stored);
        stored.inspect(|()| self.health.committed(began.elapsed()))
    }

    /// What a query takes as the present: `coalesce($n, clock_timestamp())`
    /// goes by the server's clock, which all replicas share.
    fn time(&self, now: Timestamp) -> Option<Timestamp> {
        match self.clock {
            Clock::Shared => None,
            Clock::Callers => Some(ask::milliseconds(now)),
        }
    }

    /// Waits for an answer, but not for ever.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let done = watch::within(watch::PATIENCE, work).await;
        if done.is_err() {
            self.doubt.notify_one();
        }
        done
    }

    pub fn health(&self) -> &Health {
        &self.health
    }

    pub fn waiting(&self) -> usize {
        self.adder.waiting() + self.pool.waiting()
    }

    pub fn place(&self) -> String {
        self.place.clone()
    }

    pub async fn close(&self) -> Result<()> {
        let closed = self.adder.close().await;
        if let Some(watch) = &self.watch {
            watch.end();
        }
        self.pool.close();
        closed
    }

    pub async fn backup(&self, file: PathBuf) -> Result<()> {
        Err(StoreError::Backup {
            place: file.display().to_string(),
            reason: "a PostgreSQL database is backed up with `pg_dump`".into(),
        })
    }
}
