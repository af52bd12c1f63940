//! The columns of a record, listed once: a query selects them and a row is
//! read by the same list, so that neither can drift.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Row, RowIndex, ToSql};

/// The columns of one table from which a record is made, in groups.
pub struct Columns {
    pub table: &'static str,
    pub groups: &'static [&'static [&'static str]],
}

impl Columns {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.groups.iter().copied().flatten().copied()
    }

    /// A row that was selected by these columns.
    pub fn of<'r>(&'static self, row: &'r Row<'r>) -> Cells<'r> {
        Cells { row, columns: self }
    }
}

/// As a query names them, also one that joins other tables.
impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.names().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{}.{name}", self.table)?;
        }
        Ok(())
    }
}

/// Several times quicker by name than the driver, which asks SQLite for the
/// name of every column before.
pub struct Cells<'r> {
    row: &'r Row<'r>,
    columns: &'static Columns,
}

impl Cells<'_> {
    pub fn get<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        let position = self.columns.names().position(|known| known == name);
        let position = position.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.into()))?;
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
