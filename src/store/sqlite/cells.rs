//! Reading a row by the list of columns that it was selected by.

use std::cell::Cell;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Row, RowIndex, ToSql};

use crate::store::columns::Columns;

/// By name, without asking SQLite for the name of every column as the driver
/// would: who reads in the order of the list finds each one at once.
pub struct Cells<'r> {
    row: &'r Row<'r>,
    names: &'static [&'static str],
    next: Cell<usize>,
}

impl<'r> Cells<'r> {
    pub fn new(columns: &'static Columns, row: &'r Row<'r>) -> Self {
        Self {
            row,
            names: &columns.names,
            next: Cell::new(0),
        }
    }

    pub fn get<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        let position = match self.names.get(self.next.get()) {
            Some(next) if *next == name => Some(self.next.get()),
            _ => self.names.iter().position(|known| *known == name),
        };
        let position = position.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.into()))?;
        self.next.set(position + 1);
        self.row.get(position)
    }

    pub fn parsed<T: FromStr<Err: ToString>>(&self, name: &str) -> rusqlite::Result<T> {
        self.get(name).map(|Parsed(value)| value)
    }

    pub fn parsed_if_set<T: FromStr<Err: ToString>>(
        &self,
        name: &str,
    ) -> rusqlite::Result<Option<T>> {
        let value: Option<Parsed<T>> = self.get(name)?;
        Ok(value.map(|Parsed(value)| value))
    }
}

/// A text column read as something that parses from text.
pub struct Parsed<T>(pub T);

impl<T: FromStr<Err: ToString>> FromSql for Parsed<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let parsed = value.as_str()?.parse().map(Self);
        parsed.map_err(|error| FromSqlError::Other(error.to_string().into()))
    }
}

/// The same for a column of a query that makes no whole record.
pub fn parsed<T: FromStr<Err: ToString>>(
    row: &Row<'_>,
    column: impl RowIndex,
) -> rusqlite::Result<T> {
    row.get(column).map(|Parsed(value)| value)
}

/// The statement that inserts a row whose columns stand beside their values.
pub fn insert(table: &str, row: &[(&str, &dyn ToSql)]) -> String {
    let names: Vec<_> = row.iter().map(|(name, _)| *name).collect();
    let places = vec!["?"; row.len()].join(", ");
    format!(
        "INSERT INTO {table} ({}) VALUES ({places})",
        names.join(", ")
    )
}

#[cfg(test)]
pub mod tests;
