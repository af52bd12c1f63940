//! A database that is moved to another one, or filled from one.
//!
//! A transaction may take as long as it takes: nobody waits at a counter.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::Postgres;
use super::ask::{Value, counted, number, text};
use crate::store::moving::table::{
    Batch, MARKER, MOVED, Marker, Part, ROWS_AT_ONCE, Row, Rows, Table, is_time,
};
use crate::store::{Result, StoreError};

const PATIENT: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0";

impl Postgres {
    /// Tells it from every other database.
    pub async fn identity(&self) -> Result<String> {
        let sql = "SELECT current_database()::text || ' of ' || min(applied_at)::text AS name
            FROM schema_migrations";
        let name: String = self.row(sql, &[]).await?.try_get("name")?;
        Ok(format!("postgres {name}"))
    }

    /// All rows as they are at one moment.
    pub fn read_all(&self, parts: Vec<Part>) -> Rows {
        let (sender, rows) = mpsc::channel(1);
        let db = self.clone();
        tokio::spawn(async move {
            if let Err(error) = db.read_parts(&parts, &sender).await {
                let _ = sender.send(Err(error)).await;
            }
        });
        rows
    }

    async fn read_parts(&self, parts: &[Part], rows: &mpsc::Sender<Result<Batch>>) -> Result<()> {
        let mut db = self.pool.get().await?;
        let transaction = db.transaction().await?;
        let one_moment = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        transaction.batch_execute(one_moment).await?;
        transaction.batch_execute(PATIENT).await?;
        for (number, part) in parts.iter().enumerate() {
            transaction.batch_execute(&cursor(part)).await?;
            let fetch = format!("FETCH {ROWS_AT_ONCE} FROM rows");
            loop {
                let found = transaction.query_typed(&fetch, &[]).await?;
                if found.is_empty() {
                    break;
                }
                let batch = found.iter().map(read).collect::<Result<_>>()?;
                let batch = Batch {
                    part: number,
                    rows: batch,
                };
                if rows.send(Ok(batch)).await.is_err() {
                    return Ok(());
                }
            }
            transaction.batch_execute("CLOSE rows").await?;
        }
        Ok(())
    }

    pub async fn count_rows(&self, table: Arc<Table>) -> Result<u64> {
        let sql = format!("SELECT count(*) AS number FROM {}", table.name);
        self.patiently(async |db| counted(&db.query_typed_one(&sql, &[]).await?, "number"))
            .await
    }

    /// `None` when nobody fills it.
    pub async fn marker(&self) -> Result<Option<Marker>> {
        let table = "SELECT to_regclass($1) IS NOT NULL AS found";
        if !self.row(table, &[text(&MARKER)]).await?.try_get("found")? {
            return Ok(None);
        }
        let mut marker = Marker {
            source: String::new(),
            written: Vec::new(),
            differs: false,
        };
        let sql = format!("SELECT source, written, differs FROM {MARKER} WHERE name = $1");
        for name in MOVED {
            let found = self.row(&sql, &[text(&name)]).await?;
            marker.source = found.try_get("source")?;
            marker.written.push(counted(&found, "written")?);
            marker.differs |= found.try_get::<_, bool>("differs")?;
        }
        Ok(Some(marker))
    }

    /// From now on it is only good for being filled from there.
    pub async fn mark(&self, source: String) -> Result<()> {
        let table = format!(
            "CREATE TABLE IF NOT EXISTS {MARKER} (name TEXT NOT NULL PRIMARY KEY,
                source TEXT NOT NULL, written BIGINT NOT NULL, differs BOOLEAN NOT NULL);
            DELETE FROM {MARKER}"
        );
        let rows = format!("INSERT INTO {MARKER} SELECT unnest($1), $2, 0, false");
        let names = MOVED.map(str::to_owned).to_vec();
        self.patiently(async |db| {
            db.batch_execute(&table).await?;
            db.execute_typed(&rows, &[(&names, Type::TEXT_ARRAY), text(&source)])
                .await?;
            Ok(())
        })
        .await
    }

    /// The rows and how many they are, both or neither. What is there already is
    /// left alone; the check at the end tells what differs.
    pub async fn fill(&self, table: Arc<Table>, rows: Vec<Row>) -> Result<()> {
        refuse_nul(&table, &rows)?;
        let written = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let cells = by_column(rows, table.columns.len());
        let values: Vec<Value<'_>> = cells
            .iter()
            .map(|cells| (cells as _, Type::TEXT_ARRAY))
            .collect();
        let note = format!("UPDATE {MARKER} SET written = written + $2 WHERE name = $1");
        self.patiently(async |db| {
            let insert = insert(db, &table).await?;
            let filled = db.execute_typed(&insert, &values).await;
            filled.map_err(|error| not_taken(&table, error))?;
            let noted = [text(&table.name), number(&written)];
            db.execute_typed(&note, &noted).await?;
            Ok(())
        })
        .await
    }

    /// What was written differs from its source.
    pub async fn mark_different(&self) -> Result<()> {
        let sql = format!("UPDATE {MARKER} SET differs = true");
        self.change(&sql, &[]).await.map(|_| ())
    }

    pub async fn empty(&self) -> Result<()> {
        let tables = MOVED.join(", ");
        self.patiently(async |db| Ok(db.batch_execute(&format!("TRUNCATE {tables}")).await?))
            .await
    }

    /// It is whole: anybody may use it, and the planner knows what is in it.
    pub async fn unmark(&self) -> Result<()> {
        let tables = MOVED.join(", ");
        let sql = format!("DROP TABLE {MARKER}; ANALYZE {tables}");
        self.patiently(async |db| Ok(db.batch_execute(&sql).await?))
            .await
    }

    /// However long it takes.
    pub(super) async fn patiently<T>(
        &self,
        work: impl AsyncFnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut db = self.pool.get().await?;
        let transaction = db.transaction().await?;
        transaction.batch_execute(PATIENT).await?;
        let done = work(&transaction).await?;
        transaction.commit().await?;
        Ok(done)
    }
}

/// Ordered by bytes, which is the same whatever the database's language.
fn cursor(part: &Part) -> String {
    let Table { name, columns, key } = &*part.table;
    let columns: Vec<String> = columns.iter().map(|column| as_text(column)).collect();
    let key: Vec<String> = key
        .iter()
        .map(|column| format!("{column}::text COLLATE \"C\""))
        .collect();
    format!(
        "DECLARE rows NO SCROLL CURSOR FOR SELECT {} FROM {name} ORDER BY {} OFFSET {}",
        columns.join(", "),
        key.join(", "),
        part.skip
    )
}

fn as_text(column: &str) -> String {
    match is_time(column) {
        false => format!("{column}::text"),
        true => {
            format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
        }
    }
}

fn read(row: &tokio_postgres::Row) -> Result<Row> {
    let cells = (0..row.len()).map(|place| Ok(row.try_get(place)?));
    cells.collect()
}

/// The one character that a text here cannot have.
fn refuse_nul(table: &Table, rows: &[Row]) -> Result<()> {
    let has_nul = |cell: &String| cell.contains('\0');
    match rows.iter().flatten().flatten().any(has_nul) {
        true => Err(StoreError::Move(format!(
            "a text in {} has a character that PostgreSQL cannot keep (U+0000): take it out first",
            table.name
        ))),
        false => Ok(()),
    }
}

/// A table that another program made may take no row of ours.
fn not_taken(table: &Table, error: tokio_postgres::Error) -> StoreError {
    let code = error.code().map(SqlState::code).unwrap_or_default();
    match code.get(..2) {
        // The value does not fit its column, or a rule of the table forbids it.
        Some("22" | "23") => StoreError::Move(format!(
            "the target's table {} was made by another program and does not take our rows \
             ({code}): name an empty database",
            table.name
        )),
        _ => error.into(),
    }
}

fn by_column(rows: Vec<Row>, columns: usize) -> Vec<Row> {
    let mut cells: Vec<Row> = (0..columns)
        .map(|_| Vec::with_capacity(rows.len()))
        .collect();
    for row in rows {
        for (column, cell) in cells.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    cells
}

/// Each column as the type that it has here: a table may have been there before
/// us, with ids of another kind.
async fn insert(db: &Transaction<'_>, table: &Table) -> Result<String> {
    let sql = "SELECT attname::text AS name, format_type(atttypid, atttypmod) AS kind
        FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = any($2)";
    let (name, columns) = (table.name, &table.columns);
    let asked = [text(&name), (columns, Type::TEXT_ARRAY)];
    let mut kinds = HashMap::new();
    for row in db.query_typed(sql, &asked).await? {
        kinds.insert(
            row.try_get::<_, String>("name")?,
            row.try_get::<_, String>("kind")?,
        );
    }
    let cast = |column: &String| {
        let kind = kinds.get(column).map_or("text", String::as_str);
        format!("cells.{column}::{kind}")
    };
    let casts: Vec<String> = columns.iter().map(cast).collect();
    let arrays: Vec<String> = (1..=columns.len())
        .map(|place| format!("${place}"))
        .collect();
    let columns = columns.join(", ");
    Ok(format!(
        "INSERT INTO {name} ({columns}) SELECT {} FROM unnest({}) AS cells ({columns})
        ON CONFLICT DO NOTHING",
        casts.join(", "),
        arrays.join(", ")
    ))
}
