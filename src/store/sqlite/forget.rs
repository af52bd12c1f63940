//! Removing a person so that nothing of them stays in the files.
//!
//! Three places can hold the removed words: freed space inside pages
//! (overwritten by `secure_delete`), pages left over from before (gone with
//! `VACUUM`), and the write-ahead log (emptied by the checkpoint).

use std::path::Path;

use rusqlite::Connection;

use super::{Sqlite, connection};
use crate::store::{Forgotten, Result, StoreError};

impl Sqlite {
    pub async fn forget(&self, email: String) -> Result<Forgotten> {
        let (contacts, deliveries) = self.writer.run(move |db| remove(db, &email)).await?;
        let path = self.path.clone();
        let scrubbed = tokio::task::spawn_blocking(move || scrub(&path))
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Forgotten {
            contacts,
            deliveries,
            scrubbed: scrubbed.unwrap_or(false),
        })
    }
}

fn remove(db: &Connection, email: &str) -> rusqlite::Result<(u64, u64)> {
    let deliveries = db.execute(
        "DELETE FROM deliveries WHERE contact_id IN
            (SELECT id FROM contacts WHERE lower(email) = lower(?1))",
        [email],
    )?;
    let contacts = db.execute(
        "DELETE FROM contacts WHERE lower(email) = lower(?1)",
        [email],
    )?;
    Ok((contacts as u64, deliveries as u64))
}

/// On a connection of its own: `VACUUM` cannot run inside a transaction. False
/// when a reader kept the log from being emptied.
fn scrub(path: &Path) -> rusqlite::Result<bool> {
    let db = connection::open_writer(path)?;
    db.execute_batch("VACUUM")?;
    let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
