//! A form without JavaScript that was sent twice.
//!
//! Its pages are static, so they cannot carry a key of their own. The same
//! words in every field, from the same address, within a minute, are one lead.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row::stamp;
use crate::domain::fold_address;
use crate::store::NewLead;

const WITHIN: Duration = Duration::from_secs(60);

/// The id of the lead that this one repeats.
pub fn first(db: &Connection, lead: &NewLead, now: Timestamp) -> rusqlite::Result<Option<String>> {
    if lead.idempotency_key.is_some() {
        return Ok(None);
    }
    let since = stamp(now.saturating_sub(WITHIN).unwrap_or(now));
    let contact = &lead.contact;
    let email = contact.email.as_str();
    let mut query = db.prepare_cached(
        "SELECT id FROM contacts
        WHERE email_key = ?1 AND created_at > ?2 AND idempotency_key IS NULL
            AND email = ?3 AND name = ?4 AND phone IS ?5 AND message = ?6 AND form_location = ?7
        ORDER BY created_at LIMIT 1",
    )?;
    let values = params![
        fold_address(email),
        since,
        email,
        contact.name.as_str(),
        contact.phone.as_ref().map(|phone| phone.as_str()),
        contact.message.as_str(),
        contact.form_location.as_str(),
    ];
    query.query_row(values, |row| row.get(0)).optional()
}
