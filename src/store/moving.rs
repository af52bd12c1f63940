//! Moves all data from one database to another, of either kind.
//!
//! Tables are copied in pages; then both databases are read completely and compared. Until they
//! match, a mark keeps other processes from using the target. An interrupted move starts over.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::Timestamp;
use serde::Serialize;

use super::tx::{Row, Tx, Value, args};
use super::{DatabaseUrl, OpenMode, Result, Store, StoreError};

/// A table and its key columns.
type Table = (&'static str, &'static [&'static str]);

/// Referenced tables come first. Tables about the database itself (`channels`, `schema_migrations`,
/// `store_state`) and the desk's sessions and links are left out.
const TABLES: [Table; 20] = [
    ("contacts", &["id"]),
    ("subscribers", &["id"]),
    ("deliveries", &["id"]),
    ("past_consents", &["subscriber_id", "number"]),
    ("mail_links", &["hash"]),
    ("newsletter_issues", &["id"]),
    ("newsletter_sends", &["issue", "subscriber_id"]),
    ("contact_changes", &["contact_id", "number"]),
    ("reply_drafts", &["contact_id"]),
    ("replies", &["delivery_id"]),
    ("bookings", &["service", "id"]),
    ("booking_services", &["service"]),
    ("spam_words", &["word"]),
    ("newsletter_schedules", &["issue"]),
    ("issue_draft", &["id"]),
    ("digests", &["day"]),
    ("sending_pause", &["paused_at"]),
    ("releases", &["id"]),
    ("visits", &["day", "page", "source", "campaign"]),
    ("link_key", &["id"]),
];

/// Rows per statement, because each is a slow round trip to a remote database.
const ROWS_AT_ONCE: usize = 50;

/// Leases aren't moved: they end with their worker.
const LEFT_COLUMNS: [&str; 2] = ["lease_token", "lease_until"];

/// A table in both databases after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MovedTable {
    pub table: &'static str,
    /// In the source.
    pub rows: u64,
    /// In the target.
    pub moved: u64,
    /// Every cell of every row is the same.
    pub same: bool,
}

/// Two open databases: the source and the target to be filled.
pub struct Move {
    source: Store,
    target: Store,
    /// The number of rows in the source at the start.
    pub rows: u64,
}

impl Move {
    /// Creates the target's tables. Fails if it contains anything but the remains of an interrupted
    /// move.
    pub async fn prepare(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<Self> {
        let source = Store::open(from, OpenMode::Existing).await;
        let source = source.map_err(|error| match error {
            StoreError::Missing { location } => {
                StoreError::Move(format!("there is no database {location}: look at --from"))
            }
            error => error,
        })?;
        let target = Store::open(to, OpenMode::MoveTarget).await?;
        let identity = |tx: &mut Tx<'_>| tx.value("SELECT identity FROM store_state", &[]);
        let name: String = source.read(identity).await?;
        if name == target.read(identity).await? {
            return Err(StoreError::Move("both are the same database".into()));
        }
        match target.read(filled_from).await? {
            Some(_) => target.empty().await?,
            None if target.count().await? > 0 => {
                let why = "the target holds rows already: name an empty database";
                return Err(StoreError::Move(why.into()));
            }
            None => {}
        }
        let mark = "UPDATE store_state SET filled_from = $1";
        target.execute(mark, args![&name]).await?;
        Ok(Self {
            rows: source.count().await?,
            source,
            target,
        })
    }

    /// Copies every table; calls `progress` with the number of rows so far.
    pub async fn copy(&self, mut progress: impl FnMut(u64)) -> Result<()> {
        let mut copied = 0;
        for table in TABLES {
            let mut last = None;
            while let Some(rows) = self.source.page(table, &mut last).await? {
                copied += rows.len() as u64;
                self.target.fill(table.0, rows).await?;
                progress(copied);
            }
        }
        Ok(())
    }

    /// Reads both databases. If they are the same, the target can be used.
    pub async fn compare(&self, mut progress: impl FnMut(u64)) -> Result<Vec<MovedTable>> {
        let (mut found, mut compared) = (Vec::new(), 0);
        for table in TABLES {
            // The number of rows and the sum of their hashes, which doesn't depend on their order.
            let mut sums = [(0_u64, 0_u64); 2];
            for ((number, sum), store) in sums.iter_mut().zip([&self.source, &self.target]) {
                let mut last = None;
                while let Some(rows) = store.page(table, &mut last).await? {
                    *number += rows.len() as u64;
                    for row in &rows {
                        let mut hasher = DefaultHasher::new();
                        cells(table.0, row)?.hash(&mut hasher);
                        *sum = sum.wrapping_add(hasher.finish());
                    }
                    compared += rows.len() as u64;
                    progress(compared);
                }
            }
            let [source, target] = sums;
            found.push(MovedTable {
                table: table.0,
                rows: source.0,
                moved: target.0,
                same: source == target,
            });
        }
        if found.iter().all(|table| table.same) {
            let unmark = "UPDATE store_state SET filled_from = NULL";
            self.target.execute(unmark, &[]).await?;
        }
        Ok(found)
    }

    pub async fn close(&self) -> Result<()> {
        self.source.close().await?;
        self.target.close().await
    }
}

impl Store {
    async fn count(&self) -> Result<u64> {
        let counts = TABLES.map(|(table, _)| format!("(SELECT count(*) FROM {table})"));
        let sql = format!("SELECT {}", counts.join(" + "));
        self.read_long(move |tx| tx.value(&sql, &[])).await
    }

    async fn empty(&self) -> Result<()> {
        self.write_long(|tx| {
            let delete = |(table, _): &Table| tx.execute(&format!("DELETE FROM {table}"), &[]);
            TABLES
                .iter()
                .rev()
                .map(delete)
                .try_for_each(|done| done.map(drop))
        })
        .await
    }

    /// The rows after `last` in key order; `last` is set to the last of them.
    async fn page(&self, (table, key): Table, last: &mut Option<Row>) -> Result<Option<Vec<Row>>> {
        let (keys, mut values, mut condition) = (key.join(", "), Vec::new(), String::new());
        if let Some(last) = &last {
            for column in key {
                values.push(last.get::<Value>(column)?);
            }
            let last: Vec<_> = (1..=key.len()).map(|index| format!("${index}")).collect();
            condition = format!("WHERE ({keys}) > ({})", last.join(", "));
        }
        // A release has tens of megabytes, so it is moved alone.
        let page = if table == "releases" { 1 } else { 500 };
        let sql = format!("SELECT {table}.* FROM {table} {condition} ORDER BY {keys} LIMIT {page}");
        let rows = self.read(move |tx| tx.query(&sql, &values)).await?;
        *last = rows.last().cloned();
        Ok(last.is_some().then_some(rows))
    }

    async fn fill(&self, table: &'static str, rows: Vec<Row>) -> Result<()> {
        self.write(move |tx| {
            for rows in rows.chunks(ROWS_AT_ONCE) {
                let columns: Vec<_> = rows[0].columns.iter().map(String::as_str).collect();
                let cells: Result<Vec<_>> = rows.iter().map(|row| cells(table, row)).collect();
                tx.insert(table, &columns, &cells?.concat(), "")?;
            }
            Ok(())
        })
        .await
    }
}

/// The cells in the form that both databases accept.
fn cells(table: &str, row: &Row) -> Result<Vec<Value>> {
    let cell = |(column, value): (&String, &Value)| {
        if LEFT_COLUMNS.contains(&column.as_str()) {
            return Ok(Value::Null);
        }
        match value {
            Value::Text(text) if column.ends_with("_at") => {
                let time: Option<Timestamp> = text.parse().ok();
                let wrong =
                    || StoreError::Move(format!("{table}.{column} has a value that isn't a time"));
                Ok(Value::from(time.ok_or_else(wrong)?))
            }
            value => Ok(value.clone()),
        }
    };
    row.columns.iter().zip(&row.cells).map(cell).collect()
}

fn filled_from(tx: &mut Tx<'_>) -> Result<Option<String>> {
    tx.value("SELECT filled_from FROM store_state", &[])
}

/// Fails if a move to this database is unfinished.
pub(super) fn refuse_unfinished(tx: &mut Tx<'_>, location: &str) -> Result<()> {
    match filled_from(tx)? {
        Some(_) => Err(StoreError::HalfMoved {
            location: location.to_owned(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate;
    use crate::store::sqlite_session::SqliteSession;

    #[test]
    fn every_table_is_moved_or_left_for_a_reason() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        let mut session = SqliteSession::new(db);
        let mut tx = Tx::new(&mut session);
        migrate::run(&mut tx, None).unwrap();
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let made: Vec<String> = tx.column(sql, &[]).unwrap();
        let left = [
            "channels",
            "desk_links",
            "desk_sessions",
            "schema_migrations",
            "store_state",
        ];
        let mut known: Vec<_> = TABLES.iter().map(|(table, _)| *table).chain(left).collect();
        known.sort_unstable();
        assert_eq!(made, known);
    }

    #[test]
    fn the_name_of_a_column_tells_whether_it_is_a_time() {
        let sql = migrate::all_steps();
        let lines = sql.lines().filter(|line| !line.trim().starts_with("--"));
        let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
        let mut times = 0;
        for pair in words.windows(2) {
            let kind = pair[1].trim_matches(',');
            if ["TEXT", "{int}", "{time}", "{bytes}"].contains(&kind) {
                let is_time = kind == "{time}" && !LEFT_COLUMNS.contains(&pair[0]);
                assert_eq!(pair[0].ends_with("_at"), is_time, "{}", pair[0]);
                times += usize::from(is_time);
            }
        }
        assert!(times > 30, "{times}");
    }
}
