//! What is moved: every table, with rows of every kind.

use crate::support::past::Past;

/// Of the rows that [`furnish`] adds beside the leads.
pub const OTHERS: usize = 20;

/// So many leads, and every table with what a cell can be: nothing, empty, long,
/// in any script, on many lines.
pub fn furnish(past: &Past, leads: usize) {
    let numbers: Vec<_> = (0..leads).collect();
    for numbers in numbers.chunks(1000) {
        let rows: Vec<_> = numbers.iter().map(|number| lead(*number)).collect();
        past.run(&format!(
            "INSERT INTO contacts (id, name, email, phone, message, created_at, email_key,
                idempotency_key)
            VALUES {}",
            rows.join(", ")
        ));
    }
    let bytes = match past {
        Past::File(_) => "X'00FF61'",
        Past::Server(_) => "'\\x00ff61'",
    };
    let others = OTHER_ROWS.replace("TIME", "'2026-03-01T12:00:00.123Z'");
    let others = others.replace("LONG", &"ä".repeat(100_000));
    for sql in others.replace("BYTES", bytes).split(';') {
        past.run(sql);
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

const OTHER_ROWS: &str = "
INSERT INTO subscribers (id, email, email_key, state, created_at, page, consent_version,
        consent_text, confirmed_at, invitations, hold_reason)
    VALUES ('s1', 'a@x.org', 'a@x.org', 'confirmed', TIME, NULL, 1, 'LONG', TIME, 3, ''),
        ('s2', 'b@x.org', 'b@x.org', 'pending', TIME, '', 0, NULL, NULL, 0, NULL);
INSERT INTO deliveries (id, contact_id, kind, state, attempts, created_at, lease_token,
        lease_until, last_error, subscriber_id)
    VALUES ('d1', '00000000', 'webhook', 'pending', 7, TIME, 'token', TIME, NULL, NULL),
        ('d2', NULL, 'confirm', 'given_up', 0, TIME, NULL, NULL, '', 's1');
INSERT INTO past_consents VALUES ('s1', 1, TIME, '/', 1, NULL, NULL, TIME, 'a.csv', NULL),
    ('s1', 2, TIME, '/', 1, NULL, NULL, TIME, 'a.csv', NULL),
    ('s1', 3, TIME, '', 1, '', NULL, NULL, NULL, NULL);
INSERT INTO mail_links VALUES ('h1', 's1', 'confirm', TIME, TIME, NULL),
    ('h2', 's2', 'unsubscribe', TIME, NULL, TIME);
INSERT INTO newsletter_issues VALUES ('i1', '🎉', 'a b.md', TIME, NULL);
INSERT INTO newsletter_sends VALUES ('i1', 's1', 'sent', TIME, NULL),
    ('i1', 's2', 'deferred', TIME, '450 4.7.1');
INSERT INTO contact_changes VALUES ('00000000', 1, 'answered', TIME);
INSERT INTO spam_words VALUES (-1, 3, 4), (2147483647, 0, 1);
INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state, send_at,
        next_attempt_at, created_at, lease_token, lease_until)
    VALUES ('i2', '🎉', 'b.md', '{}', 10, 'scheduled', TIME, TIME, TIME, 'token', TIME);
INSERT INTO digests VALUES ('2026-03-01', TIME);
INSERT INTO sending_pause VALUES (TIME);
INSERT INTO releases VALUES (0, '', '', 0, 0, TIME, '', 3, NULL),
    (7, 'c', 'd', 21, 3, TIME, '{}', 2, BYTES)";
