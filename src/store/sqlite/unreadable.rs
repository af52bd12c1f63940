//! Leads and deliveries that cannot be read: only reading them tells.

use std::cell::Cell;

use rusqlite::{Connection, Row};

use super::Sqlite;
use super::row::{self, DELIVERY_COLUMNS, LEAD_COLUMNS};
use crate::store::columns::Columns;
use crate::store::{Result, Unreadable};

/// Read at once: nobody waits for long.
const PART: usize = 20_000;

impl Sqlite {
    pub async fn unreadable(&self) -> Result<Vec<Unreadable>> {
        let mut all = self.unreadable_of(&LEAD_COLUMNS, row::lead).await?;
        all.extend(self.unreadable_of(&DELIVERY_COLUMNS, row::delivery).await?);
        Ok(all)
    }

    async fn unreadable_of<T: 'static>(
        &self,
        columns: &'static Columns,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Unreadable>> {
        let table = columns.table;
        let (mut all, mut after) = (Vec::new(), Some(i64::MIN));
        while let Some(place) = after {
            let work = move |db: &Connection| {
                let mut query = db.prepare_cached(&format!(
                    "SELECT {columns}, NULL AS person, {table}.rowid AS place FROM {table}
                    WHERE {table}.rowid > ?1 ORDER BY {table}.rowid LIMIT {PART}"
                ))?;
                let last = Cell::new(None);
                let each = |row: &Row<'_>| {
                    last.set(Some(row.get("place")?));
                    read(row).map(drop)
                };
                let part = row::read_all(table, query.query([place])?, each)?;
                Ok((part.unreadable, last.get()))
            };
            let part;
            (part, after) = self.readers.run(work).await?;
            all.extend(part);
        }
        Ok(all)
    }
}
