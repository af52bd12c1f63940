//! Whether a session is one that leads may be stored in.

use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

use crate::store::{Result, StoreError};

pub const READ_ONLY: &str = "the database server is read-only: it may be a standby";

/// Right after connecting: it takes writes, and a commit is on disk.
pub async fn settle(client: &Client, options_given: bool) -> Result<()> {
    let sql = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
        current_setting('synchronous_commit'), current_setting('frontdoor.session', true)";
    let row = first_row(client, sql).await?;
    let column = |nth| row.get(nth).unwrap_or_default();
    if column(0) != "f" {
        return Err(StoreError::Unavailable(READ_ONLY.into()));
    }
    let is_weak = ["off", "local", "remote_write"].contains(&column(1));
    let is_ours = options_given && column(2) == "on";
    match (is_weak, is_ours) {
        (false, _) => Ok(()),
        (true, true) => Ok(client.batch_execute("SET synchronous_commit = on").await?),
        // The next transaction may run in another session of the pooler's.
        (true, false) => Err(StoreError::Unavailable(
            "synchronous_commit is weaker than `on`, and a pooler stands between: \
             `ALTER ROLE … SET synchronous_commit = on`"
                .into(),
        )),
    }
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
