//! A form without JavaScript that was sent twice.
//!
//! Its pages are static, so they cannot carry a key of their own. The same
//! words in every field, from the same address, within a minute, are one lead.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, ToSql};

use super::recent::last;
use crate::store::{NewLead, SAME_WORDS_WITHIN};

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
    let (since, until) = last(SAME_WORDS_WITHIN, now);
    let location = lead.contact.form_location.as_str();
    let typed: Vec<_> = lead.contact.typed().collect();
    let mut values: Vec<&dyn ToSql> = vec![&email_key, &since, &until, &location];
    values.extend(typed.iter().map(|(_, value)| value as &dyn ToSql));
    let same: String = typed
        .iter()
        .map(|(field, _)| format!(" AND {} IS ?", field.name))
        .collect();
    let mut query = db.prepare_cached(&format!(
        "SELECT id FROM contacts
        WHERE email_key = ? AND created_at > ? AND created_at <= ? AND idempotency_key IS NULL
            AND form_location = ?{same}
        ORDER BY created_at LIMIT 1"
    ))?;
    query
        .query_row(values.as_slice(), |row| row.get(0))
        .optional()
}
