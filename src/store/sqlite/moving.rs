//! A file that is moved to another database, or filled from one.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};
use tokio::sync::mpsc;

use super::row::stamp;
use super::{Sqlite, connection, migrate};
use crate::store::moving::table::{
    Batch, MARKER, MOVED, Marker, Part, ROWS_AT_ONCE, Row, Rows, Table, is_time,
};
use crate::store::{Result, StoreError};

/// The tables as the migrations make them, which are the same on every database.
pub fn tables() -> Result<Vec<Arc<Table>>> {
    let mut db = Connection::open_in_memory()?;
    migrate::run(&mut db)?;
    let table = |name| Ok(Arc::new(Table::new(name, columns(&db, name)?)));
    MOVED.into_iter().map(table).collect()
}

fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<(String, bool)>> {
    let mut query = db.prepare("SELECT name, pk > 0 FROM pragma_table_info(?1) ORDER BY cid")?;
    let found = query.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.collect()
}

impl Sqlite {
    /// Tells it from every other database.
    pub async fn identity(&self) -> Result<String> {
        let work = |db: &Connection| {
            let sql = "SELECT min(applied_at) FROM schema_migrations";
            db.query_row(sql, [], |row| row.get::<_, String>(0))
        };
        let made = self.readers.run(work).await?;
        let path = &self.files.database;
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        Ok(format!("sqlite {} of {made}", place.display()))
    }

    /// All rows as they are at one moment.
    pub fn read_all(&self, parts: Vec<Part>) -> Rows {
        let (sender, rows) = mpsc::channel(1);
        let path = self.files.database.clone();
        tokio::task::spawn_blocking(move || {
            let read = connection::open_reader(&path).map_err(StoreError::from);
            let read = read.and_then(|db| read_parts(&db, &parts, &sender));
            if let Err(error) = read {
                let _ = sender.blocking_send(Err(error));
            }
        });
        rows
    }

    pub async fn count_rows(&self, table: Arc<Table>) -> Result<u64> {
        let work = move |db: &Connection| {
            let sql = format!("SELECT count(*) FROM {}", table.name);
            db.query_row(&sql, [], |row| row.get::<_, i64>(0))
        };
        Ok(self.readers.run(work).await?.unsigned_abs())
    }

    /// `None` when nobody fills it.
    pub async fn marker(&self) -> Result<Option<Marker>> {
        self.readers.run(marker).await
    }

    /// From now on it is only good for being filled from there.
    pub async fn mark(&self, source: String) -> Result<()> {
        let work = move |db: &Connection| {
            db.execute_batch(&format!(
                "CREATE TABLE IF NOT EXISTS {MARKER} (name TEXT NOT NULL PRIMARY KEY,
                    source TEXT NOT NULL, written INTEGER NOT NULL, differs INTEGER NOT NULL
                ) STRICT;
                DELETE FROM {MARKER}"
            ))?;
            let sql = format!("INSERT INTO {MARKER} VALUES (?1, ?2, 0, 0)");
            for name in MOVED {
                db.execute(&sql, [name, &source])?;
            }
            Ok(())
        };
        self.writer.run(work).await
    }

    /// The rows and how many they are, both or neither.
    pub async fn fill(&self, table: Arc<Table>, rows: Vec<Row>) -> Result<()> {
        self.writer.run(move |db| fill(db, &table, &rows)).await
    }

    /// What was written differs from its source.
    pub async fn mark_different(&self) -> Result<()> {
        let work = |db: &Connection| {
            let sql = format!("UPDATE {MARKER} SET differs = 1");
            db.execute(&sql, []).map(|_| ())
        };
        self.writer.run(work).await
    }

    /// In steps that are short enough for whoever waits for the writer.
    pub async fn empty(&self) -> Result<()> {
        for table in MOVED.iter().rev() {
            let some = move |db: &Connection| {
                db.execute(
                    &format!(
                        "DELETE FROM {table} WHERE rowid IN
                            (SELECT rowid FROM {table} LIMIT {ROWS_AT_ONCE})"
                    ),
                    [],
                )
            };
            while self.writer.run(some).await? > 0 {}
        }
        Ok(())
    }

    /// It is whole: anybody may use it.
    pub async fn unmark(&self) -> Result<()> {
        let work = |db: &Connection| db.execute_batch(&format!("DROP TABLE {MARKER}"));
        self.writer.run(work).await
    }
}

pub fn marker(db: &Connection) -> rusqlite::Result<Option<Marker>> {
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let is_there = db.query_row(table, [MARKER], |_| Ok(())).optional()?;
    if is_there.is_none() {
        return Ok(None);
    }
    let mut marker = Marker {
        source: String::new(),
        written: Vec::new(),
        differs: false,
    };
    let sql = format!("SELECT source, written, differs FROM {MARKER} WHERE name = ?1");
    for name in MOVED {
        let mut query = db.prepare_cached(&sql)?;
        let found = query.query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let (source, written, differs): (String, i64, bool) = found?;
        marker.source = source;
        marker.written.push(written.unsigned_abs());
        marker.differs |= differs;
    }
    Ok(Some(marker))
}

fn read_parts(db: &Connection, parts: &[Part], rows: &mpsc::Sender<Result<Batch>>) -> Result<()> {
    db.execute_batch("BEGIN")?;
    for (number, part) in parts.iter().enumerate() {
        let (columns, key) = (part.table.columns.join(", "), part.table.key.join(", "));
        let sql = format!(
            "SELECT {columns} FROM {} ORDER BY {key} LIMIT -1 OFFSET {}",
            part.table.name, part.skip
        );
        let mut query = db.prepare(&sql)?;
        let mut found = query.query([])?;
        let mut batch = Vec::with_capacity(ROWS_AT_ONCE);
        while let Some(row) = found.next()? {
            batch.push(read(row, &part.table)?);
            if batch.len() == ROWS_AT_ONCE && !send(rows, number, &mut batch) {
                return Ok(());
            }
        }
        if !send(rows, number, &mut batch) {
            return Ok(());
        }
    }
    Ok(())
}

/// False when nobody listens any more.
fn send(sender: &mpsc::Sender<Result<Batch>>, part: usize, rows: &mut Vec<Row>) -> bool {
    let rows = std::mem::take(rows);
    rows.is_empty() || sender.blocking_send(Ok(Batch { part, rows })).is_ok()
}

fn read(row: &rusqlite::Row<'_>, table: &Table) -> Result<Row> {
    let cells = table.columns.iter().enumerate();
    cells
        .map(|(place, column)| cell(row, place, table, column))
        .collect()
}

fn cell(
    row: &rusqlite::Row<'_>,
    place: usize,
    table: &Table,
    column: &str,
) -> Result<Option<String>> {
    use rusqlite::types::Value;
    let wrong = |what: &str| {
        let what = format!("{what} in {}.{column}", table.name);
        StoreError::Unavailable(what)
    };
    let word = match row.get(place)? {
        Value::Null => return Ok(None),
        Value::Integer(number) => number.to_string(),
        Value::Text(word) => word,
        Value::Real(_) | Value::Blob(_) => return Err(wrong("something unknown is")),
    };
    match is_time(column) {
        false => Ok(Some(word)),
        true => {
            let time: Timestamp = word.parse().map_err(|_| wrong("a time is misspelt"))?;
            Ok(Some(stamp(time)))
        }
    }
}

/// What is there already is left alone; the check at the end tells what differs.
fn fill(db: &Connection, table: &Table, rows: &[Row]) -> rusqlite::Result<()> {
    let places = vec!["?"; table.columns.len()].join(", ");
    let (name, columns) = (table.name, table.columns.join(", "));
    let sql = format!("INSERT INTO {name} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING");
    let mut insert = db.prepare_cached(&sql)?;
    for row in rows {
        insert.execute(params_from_iter(row))?;
    }
    let note = format!("UPDATE {MARKER} SET written = written + ?2 WHERE name = ?1");
    db.execute(&note, rusqlite::params![name, rows.len() as i64])?;
    Ok(())
}
