//! The pause after a restore.

use jiff::Timestamp;
use rusqlite::{Connection, Row};

use super::Sqlite;
use super::cells::Parsed;
use super::digests::number;
use super::row::{self, stamp};
use crate::store::pause::{drop_deliveries_sql, drop_issues_sql, waiting_sql};
use crate::store::{Dropped, Result, WaitingKind};

impl Sqlite {
    pub async fn paused_at(&self) -> Result<Option<Timestamp>> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached("SELECT max(paused_at) FROM sending_pause")?;
            let since: Option<Parsed<_>> = query.query_row([], |row| row.get(0))?;
            Ok(since.map(|Parsed(since)| since))
        };
        self.readers.run(work).await
    }

    pub async fn waiting_kinds(&self, before: Timestamp) -> Result<Vec<WaitingKind>> {
        let work = move |db: &Connection| {
            let mut query = db.prepare(&waiting_sql("?1"))?;
            query.query_map([stamp(before)], waiting)?.collect()
        };
        self.readers.run(work).await
    }

    pub async fn end_pause(
        &self,
        drop_before: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Dropped> {
        let work = move |db: &Connection| {
            let mut dropped = Dropped::default();
            if let Some(before) = drop_before {
                let times = [stamp(before), stamp(now)];
                let drop = |sql: String| db.execute(&sql, times.each_ref());
                dropped.deliveries = drop(drop_deliveries_sql("?1", "?2"))? as u64;
                dropped.issues = drop(drop_issues_sql("?1", "?2"))? as u64;
            }
            db.execute("DELETE FROM sending_pause", [])?;
            Ok(dropped)
        };
        self.writer.run(work).await
    }
}

fn waiting(found: &Row<'_>) -> rusqlite::Result<WaitingKind> {
    Ok(WaitingKind {
        kind: found.get("kind")?,
        number: number(found, "number")?,
        before: number(found, "earlier")?,
        oldest: row::parsed(found, "oldest").ok(),
    })
}
