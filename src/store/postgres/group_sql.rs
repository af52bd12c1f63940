//! The statement that stores a group of leads with all that belongs to them.
//!
//! Its values are the present, one array for each column, and for the
//! deliveries an array of rows (from 1), ids and kinds. What it reads was
//! committed before it began, by whoever had the turn before.

use super::addresses::are_of;
use super::held_notices;
use super::ids::IdKind;
use super::recent::{NOW, last, with_present};
use super::repeats;
use crate::store::AUTO_REPLY_PAUSE;

/// The leads that were first with these keys, ours or another's.
pub const BY_KEY: &str = "SELECT idempotency_key, id::text FROM contacts
    WHERE idempotency_key = ANY($1)";

/// Answers with the row, the lead's id and whether it is new. Where it says
/// nothing of a row, its key was known.
pub fn store(ids: IdKind, names: &[&str]) -> String {
    let present = with_present();
    let last = names.len() + 1;
    let columns: Vec<_> = (2..=last).map(|place| format!("${place}")).collect();
    let (columns, names_of_new) = (columns.join(", "), names.join(", "));
    let [once, rows, delivery_ids, kinds, notice] = std::array::from_fn(|n| last + 1 + n);
    let (known, contacts) = (repeats::known(), insert_contacts(ids, names));
    let same_row = match ids {
        IdKind::Integer => "true",
        _ => "stored.id = new.id",
    };
    let (replies, deliveries) = (replies(), deliveries(notice));
    format!(
        "{present},
        new AS MATERIALIZED (
            SELECT * FROM unnest({columns}, ${once})
                WITH ORDINALITY AS new ({names_of_new}, once, row)),
        known AS MATERIALIZED (
            SELECT new.row, ({known}) AS id FROM new WHERE new.once),
        stored AS ({contacts}),
        created AS MATERIALIZED (
            SELECT new.row, stored.id, new.email_key, new.hold_reason IS NOT NULL AS held
            FROM stored JOIN new ON {same_row}),
        wanted AS MATERIALIZED (
            SELECT wanted.id, wanted.kind, created.row, created.id AS contact_id, email_key, held
            FROM unnest(${rows}, ${delivery_ids}, ${kinds}) AS wanted (row, id, kind)
                JOIN created ON created.row = wanted.row),
        replies AS MATERIALIZED ({replies}),
        sent AS ({deliveries})
        SELECT row, id, true AS created FROM created
        UNION ALL SELECT row, id, false FROM known WHERE id IS NOT NULL"
    )
}

/// In the order of their keys: two groups that have some in common wait for
/// each other in no circle.
fn insert_contacts(ids: IdKind, names: &[&str]) -> String {
    let given = names
        .iter()
        .filter(|name| **name != "id" || ids != IdKind::Integer);
    let given: Vec<_> = given.copied().collect();
    let values = given.iter().map(|name| match *name {
        "id" => format!("new.id{}", ids.cast()),
        name => format!("new.{name}"),
    });
    let (values, given): (Vec<_>, _) = (values.collect(), given.join(", "));
    let values = values.join(", ");
    format!(
        "INSERT INTO contacts ({given}, created_at)
        SELECT {values}, {NOW} FROM new
        WHERE new.row NOT IN (SELECT row FROM known WHERE id IS NOT NULL)
        ORDER BY new.idempotency_key, new.row
        ON CONFLICT (idempotency_key) DO NOTHING
        RETURNING contacts.id::text AS id"
    )
}

/// The automatic replies that may go out: one for each address, and none if it
/// had one lately.
fn replies() -> String {
    let theirs = are_of("first.email_key");
    let lately = last(AUTO_REPLY_PAUSE, "deliveries.created_at");
    format!(
        "SELECT first.id FROM (
            SELECT DISTINCT ON (email_key) id, email_key FROM wanted
            WHERE kind = 'auto_reply' ORDER BY email_key, row) AS first
        WHERE NOT (SELECT EXISTS (SELECT FROM contacts
            JOIN deliveries ON deliveries.contact_id = contacts.id::text
            WHERE {theirs} AND deliveries.kind = 'auto_reply' AND {lately}))"
    )
}

/// Those of held leads wait; one notice tells of all that are held now.
fn deliveries(notice: usize) -> String {
    let (waits, due) = (held_notices::waits(), held_notices::due());
    format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
        SELECT id, contact_id, kind, CASE WHEN held THEN 'held' ELSE 'pending' END,
            CASE WHEN NOT held THEN {NOW} END, {NOW}
        FROM wanted WHERE kind <> 'auto_reply' OR id IN (SELECT id FROM replies)
        UNION ALL
        SELECT ${notice}, contact_id, 'held_notice', 'pending', {due}, {NOW}
        FROM (SELECT contact_id FROM wanted WHERE held AND kind = 'notify'
            ORDER BY row LIMIT 1) AS first
        WHERE NOT EXISTS (SELECT FROM deliveries WHERE {waits})"
    )
}
