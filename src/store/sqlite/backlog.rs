//! What waits to be delivered.

use rusqlite::{Connection, Row};

use super::Sqlite;
use super::cells::Parsed;
use super::digests::number;
use super::row;
use crate::store::backlog::backlog_sql;
use crate::store::{Backlog, Connections, Result};

impl Sqlite {
    pub async fn backlog(&self) -> Result<Vec<Backlog>> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached(&backlog_sql())?;
            query.query_map([], backlog)?.collect()
        };
        self.readers.run(work).await
    }

    pub fn connections(&self) -> Option<Connections> {
        None
    }
}

fn backlog(found: &Row<'_>) -> rusqlite::Result<Backlog> {
    let oldest: Option<Parsed<_>> = found.get("oldest").ok().flatten();
    Ok(Backlog {
        kind: row::parsed(found, "kind")?,
        pending: number(found, "pending")?,
        retrying: number(found, "retrying")?,
        oldest: oldest.map(|Parsed(time)| time),
    })
}
