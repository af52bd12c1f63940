//! A form without JavaScript that was sent twice.
//!
//! Its pages are static, so they cannot carry a key of their own. The same
//! words in every field, from the same address, within a minute, are one lead.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::recent::last;
use crate::store::NewLead;

const WITHIN: Duration = Duration::from_secs(60);

/// The id of the lead that this one repeats.
pub fn first(
    db: &Connection,
    lead: &NewLead,
    email_key: &str,
    now: Timestamp,
) -> rusqlite::Result<Option<String>> {
    if lead.idempotency_key.is_some() {
        return Ok(None);
    }
    let (since, until) = last(WITHIN, now);
    let contact = &lead.contact;
    let email = contact.email.as_str();
    let mut query = db.prepare_cached(
        "SELECT id FROM contacts
        WHERE email_key = ?1 AND created_at > ?2 AND created_at <= ?3
            AND idempotency_key IS NULL
            AND email = ?4 AND name = ?5 AND phone IS ?6 AND message = ?7 AND form_location = ?8
        ORDER BY created_at LIMIT 1",
    )?;
    let values = params![
        email_key,
        since,
        until,
        email,
        contact.name.as_str(),
        contact.phone.as_ref().map(|phone| phone.as_str()),
        contact.message.as_str(),
        contact.form_location.as_str(),
    ];
    query.query_row(values, |row| row.get(0)).optional()
}
