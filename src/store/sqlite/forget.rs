//! Removing a person so that nothing of them stays in the files.
//!
//! Three places can hold the removed words: freed space inside pages
//! (overwritten by `secure_delete`), pages left over from before (gone with
//! `VACUUM`), and the write-ahead log (emptied by the checkpoint).

use std::path::Path;

use rusqlite::Connection;

use super::{Sqlite, connection, generation, journal};
use crate::domain::fold_address;
use crate::store::{Forgotten, Result, StoreError};

impl Sqlite {
    pub async fn forget(&self, email: String) -> Result<Forgotten> {
        let removed = self.writer.run(move |db| remove(db, &email)).await?;
        let scrubbed = self.scrub().await?;
        Ok(Forgotten {
            scrubbed,
            ..removed
        })
    }

    pub async fn remove_subscriber(&self, email: String) -> Result<Forgotten> {
        let work = move |db: &Connection| remove_subscriber(db, &email);
        let subscribers = self.writer.run(work).await?;
        let scrubbed = self.scrub().await?;
        Ok(Forgotten {
            subscribers,
            scrubbed,
            ..Forgotten::default()
        })
    }

    /// False when the files could not be overwritten right now.
    async fn scrub(&self) -> Result<bool> {
        let path = self.files.database.clone();
        let scrubbed = tokio::task::spawn_blocking(move || scrub(&path))
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(scrubbed.unwrap_or(false))
    }
}

fn remove(db: &Connection, email: &str) -> rusqlite::Result<Forgotten> {
    let key = fold_address(email);
    let deliveries = db.execute(
        "DELETE FROM deliveries WHERE contact_id IN
            (SELECT id FROM contacts WHERE email_key = ?1)",
        [&key],
    )?;
    let contacts = db.execute("DELETE FROM contacts WHERE email_key = ?1", [&key])?;
    Ok(Forgotten {
        contacts: contacts as u64,
        deliveries: deliveries as u64,
        subscribers: remove_subscriber(db, email)?,
        scrubbed: false,
    })
}

/// Links, past consents, deliveries and sends go with their subscriber.
fn remove_subscriber(db: &Connection, email: &str) -> rusqlite::Result<u64> {
    let folded = fold_address(email);
    let removed = db.execute("DELETE FROM subscribers WHERE email_key = ?1", [folded])?;
    Ok(removed as u64)
}

/// On a connection of its own: `VACUUM` cannot run inside a transaction. False
/// when a reader kept the journal from being emptied. The new generation tells
/// a running server that it was us who wrote into the file.
fn scrub(path: &Path) -> rusqlite::Result<bool> {
    let db = connection::open_writer(path)?;
    generation::begin(&db)?;
    db.execute_batch("VACUUM")?;
    let emptied = journal::empty(&db)?;
    if emptied {
        generation::settle(&db)?;
    }
    Ok(emptied)
}
