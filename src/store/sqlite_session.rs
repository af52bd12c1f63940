//! A SQLite connection as used inside a transaction.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection as Db;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::sqlite_file::{is_busy, is_full};
use super::tx::{Engine, Row, Session, Value, fill, stamp};
use super::{Result, StoreError};

pub struct SqliteSession {
    pub db: Db,
    /// Each statement in SQLite's syntax, and its column names.
    statements: HashMap<String, (Arc<str>, Arc<[String]>)>,
}

impl SqliteSession {
    pub fn new(db: Db) -> Self {
        Self {
            db,
            statements: HashMap::new(),
        }
    }

    /// The statement in SQLite's syntax, and its column names.
    fn known(&mut self, sql: &str) -> rusqlite::Result<(Arc<str>, Arc<[String]>)> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let filled: Arc<str> = fill(sql, Engine::Sqlite).into();
        let prepared = self.db.prepare_cached(&filled)?;
        let columns = prepared.column_names().map(str::to_owned).collect();
        let known = (filled.clone(), columns);
        self.statements.insert(sql.to_owned(), known.clone());
        Ok(known)
    }
}

impl Session for SqliteSession {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn run(&mut self, sql: &str, args: &[Value]) -> Result<(Vec<Row>, u64)> {
        let (filled, columns) = self.known(sql)?;
        let mut prepared = self.db.prepare_cached(&filled)?;
        for (index, value) in args.iter().enumerate() {
            prepared.raw_bind_parameter(index + 1, value)?;
        }
        let mut found = prepared.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells = (0..columns.len()).map(|index| Ok(value_of(row.get_ref(index)?)));
            rows.push(Row {
                columns: columns.clone(),
                cells: cells.collect::<rusqlite::Result<_>>()?,
            });
        }
        Ok((rows, self.db.changes()))
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        Ok(self.db.execute_batch(&fill(sql, Engine::Sqlite))?)
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(rusqlite::types::Value::Null),
            Self::Int(number) => ToSqlOutput::from(*number),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
            Self::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
            Self::Time(time) => ToSqlOutput::from(stamp(*time)),
        })
    }
}

fn value_of(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        // None of our columns is a real number; it becomes an unknown value.
        ValueRef::Real(_) => Value::Bytes(Vec::new()),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// The driver's messages name tables and columns, never values.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            error if is_full(&error) => Self::DiskFull,
            error if is_busy(&error) => Self::Busy(error.to_string()),
            // Without the statement, which may be all of a migration.
            rusqlite::Error::SqlInputError { msg, .. } => Self::Unavailable(msg),
            error => Self::Unavailable(error.to_string()),
        }
    }
}
