//! All that is held about one person, in whichever table.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::moving::table::is_time;
use super::{Result, Store, on_engine};
use crate::domain::fold_address;

/// A row as it is stored, by the names of its columns.
pub type Record = Map<String, Value>;

/// Every table that says something about a person, and which of its rows do:
/// `{leads}` are theirs among `contacts`, `$1` is the key of their address. What
/// is here, `forget` removes.
pub(super) const TABLES: [(&str, &str); 7] = [
    ("contacts", "{leads}"),
    ("contact_changes", "contact_id IN ({their_leads})"),
    (
        "deliveries",
        "contact_id IN ({their_leads}) OR subscriber_id IN ({their_subscriptions})",
    ),
    ("subscribers", "email_key = $1"),
    ("past_consents", "subscriber_id IN ({their_subscriptions})"),
    ("mail_links", "subscriber_id IN ({their_subscriptions})"),
    (
        "newsletter_sends",
        "subscriber_id IN ({their_subscriptions})",
    ),
];

/// Which rows of a table are theirs; `leads` says which leads are.
pub(super) fn theirs(rows: &str, leads: &str) -> String {
    rows.replace(
        "{their_leads}",
        "SELECT CAST(id AS text) FROM contacts WHERE {leads}",
    )
    .replace(
        "{their_subscriptions}",
        "SELECT id FROM subscribers WHERE email_key = $1",
    )
    .replace("{leads}", leads)
}

impl Store {
    /// By the address in any spelling: the tables in which there is something,
    /// and every column of every row.
    pub async fn person(&self, email: &str) -> Result<Vec<(&'static str, Vec<Record>)>> {
        let key = fold_address(email);
        let mut found = on_engine!(self, db => db.person(key).await)?;
        found.retain(|(_, records)| !records.is_empty());
        let records = found.iter_mut().flat_map(|(_, records)| records);
        records.for_each(write_times_alike);
        Ok(found)
    }
}

/// As they are told everywhere else, on either database.
fn write_times_alike(record: &mut Record) {
    for (_, value) in record.iter_mut().filter(|(column, _)| is_time(column)) {
        let time = value.as_str().map(str::parse::<Timestamp>);
        if let Some(Ok(time)) = time {
            *value = time.to_string().into();
        }
    }
}
