//! Between rows and records: times, enums and the columns of a lead.

use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::Type;

use crate::domain::Source;
use crate::store::{Delivery, Lead};

/// The columns that [`lead`] reads, each prefixed with `contacts.`.
pub const LEAD_COLUMNS: &str = "contacts.id, contacts.name, contacts.email, contacts.phone, \
    contacts.message, contacts.form_location, contacts.created_at, contacts.hold_reason, \
    contacts.released_at, contacts.landing_path, contacts.referrer_host, contacts.utm_source, \
    contacts.utm_medium, contacts.utm_campaign, contacts.utm_term, contacts.utm_content";

/// The columns that [`delivery`] reads.
pub const DELIVERY_COLUMNS: &str = "id, contact_id, kind, state, attempts, next_attempt_at, \
    last_error, created_at, finished_at, subscriber_id";

const FIRST_SOURCE_COLUMN: usize = 9;

/// UTC with milliseconds in a fixed width: sorts as text.
pub fn stamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

pub fn lead(row: &Row<'_>) -> rusqlite::Result<Lead> {
    let mut source = [const { None }; Source::FIELDS.len()];
    for (offset, value) in source.iter_mut().enumerate() {
        *value = row.get(FIRST_SOURCE_COLUMN + offset)?;
    }
    Ok(Lead {
        id: row.get(0)?,
        name: row.get(1)?,
        email: row.get(2)?,
        phone: row.get(3)?,
        message: row.get(4)?,
        form_location: row.get(5)?,
        created_at: parsed(row, 6)?,
        hold_reason: row.get(7)?,
        released_at: parsed_if_set(row, 8)?,
        source: Source::from_values(source),
    })
}

pub fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        contact_id: row.get(1)?,
        kind: parsed(row, 2)?,
        state: parsed(row, 3)?,
        attempts: row.get(4)?,
        next_attempt_at: parsed_if_set(row, 5)?,
        last_error: row.get(6)?,
        created_at: parsed(row, 7)?,
        finished_at: parsed_if_set(row, 8)?,
        subscriber_id: row.get(9)?,
    })
}

/// A text column read as something that parses from text.
pub fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: ToString,
{
    let text: String = row.get(column)?;
    parse(&text, column)
}

pub fn parsed_if_set<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr,
    T::Err: ToString,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| parse(&text, column)).transpose()
}

fn parse<T>(text: &str, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.to_string().into())
    })
}
