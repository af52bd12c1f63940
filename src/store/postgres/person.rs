//! All that is held about one person.

use super::Postgres;
use super::addresses::are_of;
use super::ask::text;
use crate::store::person::{Record, TABLES, theirs};
use crate::store::{Result, StoreError};

impl Postgres {
    pub async fn person(&self, key: String) -> Result<Vec<(&'static str, Vec<Record>)>> {
        let mut found = Vec::new();
        for (table, rows) in TABLES {
            let theirs = theirs(rows, &are_of("$1"));
            let sql = format!("SELECT to_json({table})::text FROM {table} WHERE {theirs}");
            let rows = self.rows(&sql, &[text(&key)]).await?;
            let record = |row: &tokio_postgres::Row| -> Result<Record> {
                let json: &str = row.try_get(0)?;
                let record = serde_json::from_str(json);
                record.map_err(|error| StoreError::Unavailable(error.to_string()))
            };
            found.push((table, rows.iter().map(record).collect::<Result<_>>()?));
        }
        Ok(found)
    }
}
