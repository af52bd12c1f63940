//! What is moved: every table, with rows of every kind.

use rusqlite::types::Value;

use crate::support::database::Database;
use crate::support::past::Past;

pub const TABLES: [&str; 13] = [
    "contacts",
    "subscribers",
    "deliveries",
    "past_consents",
    "mail_links",
    "newsletter_issues",
    "newsletter_sends",
    "contact_changes",
    "spam_words",
    "newsletter_schedules",
    "digests",
    "releases",
    "sending_pause",
];

/// Of the rows that [`furnish`] adds beside the leads.
pub const OTHERS: usize = 20;

/// So many leads, and every table with what a cell can be: nothing, empty, long,
/// in any script, on many lines, and several rows that are all the same.
pub fn furnish(past: &Past, leads: usize) {
    for first in (0..leads).step_by(1000) {
        let rows = (first..leads.min(first + 1000)).map(lead);
        past.run(&format!(
            "INSERT INTO contacts (id, name, email, phone, message, created_at, email_key,
                idempotency_key)
            VALUES {}",
            rows.collect::<Vec<_>>().join(", ")
        ));
    }
    for sql in others() {
        past.run(&sql);
    }
}

fn lead(number: usize) -> String {
    let phone = ["NULL", "''", "'+1 416'"][number % 3];
    let key = ["NULL".to_owned(), format!("'key-{number}'")][number % 2].clone();
    format!(
        "('{number:08}', 'Zoë {number} 🍁', 'person{number}@example.org', {phone},
        'one''s line\n\ttwo \\ \"three\" {}', '2026-03-01T12:00:00.{:03}Z',
        'person{number}@example.org', {key})",
        "long ".repeat(number % 40),
        number % 1000
    )
}

fn others() -> Vec<String> {
    let (long, time) = ("ä".repeat(100_000), "'2026-03-01T12:00:00.123Z'");
    let subscribers = format!(
        "INSERT INTO subscribers (id, email, state, created_at, page, consent_version,
            consent_text, confirmed_at, invitations, email_key, hold_reason)
        VALUES ('s1', 'a@x.org', 'confirmed', {time}, NULL, 1, '{long}', {time}, 3, 'a@x.org', ''),
            ('s2', 'b@x.org', 'pending', '1970-01-01T00:00:00.000Z', '', 0, NULL, NULL, 0,
            'b@x.org', NULL)"
    );
    // A lease belongs to whoever works on the old database.
    let deliveries = format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, attempts, created_at, lease_token,
            lease_until, last_error, subscriber_id)
        VALUES ('d1', '00000000', 'webhook', 'pending', 7, {time}, 'token', {time}, NULL, NULL),
            ('d2', NULL, 'confirm', 'given_up', 0, {time}, NULL, NULL, '', 's1')"
    );
    let consent = format!("('s1', {time}, '/', 1, NULL, NULL, {time}, 'a.csv', NULL)");
    let consents = format!(
        "INSERT INTO past_consents VALUES {consent}, {consent}, ('s1', {time}, '', 1, '', NULL, NULL, NULL, NULL)"
    );
    let links = format!(
        "INSERT INTO mail_links VALUES ('h1', 's1', 'confirm', {time}, {time}, NULL),
            ('h2', 's2', 'unsubscribe', {time}, NULL, {time})"
    );
    let issues =
        format!("INSERT INTO newsletter_issues VALUES ('i1', '🎉', 'a b.md', {time}, NULL)");
    let sends = format!(
        "INSERT INTO newsletter_sends VALUES ('i1', 's1', 'sent', {time}, NULL),
            ('i1', 's2', 'deferred', {time}, '450 4.7.1')"
    );
    let schedules = format!(
        "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state,
            send_at, next_attempt_at, created_at, lease_token, lease_until)
        VALUES ('i2', '🎉', 'b.md', '{{}}', 10, 'scheduled', {time}, {time}, {time}, 'token', {time})"
    );
    let change = format!("('00000000', 'answered', {time})");
    let changes = format!("INSERT INTO contact_changes VALUES {change}, {change}");
    let words = "INSERT INTO spam_words VALUES (-1, 3, 4), (2147483647, 0, 1)".to_owned();
    let digests = format!("INSERT INTO digests VALUES ('2026-03-01', {time})");
    let releases = format!(
        "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
        VALUES (0, '', '', 0, 0, {time}, 3, '', NULL),
            (7, 'c', 'd', 21, 4, {time}, 2, '{{}}', 'YWJjZA==')"
    );
    let lists = vec![subscribers, deliveries, consents, links];
    [
        lists,
        vec![issues, sends, changes, words, schedules, digests, releases],
    ]
    .concat()
}

/// All cells of a file but for leases, read past the program.
pub fn cells(database: &Database, file: &str) -> Vec<Vec<Value>> {
    let db = rusqlite::Connection::open(database.path(file)).unwrap();
    let mut all = Vec::new();
    for table in TABLES {
        let sql = format!("SELECT * FROM {table}");
        let columns = db.prepare(&sql).unwrap().column_count();
        let order: Vec<_> = (1..=columns.min(3)).map(|n| n.to_string()).collect();
        let sql = format!("{sql} ORDER BY {}", order.join(", "));
        let mut query = db.prepare(&sql).unwrap();
        let names: Vec<_> = query.column_names().map(str::to_owned).collect();
        let kept = |column: &usize| !names[*column].starts_with("lease_");
        let kept: Vec<_> = (0..names.len()).filter(kept).collect();
        let rows = query.query_map([], |row| kept.iter().map(|&cell| row.get(cell)).collect());
        all.extend(rows.unwrap().map(Result::unwrap));
    }
    all
}
