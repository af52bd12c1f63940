//! The embedded database: one thread writes, a few connections read.
//!
//! `synchronous=FULL` in WAL mode: a committed transaction survives a power
//! cut, which is what lets the site say "Thank you" and mean it.

mod address_keys;
mod admission;
mod apart;
mod backlog;
mod backup;
mod cells;
mod channels;
mod claims;
mod committed;
mod connection;
mod creation;
mod deliveries;
mod digests;
mod files;
mod forget;
mod gate;
mod generation;
mod group;
mod held_notices;
mod imports;
mod inspection;
mod issues;
mod job;
mod journal;
mod keeper;
mod lead_list;
mod lead_states;
mod leads;
mod leases;
mod lessons;
mod links;
mod migrate;
mod moving;
mod opening;
mod park;
mod pause;
mod person;
mod placing;
mod readers;
mod recent;
mod refusals;
mod releases;
mod reminders;
mod repeats;
mod restore;
mod retention;
mod row;
mod same_text;
mod schedules;
mod search;
mod sends;
mod subscribe;
mod subscribers;
mod unreadable;
mod used;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use super::health::Health;
use super::{OpenMode, Result, StoreError};
use apart::apart;
use files::Files;
use gate::Gate;
use keeper::Keeper;
use readers::Readers;
use writer::Writer;

pub use moving::tables;
pub use opening::{check, migrate};
pub use restore::{inspect, restore};

const DISK_FULL: &str = "the disk is full: make room";

#[derive(Clone)]
pub struct Sqlite {
    files: Files,
    writer: Writer,
    readers: Arc<Readers>,
    health: Arc<Health>,
}

impl Sqlite {
    pub async fn open(path: PathBuf, mode: OpenMode) -> Result<Self> {
        Self::open_with(path, mode, writer::MOST_TOGETHER).await
    }

    /// With a limit on how many writes share a transaction.
    pub async fn open_with(path: PathBuf, mode: OpenMode, most_together: usize) -> Result<Self> {
        apart(move || Self::open_blocking(path, mode, most_together)).await
    }

    fn open_blocking(path: PathBuf, mode: OpenMode, most_together: usize) -> Result<Self> {
        let files = Files::new(&path);
        let open = opening::open(&files, mode)?;
        let gate = Arc::new(Gate::new(files.clone(), open.stamp.clone()));
        let readers = Arc::new(Readers::new(path, gate.clone()));
        let health = Arc::new(Health::default());
        let keeper = Keeper::new(
            files.clone(),
            mode,
            gate,
            readers.clone(),
            health.clone(),
            open,
        );
        let writer = Writer::start(keeper, most_together);
        let writer = writer.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self {
            files,
            writer,
            readers,
            health,
        })
    }

    /// The way of a lead, without a lead: there must be room for one, too.
    pub async fn probe(&self, now: jiff::Timestamp) -> Result<()> {
        let now = row::stamp(now);
        let work = move |db: &rusqlite::Connection| {
            let mut update = db.prepare_cached("UPDATE store_state SET probed_at = ?1")?;
            match update.execute([&now])? {
                1 => Ok(()),
                _ => Err(rusqlite::Error::QueryReturnedNoRows),
            }
        };
        self.writer.run(work).await?;
        let files = self.files.clone();
        apart(move || match journal::has_room(&files.database) {
            true => Ok(()),
            false => Err(StoreError::Unavailable(DISK_FULL.into())),
        })
        .await
    }

    pub fn health(&self) -> &Health {
        &self.health
    }

    pub fn waiting(&self) -> usize {
        self.writer.waiting()
    }

    pub fn place(&self) -> String {
        admission::place(&self.files)
    }

    pub async fn close(&self) -> Result<()> {
        self.writer.close().await
    }
}

impl From<rusqlite::Error> for StoreError {
    // Driver messages name tables and columns, never the values bound to them.
    fn from(error: rusqlite::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

#[cfg(test)]
pub use cells::tests::lead_with;

#[cfg(test)]
mod files_tests;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod upgrade_tests;
