//! Between rows and records.

use std::sync::LazyLock;

use jiff::Timestamp;
use rusqlite::Row;

pub use super::columns::parsed;
use super::columns::{Cells, Columns};
use crate::content::Fields;
use crate::domain::Source;
use crate::store::{ConsentRecord, Delivery, Lead, Subscriber};

pub static LEAD_COLUMNS: Columns = Columns {
    table: "contacts",
    names: LazyLock::new(|| {
        let ours = ["form_location", "created_at", "hold_reason", "released_at"];
        [&["id"], Fields::NAMES, &ours, &Source::FIELDS].concat()
    }),
};

pub static DELIVERY_COLUMNS: Columns = Columns {
    table: "deliveries",
    names: LazyLock::new(|| {
        let what = ["id", "contact_id", "subscriber_id", "kind", "state"];
        let tries = ["attempts", "next_attempt_at", "last_error"];
        [&what[..], &tries, &["created_at", "finished_at"]].concat()
    }),
};

/// A consent, present or past.
pub const CONSENT: [&str; 6] = [
    "created_at",
    "page",
    "consent_version",
    "consent_text",
    "confirmed_at",
    "unsubscribed_at",
];

pub static PAST_CONSENT_COLUMNS: Columns = Columns {
    table: "past_consents",
    names: LazyLock::new(|| CONSENT.to_vec()),
};

pub static SUBSCRIBER_COLUMNS: Columns = Columns {
    table: "subscribers",
    names: LazyLock::new(|| {
        let own = ["id", "email", "state", "hold_reason", "invited_at"];
        [&own[..], &CONSENT].concat()
    }),
};

/// UTC with milliseconds in a fixed width: sorts as text.
pub fn stamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

pub fn lead(row: &Row<'_>) -> rusqlite::Result<Lead> {
    let cells = LEAD_COLUMNS.of(row);
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
    let cells = DELIVERY_COLUMNS.of(row);
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
    })
}

pub fn subscriber(row: &Row<'_>) -> rusqlite::Result<Subscriber> {
    let cells = SUBSCRIBER_COLUMNS.of(row);
    Ok(Subscriber {
        id: cells.get("id")?,
        email: cells.get("email")?,
        state: cells.parsed("state")?,
        hold_reason: cells.get("hold_reason")?,
        invited_at: cells.parsed_if_set("invited_at")?,
        consent: consent(&cells)?,
    })
}

pub fn past_consent(row: &Row<'_>) -> rusqlite::Result<ConsentRecord> {
    consent(&PAST_CONSENT_COLUMNS.of(row))
}

fn consent(cells: &Cells<'_>) -> rusqlite::Result<ConsentRecord> {
    Ok(ConsentRecord {
        created_at: cells.parsed("created_at")?,
        page: cells.get("page")?,
        consent_version: cells.get("consent_version")?,
        consent_text: cells.get("consent_text")?,
        confirmed_at: cells.parsed_if_set("confirmed_at")?,
        unsubscribed_at: cells.parsed_if_set("unsubscribed_at")?,
    })
}
