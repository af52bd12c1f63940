//! What waits to be delivered, and over how many connections.

use tokio_postgres::Row;

use super::Postgres;
use super::ask::{counted, parsed};
use crate::store::backlog::backlog_sql;
use crate::store::{Backlog, Connections, Result};

impl Postgres {
    pub async fn backlog(&self) -> Result<Vec<Backlog>> {
        let found = self.rows(&backlog_sql(), &[]).await?;
        found.iter().map(backlog).collect()
    }

    pub fn connections(&self) -> Option<Connections> {
        Some(self.pool.connections())
    }
}

fn backlog(found: &Row) -> Result<Backlog> {
    Ok(Backlog {
        kind: parsed(found, "kind")?,
        pending: counted(found, "pending")?,
        retrying: counted(found, "retrying")?,
        oldest: found.try_get("oldest")?,
    })
}
