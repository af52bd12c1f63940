//! Records of every age, written past the program, and which of them should go.

use jiff::{SignedDuration, Timestamp};

use crate::support::past::Past;

pub fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

pub fn days_ago(days: i64) -> String {
    let time = now() - SignedDuration::from_hours(24 * days);
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

pub fn add_lead(past: &Past, id: &str, state: &str, created: i64) {
    past.run(&format!(
        "INSERT INTO contacts (id, name, email, email_key, message, state, created_at)
        VALUES ('{id}', 'N', '{id}@example.org', '{id}@example.org', 'Hello', '{state}', '{}')",
        days_ago(created)
    ));
}

fn change(past: &Past, id: &str, state: &str, days: i64) {
    past.run(&format!(
        "INSERT INTO contact_changes VALUES ('{id}',
            (SELECT count(*) FROM contact_changes), '{state}', '{}')",
        days_ago(days)
    ));
}

/// `more` are columns and their values.
pub fn add_subscriber(past: &Past, id: &str, state: &str, created: i64, more: &[(&str, String)]) {
    let columns: Vec<_> = more
        .iter()
        .map(|(column, _)| format!(", {column}"))
        .collect();
    let values: Vec<_> = more
        .iter()
        .map(|(_, value)| format!(", '{value}'"))
        .collect();
    past.run(&format!(
        "INSERT INTO subscribers (id, email, email_key, state, consent_version, created_at{})
        VALUES ('{id}', '{id}@example.org', '{id}@example.org', '{state}', 1, '{}'{})",
        columns.concat(),
        days_ago(created),
        values.concat()
    ));
}

fn add_delivery(past: &Past, id: &str, lead: &str, state: &str, finished: Option<i64>) {
    let finished = finished.map_or("NULL".into(), |days| format!("'{}'", days_ago(days)));
    past.run(&format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, created_at, finished_at)
        VALUES ('{id}', '{lead}', 'webhook', '{state}', '{}', {finished})",
        days_ago(200)
    ));
}

/// The first letter says what should become of it: `k`ept or `r`emoved.
pub fn fill(past: &Past) {
    for (id, state, created) in [
        ("k1", "new", 5000),
        ("r1", "answered", 731),
        ("k2", "answered", 729),
        ("k3", "closed", 2000),
        ("r2", "booked", 2000),
        ("k4", "closed", 2000),
        ("k5", "new", 10),
        ("r3", "spam", 2000),
        ("k6", "spam", 2000),
    ] {
        add_lead(past, id, state, created);
    }
    // Closed lately; their words are old.
    change(past, "k3", "closed", 100);
    change(past, "r2", "booked", 800);
    // The same person has written again.
    past.run("UPDATE contacts SET email_key = 'k5@example.org' WHERE id = 'k4'");
    change(past, "r3", "spam", 91);
    change(past, "k6", "spam", 89);
    // Held: it waits for the owner, however long.
    add_lead(past, "k7", "new", 3000);
    past.run("UPDATE contacts SET hold_reason = 'decoy' WHERE id = 'k7'");

    add_delivery(past, "r1-sent", "k2", "delivered", Some(91));
    add_delivery(past, "r2-sent", "k2", "given_up", Some(91));
    add_delivery(past, "k1-sent", "k2", "delivered", Some(89));
    add_delivery(past, "k2-sent", "k2", "pending", None);
    // Their lead waits.
    add_delivery(past, "k3-sent", "k1", "delivered", Some(150));

    fill_subscribers(past);
}

fn fill_subscribers(past: &Past) {
    let at = |column, days| [(column, days_ago(days))];
    add_subscriber(past, "r1", "pending", 31, &[]);
    add_subscriber(past, "k1", "pending", 29, &[]);
    add_subscriber(past, "k2", "pending", 400, &at("last_asked_at", 5));
    add_subscriber(past, "k3", "pending", 400, &at("invited_at", 5));
    add_subscriber(past, "k4", "confirmed", 4000, &[]);
    for (id, days) in [("r2", 1096), ("k5", 1094)] {
        let left = at("unsubscribed_at", days);
        add_subscriber(past, id, "unsubscribed", 2000, &left);
    }
    // Asked again, and never confirmed: the proof of before is kept its time.
    add_subscriber(past, "k6", "pending", 400, &[]);
    add_subscriber(past, "r3", "pending", 1200, &[]);
    let refusal = [
        ("refused_at", days_ago(366)),
        ("refused_code", "550".into()),
        ("refusals", "1".into()),
        ("suspended_at", days_ago(366)),
    ];
    add_subscriber(past, "k7", "confirmed", 4000, &refusal[..3]);
    add_subscriber(past, "k8", "confirmed", 4000, &refusal);
    for (id, days) in [("k6", 500), ("r3", 1300), ("k4", 1300), ("k4", 900)] {
        past.run(&format!(
            "INSERT INTO past_consents (subscriber_id, number, created_at, consent_version,
                unsubscribed_at)
            VALUES ('{id}', {days}, '{}', 1, '{}')",
            days_ago(2000),
            days_ago(days)
        ));
    }
    for (hash, purpose, expires) in [
        ("r1", "confirm", Some(31)),
        ("k1", "confirm", Some(29)),
        ("k2", "unsubscribe", None),
    ] {
        let expires = expires.map_or("NULL".into(), |days| format!("'{}'", days_ago(days)));
        past.run(&format!(
            "INSERT INTO mail_links (hash, subscriber_id, purpose, created_at, expires_at)
            VALUES ('{hash}', 'k4', '{purpose}', '{}', {expires})",
            days_ago(3000)
        ));
    }
    for (issue, state, days) in [
        ("r1", "done", 91),
        ("r2", "cancelled", 91),
        ("k1", "given_up", 89),
        ("k2", "scheduled", 200),
    ] {
        let finished = match state {
            "scheduled" => "NULL".into(),
            _ => format!("'{}'", days_ago(days)),
        };
        past.run(&format!(
            "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state,
                send_at, next_attempt_at, created_at, finished_at)
            VALUES ('{issue}', '', '', '', 0, '{state}', '{0}', '{0}', '{0}', {finished})",
            days_ago(days)
        ));
    }
    for (issue, days) in [("old", 366), ("young", 364)] {
        past.run(&format!(
            "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code)
            VALUES ('{issue}', 'k4', 'refused', '{}', '550 5.7.1')",
            days_ago(days)
        ));
    }
}

/// Only what was to be kept is there.
pub fn assert_pruned(past: &Past) {
    for (table, key, kept) in [
        ("contacts", "id", 7),
        ("deliveries", "id", 3),
        ("subscribers", "id", 8),
        ("mail_links", "hash", 2),
        ("newsletter_schedules", "issue", 2),
    ] {
        let number = |of: &str| {
            past.number(&format!(
                "SELECT count(*) FROM {table} WHERE {key} LIKE '{of}%'"
            ))
        };
        assert_eq!((number("r"), number("k")), (0, kept), "{table}");
    }
    for (what, number) in [
        ("contact_changes", 2),
        ("past_consents", 2),
        ("newsletter_sends", 2),
        ("newsletter_sends WHERE code IS NULL AND issue = 'old'", 1),
        ("newsletter_sends WHERE code IS NULL AND issue = 'young'", 0),
        ("subscribers WHERE id = 'k7' AND refused_code IS NULL", 1),
        ("subscribers WHERE id = 'k8' AND refused_code = '550'", 1),
    ] {
        let sql = format!("SELECT count(*) FROM {what}");
        assert_eq!(past.number(&sql), number, "{what}");
    }
}
