//! Moving house: everything from one database to another, of either kind.
//!
//! Rows travel in batches, each with a note of how many have arrived, so that a
//! move that was cut off anywhere goes on where it was. Until both databases were
//! read whole and found to be the same, a marker keeps everybody else from using
//! the new one.

mod checksum;
pub mod table;

use std::sync::Arc;

use serde::Serialize;

use super::{DatabaseUrl, OpenMode, Result, Store, StoreError, on_engine, sqlite};
use checksum::Checksum;
use table::{Marker, Part, Rows, Table};

/// A table of both databases after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MovedTable {
    #[serde(rename = "table")]
    pub name: &'static str,
    #[serde(rename = "rows")]
    pub source_rows: u64,
    #[serde(rename = "moved")]
    pub target_rows: u64,
    /// Every row in every cell.
    #[serde(rename = "same")]
    pub is_same: bool,
}

/// What a move is doing; how many rows of all are behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Copied,
    Checked,
}

/// Two open databases, the one to be filled from the other.
pub struct Move {
    source: Store,
    target: Store,
    tables: Vec<Arc<Table>>,
    written: Vec<u64>,
    /// Rows of the source when it began.
    pub rows: u64,
}

impl Move {
    /// Makes the target's tables. Refuses one that holds anything but an
    /// unfinished move from this very source.
    pub async fn prepare(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<Self> {
        let source = Store::open(from, OpenMode::Existing).await?;
        let target = Store::open_any(to, OpenMode::Create).await?;
        let tables = sqlite::tables()?;
        let name = on_engine!(source, db => db.identity().await)?;
        if name == on_engine!(target, db => db.identity().await)? {
            return Err(StoreError::Move("both are the same database".into()));
        }
        let marker = on_engine!(target, db => db.marker().await)?;
        let written = written(&target, &tables, name, marker).await?;
        let rows = count(&source, &tables).await?;
        Ok(Self {
            source,
            target,
            tables,
            written,
            rows,
        })
    }

    /// How many rows an earlier run has written.
    pub fn already(&self) -> u64 {
        self.written.iter().sum()
    }

    pub async fn run(&self, mut progress: impl FnMut(Step, u64)) -> Result<Vec<MovedTable>> {
        self.copy(&mut |rows| progress(Step::Copied, rows)).await?;
        let found = self
            .compare(&mut |rows| progress(Step::Checked, rows))
            .await?;
        match found.iter().all(|table| table.is_same) {
            true => on_engine!(self.target, db => db.unmark().await)?,
            false => on_engine!(self.target, db => db.mark_different().await)?,
        }
        Ok(found)
    }

    pub async fn close(&self) -> Result<()> {
        self.source.close().await?;
        self.target.close().await
    }

    async fn copy(&self, progress: &mut impl FnMut(u64)) -> Result<()> {
        let mut done = self.already();
        let mut rows = read(&self.source, self.parts(&self.written));
        while let Some(batch) = rows.recv().await {
            let batch = batch?;
            done += batch.rows.len() as u64;
            let table = self.tables[batch.part].clone();
            on_engine!(self.target, db => db.fill(table, batch.rows).await)?;
            progress(done);
        }
        Ok(())
    }

    /// Both are read anew: what has changed meanwhile is noticed.
    async fn compare(&self, progress: &mut impl FnMut(u64)) -> Result<Vec<MovedTable>> {
        let mut done = 0;
        let source = self.sums(&self.source, &mut done, progress).await?;
        let target = self.sums(&self.target, &mut done, progress).await?;
        let pairs = self.tables.iter().zip(source.iter().zip(&target));
        let table = |(table, (source, target)): (&Arc<Table>, (&Checksum, &Checksum))| MovedTable {
            name: table.name,
            source_rows: source.rows,
            target_rows: target.rows,
            is_same: source == target,
        };
        Ok(pairs.map(table).collect())
    }

    async fn sums(
        &self,
        store: &Store,
        done: &mut u64,
        progress: &mut impl FnMut(u64),
    ) -> Result<Vec<Checksum>> {
        let mut sums = vec![Checksum::default(); self.tables.len()];
        let mut rows = read(store, self.parts(&vec![0; self.tables.len()]));
        while let Some(batch) = rows.recv().await {
            let batch = batch?;
            for row in &batch.rows {
                sums[batch.part].add(row);
            }
            *done += batch.rows.len() as u64;
            progress(*done);
        }
        Ok(sums)
    }

    fn parts(&self, skip: &[u64]) -> Vec<Part> {
        let tables = self.tables.iter().cloned().zip(skip);
        tables.map(|(table, &skip)| Part { table, skip }).collect()
    }
}

impl Store {
    /// Also one that a move has not finished.
    async fn open_any(url: &DatabaseUrl, mode: OpenMode) -> Result<Self> {
        Self::open_engine(url, mode, super::Clock::Shared).await
    }

    /// Nobody may use a database that is being filled.
    pub(super) async fn refuse_unfinished(&self) -> Result<()> {
        match on_engine!(self, db => db.marker().await)? {
            Some(_) => Err(StoreError::HalfMoved {
                place: self.place(),
            }),
            None => Ok(()),
        }
    }
}

fn read(store: &Store, parts: Vec<Part>) -> Rows {
    on_engine!(store, db => db.read_all(parts))
}

async fn count(store: &Store, tables: &[Arc<Table>]) -> Result<u64> {
    let mut rows = 0;
    for table in tables {
        rows += on_engine!(store, db => db.count_rows(table.clone()).await)?;
    }
    Ok(rows)
}

/// How far an earlier run has come.
async fn written(
    target: &Store,
    tables: &[Arc<Table>],
    source: String,
    marker: Option<Marker>,
) -> Result<Vec<u64>> {
    match marker {
        Some(marker) if marker.source != source => {
            let why = "the target is being filled from another database";
            return Err(StoreError::Move(why.into()));
        }
        Some(marker) if !marker.differs => return Ok(marker.written),
        // It held nothing else when it was marked, and nobody could use it since.
        Some(_) => on_engine!(target, db => db.empty().await)?,
        None if count(target, tables).await? > 0 => {
            let why = "the target holds rows already: name an empty database";
            return Err(StoreError::Move(why.into()));
        }
        None => {}
    }
    on_engine!(target, db => db.mark(source).await)?;
    Ok(vec![0; tables.len()])
}
