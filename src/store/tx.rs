//! A transaction in either database.
//!
//! Each statement is one text for both databases. Differences are words in braces that [`fill`]
//! replaces: `{for_update}`, `{skip_locked}`, `{like}`, `{list $1}` (the texts of a JSON list),
//! `{time}` and the other column types. In SQLite, times are text of fixed width, which compares as
//! in PostgreSQL.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use super::{Result, StoreError};
use crate::domain::StoredWord;

/// A value bound to a statement or read from a row.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// With millisecond precision on both databases.
    Time(Timestamp),
}

/// The database of a statement, for the few that need two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The operations of a database inside a transaction.
pub trait Session {
    fn engine(&self) -> Engine;
    /// Runs one statement; returns its rows, and how many it changed.
    fn run(&mut self, sql: &str, args: &[Value]) -> Result<(Vec<Row>, u64)>;
    /// Runs several statements without values.
    fn batch(&mut self, sql: &str) -> Result<()>;
    /// See [`Tx::lock`].
    fn lock(&mut self, _key: &str) -> Result<()> {
        Ok(())
    }
}

/// The values of a statement, in the order of `$1`, `$2`, …
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::store::tx::Value::from($value)),*] };
}
pub(super) use args;

/// Reads the fields of a record from the columns of the same names: `record!(row => Name: column,
/// column; field: value)`.
macro_rules! record {
    ($row:expr => $name:ident: $($field:ident),+ $(; $($other:ident: $value:expr),+)?) => {
        Ok($name {
            $($field: $row.get(stringify!($field))?,)+
            $($($other: $value,)+)?
        })
    };
}
pub(super) use record;

pub struct Tx<'a> {
    session: &'a mut dyn Session,
    /// The time of the caller's change, if the work was started with `write_at`; otherwise this
    /// machine's.
    pub now: Timestamp,
    /// Whether to wake this server's workers after the commit.
    pub wakes: bool,
    pub changed: bool,
    pub unreadable: Vec<Unreadable>,
}

/// A row that this program can't read: a later version wrote it, or it was edited by hand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreadable {
    pub table: &'static str,
    pub id: String,
    /// The column that can't be read; contains no personal data.
    pub reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, id, reason } = self;
        write!(f, "row {id} of {table} ({reason})")
    }
}

impl<'a> Tx<'a> {
    pub fn new(session: &'a mut dyn Session) -> Self {
        Self {
            session,
            now: Timestamp::now(),
            wakes: false,
            changed: false,
            unreadable: Vec::new(),
        }
    }

    pub fn engine(&self) -> Engine {
        self.session.engine()
    }

    fn run(&mut self, sql: &str, args: &[Value]) -> Result<(Vec<Row>, u64)> {
        #[cfg(test)]
        super::plan_tests::note(self.session, sql, args);
        let (rows, changed) = self.session.run(sql, args)?;
        self.changed |= changed > 0 && !sql.starts_with("SELECT");
        Ok((rows, changed))
    }

    pub fn query(&mut self, sql: &str, args: &[Value]) -> Result<Vec<Row>> {
        Ok(self.run(sql, args)?.0)
    }

    /// Returns the number of changed rows.
    pub fn execute(&mut self, sql: &str, args: &[Value]) -> Result<u64> {
        Ok(self.run(sql, args)?.1)
    }

    /// Inserts rows, whose values follow each other. `on_conflict` may be empty. Returns the number
    /// of rows that were inserted or changed.
    pub fn insert(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value],
        on_conflict: &str,
    ) -> Result<u64> {
        let placeholders: Vec<_> = (1..=values.len())
            .map(|index| format!("${index}"))
            .collect();
        let rows: Vec<_> = placeholders
            .chunks(columns.len())
            .map(|row| row.join(", "))
            .collect();
        let (columns, rows) = (columns.join(", "), rows.join("), ("));
        let sql = format!("INSERT INTO {table} ({columns}) VALUES ({rows}) {on_conflict}");
        self.execute(&sql, values)
    }

    pub fn batch(&mut self, sql: &str) -> Result<()> {
        self.changed = true;
        self.session.batch(sql)
    }

    /// The first row, if there is one.
    pub fn first(&mut self, sql: &str, args: &[Value]) -> Result<Option<Row>> {
        Ok(self.query(sql, args)?.into_iter().next())
    }

    /// The only column of the only row.
    pub fn value<T: FromValue>(&mut self, sql: &str, args: &[Value]) -> Result<T> {
        match self.first(sql, args)? {
            Some(row) => row.at(0),
            None => Err(unreadable("it is missing")),
        }
    }

    /// The first column of every row.
    pub fn column<T: FromValue>(&mut self, sql: &str, args: &[Value]) -> Result<Vec<T>> {
        self.query(sql, args)?.iter().map(|row| row.at(0)).collect()
    }

    /// Whether the query finds a row.
    pub fn exists(&mut self, sql: &str, args: &[Value]) -> Result<bool> {
        self.value(&format!("SELECT EXISTS ({sql})"), args)
    }

    /// Reads one record per row. An unreadable row, perhaps from a newer version, is skipped and
    /// recorded, so that it doesn't hide or block the others.
    pub fn readable<T>(
        &mut self,
        rows: &[Row],
        table: &'static str,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Vec<T> {
        let records = rows.iter().map(|row| {
            let id: String = row.get("id").unwrap_or_default();
            self.readable_one(table, &id, read(row))
        });
        records.flatten().flatten().collect()
    }

    /// [`Tx::readable`] for one record read by several statements; the inner `Err` is the reason.
    pub fn readable_one<T>(
        &mut self,
        table: &'static str,
        id: &str,
        read: Result<T>,
    ) -> Result<Result<T, String>> {
        match read {
            Ok(record) => Ok(Ok(record)),
            Err(StoreError::Unreadable(reason)) => {
                self.unreadable.push(Unreadable {
                    table,
                    id: id.to_owned(),
                    reason: reason.clone(),
                });
                Ok(Err(reason))
            }
            Err(error) => Err(error),
        }
    }

    /// Acquires an exclusive lock on this key, from the next statement to the end of the
    /// transaction. SQLite needs none: it has only one writer.
    pub fn lock(&mut self, key: &str) -> Result<()> {
        self.session.lock(key)
    }

    /// Wakes this server's workers after the commit, because something may be due. Other processes
    /// look for it once a second.
    pub fn wake(&mut self) {
        self.wakes = true;
    }
}

/// Fills in the parts that differ between the databases.
pub fn fill(sql: &str, engine: Engine) -> String {
    let mut filled = String::with_capacity(sql.len() + 64);
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once('{') {
        let (word, after) = after.split_once('}').unwrap_or((after, ""));
        filled += before;
        match (word.split_once(' '), engine) {
            (Some(("list", parameter)), Engine::Sqlite) => {
                filled += &format!("(SELECT value FROM json_each({parameter}))");
            }
            (Some(("list", parameter)), Engine::Postgres) => {
                let json = format!("CAST(CAST({parameter} AS text) AS jsonb)");
                filled += &format!("(SELECT jsonb_array_elements_text({json}))");
            }
            _ => filled += word_for(word, engine),
        }
        rest = after;
    }
    filled += rest;
    match engine {
        // SQLite treats `$1` as a name and `?1` as a number.
        Engine::Sqlite => filled.replace('$', "?"),
        Engine::Postgres => filled,
    }
}

fn word_for(word: &str, engine: Engine) -> &'static str {
    match (word, engine) {
        ("time", Engine::Sqlite) => "TEXT",
        ("time", Engine::Postgres) => "TIMESTAMPTZ",
        ("int", Engine::Sqlite) => "INTEGER",
        ("int", Engine::Postgres) => "BIGINT",
        ("bytes", Engine::Sqlite) => "BLOB",
        ("bytes", Engine::Postgres) => "BYTEA",
        ("strict", Engine::Sqlite) => " STRICT",
        ("like", Engine::Sqlite) => "LIKE",
        // Another collation makes it almost three times as slow.
        ("like", Engine::Postgres) => r#"COLLATE "C" ILIKE"#,
        ("for_update", Engine::Postgres) => "FOR UPDATE",
        ("skip_locked", Engine::Postgres) => "FOR UPDATE SKIP LOCKED",
        ("strict", Engine::Postgres) | ("for_update" | "skip_locked", Engine::Sqlite) => "",
        _ => unreachable!("unknown word {{{word}}} in a statement"),
    }
}

/// UTC with milliseconds in a fixed width, which sorts as text.
pub fn stamp(time: Timestamp) -> String {
    static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&time)
}

/// A list of texts for `{list $1}`. Texts with NUL are left out: PostgreSQL rejects them, so no row
/// has one.
pub fn text_list<T: AsRef<str>>(texts: &[T]) -> Value {
    let texts = texts.iter().map(AsRef::as_ref);
    let texts: Vec<&str> = texts.filter(|text| !text.contains('\0')).collect();
    Value::Text(serde_json::Value::from(texts).to_string())
}

/// A row, by column name.
#[derive(Debug, Clone)]
pub struct Row {
    pub columns: Arc<[String]>,
    pub cells: Vec<Value>,
}

impl Row {
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T> {
        match self.columns.iter().position(|name| name == column) {
            Some(index) => self.at(index),
            None => Err(unreadable(column)),
        }
    }

    pub fn at<T: FromValue>(&self, index: usize) -> Result<T> {
        let value = self.cells.get(index).and_then(T::from_value);
        value.ok_or_else(|| match self.columns.get(index) {
            Some(column) => unreadable(column),
            None => unreadable("a column"),
        })
    }
}

/// Leaves out the value, which may be personal.
fn unreadable(column: &str) -> StoreError {
    StoreError::Unreadable(column.to_owned())
}

pub trait FromValue: Sized {
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty: $pattern:pat => $result:expr;)+) => { $(
        impl FromValue for $type {
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    $pattern => $result,
                    _ => None,
                }
            }
        }
    )+ };
}
from_value! {
    String: Value::Text(text) => Some(text.clone());
    Vec<u8>: Value::Bytes(bytes) => Some(bytes.clone());
    bool: Value::Int(number) => Some(*number != 0);
    i64: Value::Int(number) => Some(*number);
    u64: Value::Int(number) => (*number).try_into().ok();
    u32: Value::Int(number) => (*number).try_into().ok();
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl FromValue for Timestamp {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Time(time) => Some(*time),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl<T: StoredWord> FromValue for T {
    fn from_value(value: &Value) -> Option<Self> {
        String::from_value(value)?.parse().ok()
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! into_value {
    ($($type:ty: $value:ident => $result:expr;)+) => { $(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $result
            }
        }
    )+ };
}
into_value! {
    &str: text => Self::Text(text.to_owned());
    String: text => Self::Text(text);
    &String: text => Self::Text(text.clone());
    &Option<String>: text => text.as_deref().into();
    &[u8]: bytes => Self::Bytes(bytes.to_vec());
    bool: yes => Self::Int(yes.into());
    i64: number => Self::Int(number);
    u32: number => Self::Int(number.into());
    u64: number => Self::Int(i64::try_from(number).unwrap_or(i64::MAX));
    usize: number => Self::Int(i64::try_from(number).unwrap_or(i64::MAX));
    Timestamp: time => {
        let whole = Timestamp::from_millisecond(time.as_millisecond());
        Self::Time(whole.unwrap_or(time))
    };
    &Self: value => value.clone();
}

impl<T: StoredWord> From<T> for Value {
    fn from(value: T) -> Self {
        value.word().into()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
