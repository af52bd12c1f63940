//! What has become of every form and every delivery, told from the database,
//! the visitors' memory and the automation's.

use std::collections::HashMap;

use super::automation::Taken;
use super::load::Memory;
use crate::support::postgres::Session;

/// Prints the figures; those that are promises must be none.
pub fn judge(database: &Session, visitors: &Memory, taken: &Taken) {
    let rows = pairs(database, "SELECT message, id FROM contacts");
    let stored = rows.len();
    // One id of each form.
    let leads: HashMap<_, _> = rows.into_iter().collect();
    // Their ids, and the words they carry; a lead that has none counts as one.
    let sql = "SELECT coalesce(deliveries.id, contacts.id), message
        FROM contacts LEFT JOIN deliveries ON contact_id = contacts.id";
    let deliveries: HashMap<_, _> = pairs(database, sql).into_iter().collect();

    let keyed = visitors.keyed.iter();
    let lost_keyed = keyed.filter(|(words, id)| leads.get(*words) != Some(id));
    let plain = |thanked: bool, is_stored: bool| {
        let forms = visitors.plain.iter();
        let is_meant =
            |form: &(&String, &bool)| *form.1 == thanked && leads.contains_key(form.0) == is_stored;
        forms.filter(is_meant).count()
    };
    let sent = deliveries.iter();
    let undelivered = sent.filter(|(id, words)| taken.accepted.get(*id) != Some(words));
    let accepted = taken.accepted.keys();
    let invented = accepted.filter(|id| !deliveries.contains_key(*id));
    let promises = [
        ("lost", lost_keyed.count() + plain(true, false)),
        ("doubled", stored - leads.len()),
        ("undelivered", undelivered.count()),
        ("invented", invented.count()),
        ("sent twice at a time", taken.overlapping),
        ("told another id than before", visitors.contradicted),
    ];
    println!("answers by status (0: none): {:?}", visitors.answers);
    println!(
        "{} acknowledged, {stored} stored ({} of them after an answer that left it open); \
         {} deliveries accepted ({} sent again); {}",
        visitors.keyed.len() + plain(true, true) + plain(true, false),
        plain(false, true),
        taken.accepted.len(),
        taken.repeated,
        promises
            .map(|(what, number)| format!("{number} {what}"))
            .join(", "),
    );
    for (what, number) in promises {
        assert_eq!(number, 0, "{what}");
    }
}

fn pairs(database: &Session, sql: &str) -> Vec<(String, String)> {
    let rows = database.rows(sql).into_iter();
    let pair = |row| <[String; 2]>::try_from(row).expect("two columns").into();
    rows.map(pair).collect()
}
