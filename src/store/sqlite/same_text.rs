//! The same text from other senders.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::recent::last;
use crate::store::NewLead;
use crate::store::spam::{MOST_READ, SAME_TEXT_WITHIN};

/// How many others sent it lately.
pub fn others(
    db: &Connection,
    lead: &NewLead,
    email_key: &str,
    now: Timestamp,
) -> rusqlite::Result<u32> {
    let Some(text_key) = &lead.spam.fingerprint else {
        return Ok(0);
    };
    let (since, until) = last(SAME_TEXT_WITHIN, now);
    let mut query = db.prepare_cached(
        "SELECT email_key FROM contacts
        WHERE text_key = ?1 AND created_at > ?2 AND created_at <= ?3
        ORDER BY created_at DESC LIMIT ?4",
    )?;
    let values = params![text_key, since, until, MOST_READ];
    let found = query.query_map(values, |row| row.get::<_, String>(0))?;
    let mut senders: HashSet<String> = found.collect::<rusqlite::Result<_>>()?;
    senders.remove(email_key);
    Ok(u32::try_from(senders.len()).unwrap_or(u32::MAX))
}
