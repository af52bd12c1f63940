//! Between rows and records.

use jiff::Timestamp;
use rusqlite::{Error, Row, Rows};

use super::cells::Cells;
pub use super::cells::parsed;
use crate::domain::Source;
pub use crate::store::columns::{
    CONSENT, DELIVERY_COLUMNS, LEAD_COLUMNS, PAST_CONSENT_COLUMNS, SUBSCRIBER_COLUMNS,
};
use crate::store::spam::reasons;
use crate::store::{ConsentRecord, Delivery, Lead, Read, Subscriber, Unreadable};

/// UTC with milliseconds in a fixed width: sorts as text.
pub fn stamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Passes over the rows that cannot be read.
pub fn read_all<T>(
    table: &'static str,
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Read<T>> {
    let mut all = Read::default();
    while let Some(row) = rows.next()? {
        match read(row) {
            Ok(read) => all.rows.push(read),
            Err(error) => all.unreadable.push(Unreadable {
                table,
                id: row.get("id").unwrap_or_default(),
                reason: reason(row, &error),
            }),
        }
    }
    Ok(all)
}

fn reason(row: &Row<'_>, error: &rusqlite::Error) -> String {
    let (place, what) = match error {
        Error::FromSqlConversionFailure(place, _, error) => (*place, error.to_string()),
        Error::IntegralValueOutOfRange(place, number) => (*place, number.to_string()),
        error => return error.to_string(),
    };
    let column = row.as_ref().column_name(place).unwrap_or_default();
    format!("{column}: {what}")
}

/// Not the database has failed: what it holds cannot be read, or is not there.
pub fn is_unreadable(error: &rusqlite::Error) -> bool {
    !matches!(error, Error::SqliteFailure(..))
}

pub fn lead(row: &Row<'_>) -> rusqlite::Result<Lead> {
    let cells = Cells::new(&LEAD_COLUMNS, row);
    Ok(Lead {
        id: cells.get("id")?,
        name: cells.get("name")?,
        email: cells.get("email")?,
        phone: cells.get("phone")?,
        message: cells.get("message")?,
        form_location: cells.get("form_location")?,
        created_at: cells.parsed("created_at")?,
        hold_reason: cells.get("hold_reason")?,
        released_at: cells.parsed_if_set("released_at")?,
        spam_reasons: reasons(cells.get("spam_reasons")?),
        state: cells.parsed("state")?,
        answered_at: cells.parsed_if_set("answered_at")?,
        note: cells.get("note")?,
        source: source(&cells)?,
    })
}

fn source(cells: &Cells<'_>) -> rusqlite::Result<Source> {
    let mut values = [const { None }; Source::FIELDS.len()];
    for (value, name) in values.iter_mut().zip(Source::FIELDS) {
        *value = cells.get(name)?;
    }
    Ok(Source::from_values(values))
}

pub fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    let cells = Cells::new(&DELIVERY_COLUMNS, row);
    Ok(Delivery {
        id: cells.get("id")?,
        contact_id: cells.get("contact_id")?,
        subscriber_id: cells.get("subscriber_id")?,
        kind: cells.parsed("kind")?,
        state: cells.parsed("state")?,
        attempts: cells.get("attempts")?,
        next_attempt_at: cells.parsed_if_set("next_attempt_at")?,
        last_error: cells.get("last_error")?,
        created_at: cells.parsed("created_at")?,
        finished_at: cells.parsed_if_set("finished_at")?,
        person: row.get("person")?,
    })
}

pub fn subscriber(row: &Row<'_>) -> rusqlite::Result<Subscriber> {
    let cells = Cells::new(&SUBSCRIBER_COLUMNS, row);
    Ok(Subscriber {
        id: cells.get("id")?,
        email: cells.get("email")?,
        state: cells.parsed("state")?,
        hold_reason: cells.get("hold_reason")?,
        invited_at: cells.parsed_if_set("invited_at")?,
        refused_code: cells.get("refused_code")?,
        refused_at: cells.parsed_if_set("refused_at")?,
        suspended_at: cells.parsed_if_set("suspended_at")?,
        consent: consent(&cells)?,
    })
}

pub fn past_consent(row: &Row<'_>) -> rusqlite::Result<ConsentRecord> {
    consent(&Cells::new(&PAST_CONSENT_COLUMNS, row))
}

fn consent(cells: &Cells<'_>) -> rusqlite::Result<ConsentRecord> {
    Ok(ConsentRecord {
        created_at: cells.parsed("created_at")?,
        page: cells.get("page")?,
        consent_version: cells.get("consent_version")?,
        consent_text: cells.get("consent_text")?,
        confirmed_at: cells.parsed_if_set("confirmed_at")?,
        unsubscribed_at: cells.parsed_if_set("unsubscribed_at")?,
        import_file: cells.get("import_file")?,
        import_source: cells.get("import_source")?,
    })
}
