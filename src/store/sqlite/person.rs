//! All that is held about one person.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::Sqlite;
use crate::store::Result;
use crate::store::person::{Record, TABLES, theirs};

impl Sqlite {
    pub async fn person(&self, key: String) -> Result<Vec<(&'static str, Vec<Record>)>> {
        let work = move |db: &Connection| {
            let tables = TABLES.into_iter();
            tables
                .map(|(table, rows)| Ok((table, records(db, table, rows, &key)?)))
                .collect()
        };
        self.readers.run(work).await
    }
}

fn records(db: &Connection, table: &str, rows: &str, key: &str) -> rusqlite::Result<Vec<Record>> {
    let theirs = theirs(rows, "email_key = $1");
    let mut query = db.prepare(&format!("SELECT * FROM {table} WHERE {theirs}"))?;
    let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
    let found = query.query_map([key], |row| {
        let columns = columns.iter().enumerate();
        columns
            .map(|(place, column)| Ok((column.clone(), value(row, place)?)))
            .collect()
    })?;
    found.collect()
}

fn value(row: &Row<'_>, place: usize) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(place)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    })
}
