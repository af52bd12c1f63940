//! Tables, lists of columns and records agree with each other.

use rusqlite::{Connection, params_from_iter};

use super::*;
use crate::content::Field;
use crate::store::sqlite::{migrate, row};
use crate::store::{
    Channel, DeliveryState, Lead, LeadState, LinkPurpose, ScheduleState, SendState, SubscriberState,
};

fn database() -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    migrate::run(&mut db).unwrap();
    db
}

/// A lead with these words in its fields, through the store's own hands.
pub fn lead_with(typed: &[(&Field, String)]) -> Lead {
    let db = database();
    let mut row: Vec<(&str, &dyn ToSql)> =
        vec![("id", &"1"), ("created_at", &"2026-03-01T12:00:00Z")];
    row.extend(typed.iter().map(|(field, words)| (field.name, words as _)));
    let values = params_from_iter(row.iter().map(|(_, value)| *value));
    db.execute(&insert("contacts", &row), values).unwrap();
    let sql = format!("SELECT {} FROM contacts", row::LEAD_COLUMNS);
    db.query_row(&sql, [], row::lead).unwrap()
}

fn columns_of(db: &Connection, table: &str) -> Vec<String> {
    let mut query = db
        .prepare("SELECT name FROM pragma_table_info(?1)")
        .unwrap();
    let names = query.query_map([table], |row| row.get(0)).unwrap();
    names.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn every_column_with_a_visitors_words_is_read_and_shown() {
    // What the store needs for itself; all else is the visitor's or the owner's to see.
    let inner = [
        "idempotency_key",
        "email_key",
        "text_key",
        "spam_lesson",
        "reminded_at",
        "request_id",
    ];
    let (lead, _) = Lead::with_every_field();
    let shown = lead.facts();
    let mut names = vec![shown.id.name, shown.received.name, shown.form.name];
    names.extend(
        shown
            .typed
            .iter()
            .chain(&shown.held)
            .chain(&shown.owners)
            .chain(&shown.source)
            .map(|fact| fact.name),
    );
    for column in columns_of(&database(), "contacts") {
        let is_read = row::LEAD_COLUMNS.names.contains(&column.as_str());
        let is_shown = names.contains(&column.as_str());
        let is_inner = inner.contains(&column.as_str());
        assert_eq!((is_read, is_shown), (!is_inner, !is_inner), "{column}");
    }
}

#[test]
fn a_column_that_is_not_in_the_list_is_an_error_with_its_name() {
    let missing = database().query_row("SELECT 1", [], |found| {
        Cells::new(&row::LEAD_COLUMNS, found).get::<String>("surname")
    });
    assert_eq!(
        missing,
        Err(rusqlite::Error::InvalidColumnName("surname".into()))
    );
}

#[test]
fn the_tables_take_exactly_the_words_of_the_enums() {
    let db = database();
    let words = |all: &[&str]| format!("IN ('{}')", all.join("', '"));
    fn texts<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().map(|each| word(*each)).collect()
    }
    for (table, known) in [
        ("contacts", texts(LeadState::ALL, LeadState::as_str)),
        (
            "deliveries",
            texts(DeliveryState::ALL, DeliveryState::as_str),
        ),
        (
            "subscribers",
            texts(SubscriberState::ALL, SubscriberState::as_str),
        ),
        ("mail_links", texts(LinkPurpose::ALL, LinkPurpose::as_str)),
        ("newsletter_sends", texts(SendState::ALL, SendState::as_str)),
        (
            "newsletter_schedules",
            texts(ScheduleState::ALL, ScheduleState::as_str),
        ),
        ("channels", texts(Channel::ALL, Channel::as_str)),
    ] {
        let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
        let made: String = db.query_row(sql, [table], |row| row.get(0)).unwrap();
        assert!(
            made.contains(&words(&known)),
            "{known:?} are not in:\n{made}"
        );
    }
}
