//! Searching leads by their words.
//!
//! The index is filled when somebody searches: to do so for each lead as it
//! comes in would make visitors wait. A lead that is removed takes its words
//! out by a trigger, whoever removes it.

use rusqlite::{Connection, params};

use super::Sqlite;
use crate::domain::SearchWords;
use crate::store::Result;

/// In one transaction: visitors wait for it.
const AT_ONCE: i64 = 200;

/// Found by its words, then read.
pub const FROM: &str = "lead_words
    CROSS JOIN searched_leads ON searched_leads.number = lead_words.rowid
    CROSS JOIN contacts ON contacts.id = searched_leads.contact_id";

/// In the order in which they were stored, which takes no sorting.
pub const LATEST_FIRST: &str = "lead_words.rowid DESC";

/// Every word must begin one of the lead's.
pub fn expression(words: &SearchWords) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"*")).collect();
    words.join(" AND ")
}

impl Sqlite {
    /// All leads that are stored by now can be found.
    pub async fn index_words(&self) -> Result<()> {
        let some_are_left = "SELECT EXISTS (SELECT 1 FROM contacts
            WHERE rowid > (SELECT searched_to FROM search_state))";
        let look = |db: &Connection| {
            let mut query = db.prepare_cached(some_are_left)?;
            query.query_row([], |row| row.get(0))
        };
        if self.readers.run(look).await? {
            while self.writer.run(index_some).await? {}
        }
        Ok(())
    }
}

/// False when none are left.
fn index_some(db: &Connection) -> rusqlite::Result<bool> {
    let mut query = db.prepare_cached(
        "SELECT rowid, id, name, email, message FROM contacts
        WHERE rowid > (SELECT searched_to FROM search_state) ORDER BY rowid LIMIT ?1",
    )?;
    // A row may come by again; one that has its number is in already.
    let mut number = db.prepare_cached(
        "INSERT INTO searched_leads (contact_id) VALUES (?1) ON CONFLICT DO NOTHING",
    )?;
    let mut add = db.prepare_cached(
        "INSERT INTO lead_words (rowid, name, email, message) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let (mut rows, mut last, mut found) = (query.query([AT_ONCE])?, 0_i64, 0);
    while let Some(row) = rows.next()? {
        let [id, name, email, message] = [1, 2, 3, 4].map(|column| row.get::<_, String>(column));
        if number.execute([id?])? > 0 {
            add.execute(params![db.last_insert_rowid(), name?, email?, message?])?;
        }
        (last, found) = (row.get(0)?, found + 1);
    }
    if found > 0 {
        let mut note = db.prepare_cached("UPDATE search_state SET searched_to = ?1")?;
        note.execute([last])?;
    }
    Ok(found == AT_ONCE)
}
