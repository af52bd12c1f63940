//! What is moved: tables, their columns, and rows on which both databases agree.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::store::Result;

/// Those that others refer to come first.
pub const MOVED: [&str; 7] = [
    "contacts",
    "subscribers",
    "deliveries",
    "past_consents",
    "mail_links",
    "newsletter_issues",
    "newsletter_sends",
];

/// What belongs to the database itself and not to what it holds.
pub const LEFT: [&str; 2] = ["schema_migrations", "store_state"];

/// A claim ends with its worker.
const LEFT_COLUMNS: [&str; 2] = ["lease_token", "lease_until"];

/// The one that says that a database is being filled.
pub const MARKER: &str = "moving";

/// In one transaction, and in memory.
pub const ROWS_AT_ONCE: usize = 500;

pub struct Table {
    pub name: &'static str,
    pub columns: Vec<String>,
    /// What tells its rows apart, and orders them.
    pub key: Vec<String>,
}

impl Table {
    /// From all columns; those marked are its key. Without one the whole row is.
    pub fn new(name: &'static str, columns: Vec<(String, bool)>) -> Self {
        let moved = |(column, _): &(String, bool)| !LEFT_COLUMNS.contains(&column.as_str());
        let columns: Vec<_> = columns.into_iter().filter(moved).collect();
        let marked = columns.iter().filter(|(_, is_key)| *is_key);
        let mut key: Vec<String> = marked.map(|(column, _)| column.clone()).collect();
        let columns: Vec<String> = columns.into_iter().map(|(column, _)| column).collect();
        if key.is_empty() {
            key = columns.clone();
        }
        Self { name, columns, key }
    }
}

/// A time is UTC with milliseconds, as text of a fixed width, on both databases.
pub fn is_time(column: &str) -> bool {
    column.ends_with("_at")
}

/// The cells in the order of the columns. Numbers and times are text.
pub type Row = Vec<Option<String>>;

/// A table, from a row on.
#[derive(Clone)]
pub struct Part {
    pub table: Arc<Table>,
    pub skip: u64,
}

/// Some rows of the table at this place in the list of parts.
pub struct Batch {
    pub part: usize,
    pub rows: Vec<Row>,
}

/// Rows on their way: whoever reads waits for whoever takes them.
pub type Rows = mpsc::Receiver<Result<Batch>>;

/// How far a database is filled, and from which other one.
pub struct Marker {
    pub source: String,
    /// Rows written to each table, in the order of the list.
    pub written: Vec<u64>,
    /// It was found to differ from its source: it has to be filled anew.
    pub differs: bool,
}
