//! Finds all data about one person, in every table, and deletes it so that none of it remains in
//! the files.

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};

use super::sqlite::checkpoint;
use super::sqlite_file::{self as file, Files, Generation};
use super::tx::{Row, Tx, Value, args};
use super::{Database, Result, Store, queue, spam};
use crate::domain::email_key;

/// How long scrubbing waits for readers.
const SCRUB_LIMIT: Duration = Duration::from_secs(8);
/// The timeout of one attempt; short, because other processes can't write meanwhile.
const SCRUB_TRY: Duration = Duration::from_millis(200);

/// A stored row, by column name.
pub type Record = Map<String, Json>;

/// Every table with data about a person, and the condition for their rows; `$1` is the key of their
/// address. `forget` deletes all of these rows.
const TABLES: [(&str, &str); 10] = [
    ("contacts", "email_key = $1"),
    ("contact_changes", "contact_id IN {leads}"),
    ("reply_drafts", "contact_id IN {leads}"),
    ("replies", "contact_id IN {leads}"),
    ("bookings", "contact_id IN {leads}"),
    (
        "deliveries",
        "contact_id IN {leads} OR subscriber_id IN {subs}",
    ),
    ("subscribers", "email_key = $1"),
    ("past_consents", "subscriber_id IN {subs}"),
    ("mail_links", "subscriber_id IN {subs}"),
    ("newsletter_sends", "subscriber_id IN {subs}"),
];

/// What remains of deleted data in the database's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Residue {
    /// None: everything is overwritten.
    #[default]
    None,
    /// Some may still be readable, with the reason; a retry may succeed.
    InFiles(String),
    /// Old row versions remain until the database server's next `VACUUM`.
    UntilVacuum,
}

/// The number of deleted records about a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub contacts: u64,
    pub deliveries: u64,
    pub subscribers: u64,
    pub remains: Residue,
}

impl Store {
    /// Looks up the address in any spelling; returns the tables that have data, with every column
    /// of every row.
    pub async fn person(&self, email: &str) -> Result<Vec<(&'static str, Vec<Record>)>> {
        let key = email_key(email);
        self.read(move |tx| {
            let mut found = Vec::new();
            for (table, rows) in TABLES {
                let ids_in = |table| format!("(SELECT id FROM {table} WHERE email_key = $1)");
                let condition = rows.replace("{leads}", &ids_in("contacts"));
                let condition = condition.replace("{subs}", &ids_in("subscribers"));
                let sql = format!("SELECT {table}.* FROM {table} WHERE {condition}");
                let rows = tx.query(&sql, args![&key])?;
                if !rows.is_empty() {
                    found.push((table, rows.into_iter().map(record).collect()));
                }
            }
            Ok(found)
        })
        .await
    }

    /// Deletes all data about the person with this address and overwrites it in our files.
    pub async fn forget(&self, email: &str) -> Result<Forgotten> {
        let key = email_key(email);
        let removed = self.write(move |tx| remove(tx, &key)).await?;
        Ok(Forgotten {
            remains: self.scrub().await,
            ..removed
        })
    }

    /// Deletes a subscriber with all proof of consent and overwrites it in our files.
    pub async fn remove_subscriber(&self, email: &str) -> Result<Forgotten> {
        let key = email_key(email);
        let subscribers = self.write(move |tx| remove_subscriber(tx, &key)).await?;
        Ok(Forgotten {
            subscribers,
            remains: self.scrub().await,
            ..Forgotten::default()
        })
    }

    /// Overwrites deleted rows in our files. SQLite overwrites them in the database
    /// (`secure_delete`); the journal (WAL) has to be emptied.
    pub async fn scrub(&self) -> Residue {
        let files = match self.database() {
            Database::Sqlite(database) => database.files.clone(),
            // Only the database server can overwrite its files.
            Database::Postgres(_) => return Residue::UntilVacuum,
        };
        match queue::on_thread(move || scrub(&files)).await {
            Ok(true) => Residue::None,
            Ok(false) => Residue::InFiles("the database was too busy".into()),
            Err(error) => Residue::InFiles(error.to_string()),
        }
    }
}

/// Formats times alike for both databases.
fn record(row: Row) -> Record {
    let json = |value| match value {
        Value::Null => Json::Null,
        Value::Int(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => String::from_utf8_lossy(&bytes).into(),
        Value::Time(time) => super::tx::stamp(time).into(),
    };
    let columns = row.columns.iter().cloned();
    columns.zip(row.cells.into_iter().map(json)).collect()
}

fn remove(tx: &mut Tx<'_>, key: &str) -> Result<Forgotten> {
    spam::forget(tx, key)?;
    // Locks the leads first, as `act_on_lead` does, to avoid a deadlock.
    let sql = "SELECT id FROM contacts WHERE email_key = $1 ORDER BY id {for_update}";
    tx.query(sql, args![key])?;
    let sql = "DELETE FROM deliveries WHERE contact_id IN
        (SELECT id FROM contacts WHERE email_key = $1)";
    let deliveries = tx.execute(sql, args![key])?;
    Ok(Forgotten {
        deliveries,
        contacts: tx.execute("DELETE FROM contacts WHERE email_key = $1", args![key])?,
        subscribers: remove_subscriber(tx, key)?,
        remains: Residue::default(),
    })
}

/// The foreign keys delete links, past consents, deliveries and sends.
fn remove_subscriber(tx: &mut Tx<'_>, key: &str) -> Result<u64> {
    tx.execute("DELETE FROM subscribers WHERE email_key = $1", args![key])
}

/// Returns false if readers kept the journal from being emptied. The new generation tells a running
/// server that one of our commands wrote to the file.
fn scrub(files: &Files) -> Result<bool> {
    let db = file::open_writer(&files.database)?;
    db.busy_timeout(SCRUB_TRY)?;
    let mut begun = Some(Generation::begin(&db, None)?);
    let give_up_at = Instant::now() + SCRUB_LIMIT;
    loop {
        match checkpoint(&db, &mut begun, true) {
            Ok(true) => break,
            Err(error) if !file::is_busy(&error) => return Err(error.into()),
            // The server may have checkpointed everything that we wrote.
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
