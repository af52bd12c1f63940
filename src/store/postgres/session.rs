//! Whether a session is one that leads may be stored in.

use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

use crate::store::{Result, StoreError};

pub const READ_ONLY: &str = "the database server is read-only: it may be a standby";

/// Right after connecting: it takes writes, and a commit is on disk. Returns
/// whether it is ours for as long as we like: what was given with the first
/// packet holds in it, so no pooler stands between.
pub async fn settle(client: &Client) -> Result<bool> {
    let sql = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
        current_setting('synchronous_commit'), current_setting('frontdoor.session', true)";
    let row = first_row(client, sql).await?;
    let column = |nth| row.get(nth).unwrap_or_default();
    if column(0) != "f" {
        return Err(StoreError::Unavailable(READ_ONLY.into()));
    }
    let is_weak = ["off", "local", "remote_write"].contains(&column(1));
    let is_direct = column(2) == "on";
    match (is_weak, is_direct) {
        (false, _) => {}
        (true, true) => client.batch_execute("SET synchronous_commit = on").await?,
        // The next transaction may run in another session of the pooler's.
        (true, false) => {
            let reason = "synchronous_commit is weaker than `on`, and a pooler stands between: \
                `ALTER ROLE … SET synchronous_commit = on`";
            return Err(StoreError::Unavailable(reason.into()));
        }
    }
    Ok(is_direct)
}

/// Nothing is left to be answered in it, and it still takes writes.
pub async fn is_fit(client: &Client) -> bool {
    let sql = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean";
    matches!(first_row(client, sql).await, Ok(row) if row.get(0) == Some("f"))
}

async fn first_row(client: &Client, sql: &str) -> Result<SimpleQueryRow> {
    let messages = client.simple_query(sql).await?;
    let row = messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    row.ok_or_else(|| StoreError::Unavailable("it gives no answer".into()))
}
