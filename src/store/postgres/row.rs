//! Between rows and records.

use std::sync::LazyLock;

use tokio_postgres::Row;

use super::ask::parsed;
use crate::domain::Source;
use crate::store::columns::LEAD_COLUMNS;
use crate::store::spam::reasons;
use crate::store::{Delivery, Lead, Read, Result, StoreError, Unreadable};

/// As a query names the columns of a lead, whose id may be of any kind.
pub static LEAD: LazyLock<String> = LazyLock::new(|| {
    let table = LEAD_COLUMNS.table;
    let names = LEAD_COLUMNS.names.iter().map(|name| match *name {
        "id" => format!("{table}.id::text"),
        name => format!("{table}.{name}"),
    });
    names.collect::<Vec<_>>().join(", ")
});

/// Passes over the rows that cannot be read.
pub fn read_all<T>(table: &'static str, rows: &[Row], read: fn(&Row) -> Result<T>) -> Read<T> {
    let mut all = Read::default();
    for row in rows {
        match read(row) {
            Ok(read) => all.rows.push(read),
            Err(error) => all.unreadable.push(unreadable(table, "id", row, &error)),
        }
    }
    all
}

/// `id` is the name of the column that has it.
pub fn unreadable(table: &'static str, id: &str, row: &Row, error: &StoreError) -> Unreadable {
    Unreadable {
        table,
        id: row.try_get(id).unwrap_or_default(),
        reason: match error {
            StoreError::Unavailable(reason) => reason.clone(),
            error => error.to_string(),
        },
    }
}

pub fn lead(row: &Row) -> Result<Lead> {
    Ok(Lead {
        id: row.try_get("id")?,
        name: words(row, "name")?,
        email: words(row, "email")?,
        phone: row.try_get("phone")?,
        message: words(row, "message")?,
        form_location: words(row, "form_location")?,
        created_at: row.try_get("created_at")?,
        hold_reason: row.try_get("hold_reason")?,
        released_at: row.try_get("released_at")?,
        spam_reasons: reasons(row.try_get("spam_reasons")?),
        state: parsed(row, "state")?,
        answered_at: row.try_get("answered_at")?,
        note: row.try_get("note")?,
        source: source(row)?,
    })
}

/// A table that was there before us may have rows without them.
pub fn words(row: &Row, column: &str) -> Result<String> {
    let words: Option<String> = row.try_get(column)?;
    Ok(words.unwrap_or_default())
}

fn source(row: &Row) -> Result<Source> {
    let mut values = [const { None }; Source::FIELDS.len()];
    for (value, name) in values.iter_mut().zip(Source::FIELDS) {
        *value = row.try_get(name)?;
    }
    Ok(Source::from_values(values))
}

pub fn delivery(row: &Row) -> Result<Delivery> {
    Ok(Delivery {
        id: row.try_get("id")?,
        contact_id: row.try_get("contact_id")?,
        subscriber_id: row.try_get("subscriber_id")?,
        kind: parsed(row, "kind")?,
        state: parsed(row, "state")?,
        attempts: attempts(row)?,
        next_attempt_at: row.try_get("next_attempt_at")?,
        last_error: row.try_get("last_error")?,
        created_at: row.try_get("created_at")?,
        finished_at: row.try_get("finished_at")?,
        person: row.try_get("person")?,
    })
}

pub fn attempts(row: &Row) -> Result<u32> {
    let count: i32 = row.try_get("attempts")?;
    let number = u32::try_from(count);
    number.map_err(|_| StoreError::Unavailable(format!("attempts: {count}")))
}
