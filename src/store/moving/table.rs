//! What is moved: tables, their columns, and rows on which both databases agree.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::store::Result;

/// Those that others refer to come first.
pub const MOVED: [&str; 13] = [
    "contacts",
    "subscribers",
    "deliveries",
    "past_consents",
    "mail_links",
    "newsletter_issues",
    "newsletter_sends",
    "contact_changes",
    "spam_words",
    "newsletter_schedules",
    "digests",
    "releases",
    "sending_pause",
];

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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What belongs to the database itself and not to what it holds.
    const LEFT: [&str; 9] = [
        "channels",
        "delivery_counts",
        "lead_words",
        "rate_counts",
        "rate_salt",
        "schema_migrations",
        "search_state",
        "searched_leads",
        "store_state",
    ];

    /// The lines of all migrations.
    fn migrations(engine: &str) -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/");
        let files = fs::read_dir(format!("{folder}{engine}")).unwrap();
        let text = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let text: Vec<String> = text.collect();
        text.iter()
            .flat_map(|text| text.lines())
            .map(str::to_owned)
            .collect()
    }

    fn table_made(line: &str) -> Option<&str> {
        let rest = line.strip_prefix("CREATE ")?.split("TABLE ").nth(1)?;
        let name = rest.strip_prefix("IF NOT EXISTS ").unwrap_or(rest);
        name.split_whitespace().next()
    }

    #[test]
    fn every_table_is_moved_or_left_for_a_reason() {
        for engine in ["sqlite", "postgres"] {
            let lines = migrations(engine);
            let made: Vec<_> = lines.iter().filter_map(|line| table_made(line)).collect();
            let all = MOVED.iter().chain(&LEFT);
            // Some take the name of another when they are filled.
            let known: Vec<&str> = all.copied().chain(["newsletter_sends_next"]).collect();
            for table in &made {
                assert!(known.contains(table), "{table} on {engine}");
            }
            assert!(MOVED.iter().all(|table| made.contains(table)), "{engine}");
        }
    }

    #[test]
    fn the_name_of_a_column_tells_whether_it_is_a_time() {
        let mut times = 0;
        for line in migrations("postgres") {
            let mut words = line.split("ADD COLUMN").last().unwrap().split_whitespace();
            if let (Some(name), Some(kind)) = (words.next(), words.next())
                && ["TEXT", "INTEGER", "BIGINT", "TIMESTAMPTZ"]
                    .contains(&kind.trim_matches([',', ';']))
            {
                let is_time_there = kind.starts_with("TIMESTAMPTZ");
                times += usize::from(is_time_there);
                let is_left = LEFT_COLUMNS.contains(&name);
                assert!(is_left || is_time(name) == is_time_there, "{name}");
            }
        }
        assert!(times > 15, "{times}");
    }
}
