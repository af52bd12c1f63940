//! Removing a person so that nothing of them stays in the files.
//!
//! Three places can hold the removed words: freed space inside pages
//! (overwritten by `secure_delete`), pages left over (gone with `VACUUM`), and the write-ahead log (emptied by the checkpoint).

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::files::Files;
use super::journal::Emptied;
use super::{DISK_FULL, Sqlite, connection, generation, journal, lessons};
use crate::domain::fold_address;
use crate::store::{Forgotten, Remains, Result};

const TOO_BUSY: &str = "the database was too busy";
/// For whoever reads right now.
const PATIENCE: Duration = Duration::from_secs(8);
/// Short: meanwhile nobody can write.
const AT_A_TIME: Duration = Duration::from_millis(200);

impl Sqlite {
    pub async fn forget(&self, email: String) -> Result<Forgotten> {
        let removed = self.writer.run(move |db| remove(db, &email)).await?;
        Ok(Forgotten {
            remains: self.scrub(true).await,
            ..removed
        })
    }

    pub async fn remove_leads(&self, email: String) -> Result<()> {
        let work = move |db: &Connection| remove(db, &email);
        self.writer.run(work).await.map(|_| ())
    }

    pub async fn remove_subscriber(&self, email: String) -> Result<Forgotten> {
        let work = move |db: &Connection| remove_subscriber(db, &email);
        let subscribers = self.writer.run(work).await?;
        Ok(Forgotten {
            subscribers,
            remains: self.scrub(true).await,
            ..Forgotten::default()
        })
    }

    pub async fn scrub(&self, thoroughly: bool) -> Remains {
        let files = self.files.clone();
        let work = move || scrub(&files, thoroughly, PATIENCE);
        let scrubbed = tokio::task::spawn_blocking(work).await;
        Remains::InFiles(match scrubbed {
            Ok(Ok(true)) => return Remains::Nothing,
            Ok(Ok(false)) => TOO_BUSY.into(),
            Ok(Err(error)) if connection::is_busy(&error) => TOO_BUSY.into(),
            Ok(Err(error)) if connection::is_full(&error) => DISK_FULL.into(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        })
    }
}

fn remove(db: &Connection, email: &str) -> rusqlite::Result<Forgotten> {
    let key = fold_address(email);
    lessons::forget(db, &key)?;
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
        remains: Remains::default(),
    })
}

/// Links, past consents, deliveries and sends go with their subscriber.
fn remove_subscriber(db: &Connection, email: &str) -> rusqlite::Result<u64> {
    let folded = fold_address(email);
    let removed = db.execute("DELETE FROM subscribers WHERE email_key = ?1", [folded])?;
    Ok(removed as u64)
}

/// On a connection of its own: `VACUUM` cannot run inside a transaction. False
/// when readers kept the journal from being emptied. The new generation tells
/// a running server that it was us who wrote into the file.
pub fn scrub(files: &Files, thoroughly: bool, patience: Duration) -> rusqlite::Result<bool> {
    let db = connection::open_writer(&files.database)?;
    let mut unfolded = Some(generation::begin(&db, None)?);
    // It copies the whole file, so only where there is something to gain.
    let left_over: i64 = db.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if thoroughly && left_over > 0 {
        // It may give other numbers to the rows, by which the index of words goes.
        db.execute_batch("VACUUM; UPDATE search_state SET searched_to = 0")?;
    }
    db.busy_timeout(AT_A_TIME)?;
    let give_up_at = Instant::now() + patience;
    while !emptied(&db, &mut unfolded)? {
        if files.journal_bytes() == 0 {
            // By the server, after all that we wrote.
            return Ok(true);
        }
        if Instant::now() >= give_up_at {
            return Ok(false);
        }
        std::thread::sleep(AT_A_TIME);
    }
    if let Some(folded) = &unfolded {
        generation::settle(&db, folded)?;
    }
    Ok(true)
}

fn emptied(db: &Connection, unfolded: &mut Option<String>) -> rusqlite::Result<bool> {
    match journal::begin_and_empty(db, unfolded, Emptied::GivenBack) {
        Err(error) if connection::is_busy(&error) => Ok(false),
        emptied => emptied,
    }
}
