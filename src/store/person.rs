//! All that is held about one person, in whichever table, and removing it so
//! that nothing of it stays in the files.

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};

use super::sqlite::checkpoint;
use super::sqlite_file::{self as file, DISK_FULL, Files, Generation};
use super::tx::{Row, Tx, Value, args};
use super::{Database, Result, Store, queue, spam};
use crate::domain::fold_address;

/// How long removing waits for readers.
const SCRUB_LIMIT: Duration = Duration::from_secs(8);
/// Short: meanwhile nobody can write.
const SCRUB_TRY: Duration = Duration::from_millis(200);
const TOO_BUSY: &str = "the database was too busy";

/// A row as it is stored, by the names of its columns.
pub type Record = Map<String, Json>;

/// Every table that says something about a person, and which of its rows do:
/// `$1` is the key of their address. What is here, `forget` removes.
const TABLES: [(&str, &str); 7] = [
    ("contacts", "email_key = $1"),
    ("contact_changes", "contact_id IN {leads}"),
    (
        "deliveries",
        "contact_id IN {leads} OR subscriber_id IN {subs}",
    ),
    ("subscribers", "email_key = $1"),
    ("past_consents", "subscriber_id IN {subs}"),
    ("mail_links", "subscriber_id IN {subs}"),
    ("newsletter_sends", "subscriber_id IN {subs}"),
];

/// What is left of removed words where the database keeps its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Remains {
    /// They are overwritten in its files.
    #[default]
    Nothing,
    /// They are not, and why: it can be tried again.
    InFiles(String),
    /// Old versions of rows, until the database server's next `VACUUM`.
    UntilVacuum,
}

/// What was removed about a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub contacts: u64,
    pub deliveries: u64,
    pub subscribers: u64,
    pub remains: Remains,
}

impl Store {
    /// By the address in any spelling: the tables in which there is something,
    /// and every column of every row.
    pub async fn person(&self, email: &str) -> Result<Vec<(&'static str, Vec<Record>)>> {
        let key = fold_address(email);
        self.read(move |tx| {
            let mut found = Vec::new();
            for (table, rows) in TABLES {
                let of = |table| format!("(SELECT id FROM {table} WHERE email_key = $1)");
                let theirs = rows.replace("{leads}", &of("contacts"));
                let theirs = theirs.replace("{subs}", &of("subscribers"));
                let sql = format!("SELECT {table}.* FROM {table} WHERE {theirs}");
                let rows = tx.query(&sql, args![&key])?;
                if !rows.is_empty() {
                    found.push((table, rows.into_iter().map(record).collect()));
                }
            }
            Ok(found)
        })
        .await
    }

    /// Removes everything about the person with this address, and overwrites it in
    /// the files that are ours.
    pub async fn forget(&self, email: &str) -> Result<Forgotten> {
        let key = fold_address(email);
        let removed = self.write(move |tx| remove(tx, &key)).await?;
        Ok(Forgotten {
            remains: self.scrub().await,
            ..removed
        })
    }

    /// Removes the leads with this address, which are nobody's: what stays of them
    /// in files need not be overwritten.
    pub async fn remove_leads(&self, email: &str) -> Result<()> {
        let key = fold_address(email);
        self.write(move |tx| remove(tx, &key)).await.map(drop)
    }

    /// Removes a subscriber with all proof, and overwrites it in the files that
    /// are ours.
    pub async fn remove_subscriber(&self, email: &str) -> Result<Forgotten> {
        let key = fold_address(email);
        let subscribers = self.write(move |tx| remove_subscriber(tx, &key)).await?;
        Ok(Forgotten {
            subscribers,
            remains: self.scrub().await,
            ..Forgotten::default()
        })
    }

    /// Overwrites removed rows in the files that are ours. SQLite overwrites them
    /// in the file's pages (`secure_delete`); the journal has to be emptied.
    pub async fn scrub(&self) -> Remains {
        let files = match self.database() {
            Database::Sqlite(database) => database.files.clone(),
            // The server's files are its own to overwrite.
            Database::Postgres(_) => return Remains::UntilVacuum,
        };
        let scrubbed = queue::on_thread(move || Ok(scrub(&files))).await;
        Remains::InFiles(match scrubbed {
            Ok(Ok(true)) => return Remains::Nothing,
            Ok(Ok(false)) => TOO_BUSY.into(),
            Ok(Err(error)) if file::is_busy(&error) => TOO_BUSY.into(),
            Ok(Err(error)) if file::is_full(&error) => DISK_FULL.into(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        })
    }
}

/// Times are written alike on both databases.
fn record(row: Row) -> Record {
    let columns = row.columns().to_vec();
    let json = |value| match value {
        Value::Null => Json::Null,
        Value::Int(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => String::from_utf8_lossy(&bytes).into(),
        Value::Time(time) => super::tx::stamp(time).into(),
    };
    columns
        .into_iter()
        .zip(row.into_cells().into_iter().map(json))
        .collect()
}

fn remove(tx: &mut Tx<'_>, key: &str) -> Result<Forgotten> {
    spam::forget(tx, key)?;
    // Locks the leads first, as `unhold` does, so that the two can't deadlock.
    let sql = "SELECT id FROM contacts WHERE email_key = $1 ORDER BY id {for_update}";
    tx.query(sql, args![key])?;
    let sql = "DELETE FROM deliveries WHERE contact_id IN
        (SELECT id FROM contacts WHERE email_key = $1)";
    let deliveries = tx.execute(sql, args![key])?;
    Ok(Forgotten {
        deliveries,
        contacts: tx.execute("DELETE FROM contacts WHERE email_key = $1", args![key])?,
        subscribers: remove_subscriber(tx, key)?,
        remains: Remains::default(),
    })
}

/// Links, past consents, deliveries and sends go with their subscriber.
fn remove_subscriber(tx: &mut Tx<'_>, key: &str) -> Result<u64> {
    tx.execute("DELETE FROM subscribers WHERE email_key = $1", args![key])
}

/// False when readers kept the journal from being emptied. The new generation
/// tells a running server that it was us who wrote into the file.
fn scrub(files: &Files) -> rusqlite::Result<bool> {
    let db = file::open_writer(&files.database)?;
    db.busy_timeout(SCRUB_TRY)?;
    let mut begun = Some(Generation::begin(&db, None)?);
    let give_up_at = Instant::now() + SCRUB_LIMIT;
    loop {
        match checkpoint(&db, &mut begun, true) {
            Ok(true) => break,
            Err(error) if !file::is_busy(&error) => return Err(error),
            // The server may have done it, after all that we wrote.
            _ if files.journal_bytes() == 0 => return Ok(true),
            _ if Instant::now() >= give_up_at => return Ok(false),
            _ => std::thread::sleep(SCRUB_TRY),
        }
    }
    if let Some(name) = &begun {
        Generation::finish(&db, name)?;
    }
    Ok(true)
}
