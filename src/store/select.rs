//! Query helpers shared by several subjects.

use super::tx::{Row, Value, args};
use super::{Cursor, Result, Store};

/// A query with optional conditions.
pub struct Select {
    sql: String,
    values: Vec<Value>,
}

impl Select {
    /// `sql` ends inside a `WHERE`.
    pub fn new(sql: &str) -> Self {
        let (sql, values) = (sql.to_owned(), Vec::new());
        Self { sql, values }
    }

    /// Adds a condition without a value.
    pub fn and(&mut self, condition: &str) {
        self.sql += " AND ";
        self.sql += condition;
    }

    /// Adds a condition with a value instead of `?`, if there is one.
    pub fn and_if<T: Into<Value>>(&mut self, condition: &str, value: Option<T>) {
        if let Some(value) = value {
            let placeholder = self.placeholder(value);
            self.and(&condition.replace('?', &placeholder));
        }
    }

    /// Adds a value and returns its placeholder.
    pub fn placeholder(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// One page of the list, newest first. Unreadable rows are left out.
    pub async fn newest<T: Send + 'static>(
        mut self,
        store: &Store,
        table: &'static str,
        after: Option<Cursor>,
        limit: usize,
        read: impl Fn(&Row) -> Result<T> + Send + 'static,
    ) -> Result<Vec<T>> {
        if let Some(Cursor { created_at, id }) = after {
            let (time, id) = (self.placeholder(created_at), self.placeholder(id));
            self.and(&format!(
                "({table}.created_at, {table}.id) < ({time}, {id})"
            ));
        }
        let limit = self.placeholder(limit);
        self.sql += &format!(" ORDER BY {table}.created_at DESC, {table}.id DESC LIMIT {limit}");
        store
            .query_readable(table, &self.sql, &self.values, read)
            .await
    }
}

impl Store {
    /// Some ids in these rows that end in this text.
    pub(super) async fn ids_ending(&self, end: &str, rows: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT id FROM {rows} WHERE substr(id, length(id) - length($1) + 1) = $1
            ORDER BY id LIMIT 10"
        );
        self.query(&sql, args![end], |row| row.at(0)).await
    }
}
