//! No statement on the way of a lead or a subscriber reads a whole table, and
//! none takes longer for a million leads. Asked of the statements that the
//! store runs, as its connections hear them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use super::connection;
use crate::store::ways::{self, Heard};
use crate::store::{OpenMode, Store};

/// What was run on the files that are listened to.
static HEARD: LazyLock<Mutex<HashMap<PathBuf, Heard>>> = LazyLock::new(Mutex::default);

/// Every connection of the store, in tests. SQLite tells whole milliseconds.
pub fn overheard(mut db: Connection, path: &Path) -> rusqlite::Result<Connection> {
    let path = path.to_owned();
    let hear = move |event: TraceEvent<'_>| {
        if let TraceEvent::Profile(statement, took) = event
            && let Some(heard) = HEARD.lock().unwrap().get_mut(&path)
        {
            heard.note(&statement.sql(), took);
        }
    };
    db.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(hear))?;
    Ok(db)
}

/// One lead every ten seconds until now, most of them delivered.
fn fill(path: &Path, leads: usize) {
    let db = Connection::open(path).unwrap();
    let sql = format!(
        "PRAGMA synchronous = OFF;
        BEGIN;
        CREATE TEMP TABLE numbers AS
            WITH RECURSIVE counted (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {leads})
            SELECT n, printf('%036d', n) AS id, 'person' || n || '@example.org' AS email,
                strftime('%Y-%m-%dT%H:%M:%fZ', {until} - 10 * n, 'unixepoch') AS time
            FROM counted;
        INSERT INTO contacts (id, name, email, email_key, message, created_at, hold_reason,
                idempotency_key, state)
            SELECT id, 'Ada', email, email, 'Hello', time, iif(n % 1000 = 0, 'decoy', NULL),
                'key' || n, iif(n % 1000 < 2, 'new', iif(n % 2, 'answered', 'closed'))
            FROM numbers;
        INSERT INTO contact_changes (contact_id, state, changed_at)
            SELECT id, state, created_at FROM contacts WHERE state <> 'new';
        INSERT INTO deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
            SELECT id, id, 'webhook',
                CASE WHEN n % 1000 = 0 THEN 'held' WHEN n % 50 = 1 THEN 'pending'
                    WHEN n % 50 = 2 THEN 'given_up' ELSE 'delivered' END,
                iif(n % 50 = 1, time, NULL), time
            FROM numbers;
        INSERT INTO subscribers (id, email, email_key, state, created_at, consent_version)
            SELECT id, email, email, iif(n % 3 = 0, 'pending', 'confirmed'), time, 1
            FROM numbers WHERE n <= {leads} / 10;
        INSERT INTO mail_links (hash, subscriber_id, purpose, created_at)
            SELECT id, id, 'unsubscribe', created_at FROM subscribers;
        INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
            SELECT 'zero', id, 'sent', created_at FROM subscribers;
        INSERT INTO past_consents (subscriber_id, created_at, consent_version)
            SELECT id, created_at, 1 FROM subscribers;
        COMMIT",
        until = ways::now().as_second(),
    );
    db.execute_batch(&sql).unwrap();
}

/// The steps that SQLite would take.
fn plan(db: &Connection, sql: &str) -> String {
    let mut query = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let steps = query.raw_query().mapped(|row| row.get::<_, String>(3));
    let steps: Vec<_> = steps.map(Result::unwrap).collect();
    steps.join("\n")
}

/// What may be read from the first row to the last: it has few, however many
/// leads there are. The indexes are of what is held back right now, or read in
/// their order up to a limit.
const SMALL: [&str; 22] = [
    "(subquery",
    "CONSTANT ROW",
    "channels",
    "contacts USING COVERING INDEX contacts_new",
    "contacts USING INDEX contacts_to_release",
    "counted",
    "deliveries USING INDEX deliveries_digests",
    "deliveries USING INDEX deliveries_failing",
    "deliveries USING INDEX deliveries_held_notices",
    "delivery_counts",
    "first",
    "json_each",
    "kinds",
    "lead_words VIRTUAL TABLE",
    "main.lead_words_config",
    "schema_migrations",
    "digests",
    "search_state",
    "sending_pause",
    "sqlite_schema",
    "store_state",
    "unmailed",
];

fn reads_a_whole_table(plan: &str) -> bool {
    let mut whole = plan.lines().filter_map(|step| step.strip_prefix("SCAN "));
    whole.any(|what| !SMALL.iter().any(|small| what.starts_with(small)))
}

/// All that the store ran on a database with many leads.
async fn heard(path: &Path) -> Heard {
    let url = format!("sqlite://{}", path.display()).parse().unwrap();
    let store = Store::open(&url, OpenMode::Create).await.unwrap();
    store.close().await.unwrap();
    fill(path, ways::many());
    let nothing = Heard::default();
    HEARD.lock().unwrap().insert(path.to_owned(), nothing);
    let store = Store::open(&url, OpenMode::Create).await.unwrap();
    ways::go_all(&store).await;
    let heard = HEARD.lock().unwrap().remove(path).unwrap();
    store.close().await.unwrap();
    heard.only(|sql| {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE"];
        verbs.iter().any(|verb| sql.starts_with(verb))
    })
}

#[tokio::test]
async fn no_statement_on_the_way_of_a_lead_or_a_subscriber_reads_a_whole_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("leads.db");
    let heard = heard(&path).await;
    heard.tell("SQLite");
    heard.assert_in_time();

    let db = connection::open_reader(&path).unwrap();
    let plans: Vec<_> = heard
        .statements()
        .map(|sql| (sql, plan(&db, sql)))
        .collect();
    assert!(plans.len() > 30, "{plans:#?}");
    for (sql, plan) in &plans {
        assert!(!reads_a_whole_table(plan), "{sql}\n\n{plan}");
    }
    for (words, index) in [
        (":since AND contacts.state = 'new'", "contacts_new"),
        ("contacts.state = 'booked'", "contacts_by_state"),
        ("lead_words MATCH", "lead_words VIRTUAL TABLE INDEX"),
    ] {
        let found = plans.iter().find(|(sql, _)| sql.contains(words));
        let (sql, plan) = found.unwrap_or_else(|| panic!("no {words}"));
        let is_sorted = plan.contains("TEMP B-TREE") && !sql.contains("ORDER BY id");
        assert!(plan.contains(index) && !is_sorted, "{sql}\n\n{plan}");
    }
    let claim = plans
        .iter()
        .find(|(sql, _)| sql.contains("SET lease_token = :token"));
    let (_, plan) = claim.expect("deliveries were claimed");
    assert!(
        plan.contains("deliveries_due") && !plan.contains("TEMP B-TREE"),
        "{plan}"
    );
}
