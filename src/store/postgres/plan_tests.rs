//! No statement on the way of a lead or a subscriber reads a whole table, and
//! none takes longer for a million leads. Asked of the server's log, where
//! `auto_explain` writes how it carried out each statement of the store's.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

use crate::store::ways::{self, Heard};
use crate::store::{Clock, OpenMode, Store};

/// What may be read from the first row to the last: it has few, however many
/// leads there are.
const SMALL: [&str; 9] = [
    "channels",
    "delivery_counts",
    "digests",
    "newsletter_issues",
    "newsletter_schedules",
    "schema_migrations",
    "sending_pause",
    "spam_words",
    "store_state",
];

/// One lead every ten seconds until now, most of them delivered.
fn fill(leads: usize) -> String {
    let until = ways::now();
    format!(
        "CREATE TEMP TABLE numbers AS
            SELECT n, lpad(n::text, 36, '0') AS id, 'person' || n || '@example.org' AS email,
                timestamptz '{until}' - n * interval '10 seconds' AS time
            FROM generate_series(1, {leads}) AS n;
        INSERT INTO contacts (id, name, email, email_key, message, created_at, hold_reason,
                idempotency_key, state)
            SELECT id, 'Ada', email, email, 'Hello', time,
                CASE WHEN n % 1000 = 0 THEN 'decoy' END, 'key' || n,
                CASE WHEN n % 1000 < 2 THEN 'new' WHEN n % 2 = 1 THEN 'answered' ELSE 'closed' END
            FROM numbers;
        INSERT INTO contact_changes (contact_id, state, changed_at)
            SELECT id, state, created_at FROM contacts WHERE state <> 'new';
        INSERT INTO deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
            SELECT id, id, 'webhook',
                CASE WHEN n % 1000 = 0 THEN 'held' WHEN n % 50 = 1 THEN 'pending'
                    WHEN n % 50 = 2 THEN 'given_up' ELSE 'delivered' END,
                CASE WHEN n % 50 = 1 THEN time END, time
            FROM numbers;
        INSERT INTO subscribers (id, email, email_key, state, created_at, consent_version)
            SELECT id, email, email, CASE WHEN n % 3 = 0 THEN 'pending' ELSE 'confirmed' END,
                time, 1
            FROM numbers WHERE n <= {leads} / 10;
        INSERT INTO past_consents (subscriber_id, created_at, consent_version)
            SELECT id, created_at, 1 FROM subscribers;
        INSERT INTO mail_links (hash, subscriber_id, purpose, created_at)
            SELECT id, id, 'unsubscribe', created_at FROM subscribers;
        INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
            SELECT 'zero', id, 'sent', created_at FROM subscribers;
        ANALYZE"
    )
}

/// From here on, whoever connects is listened to.
fn listen(database: &str) -> String {
    [
        "session_preload_libraries = auto_explain",
        "auto_explain.log_min_duration = 0",
        "auto_explain.log_format = json",
    ]
    .map(|setting| format!("ALTER DATABASE {database} SET {setting};"))
    .concat()
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn text(db: &Client, sql: &str) -> String {
    let said = db.simple_query(sql).await.unwrap();
    let row = said.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    row.unwrap()
}

/// What the log says of one statement.
struct Entry {
    took: Duration,
    sql: String,
    plan: Value,
}

/// Each entry begins with the database's name; the lines of a plan with a tab.
fn entries(log: &str, database: &str) -> Vec<Entry> {
    let begin = format!("{database} LOG:  duration: ");
    let mut found = Vec::new();
    for entry in log
        .split('\n')
        .collect::<Vec<_>>()
        .chunk_by(|_, next| next.starts_with('\t'))
    {
        let Some(said) = entry[0].strip_prefix(&begin) else {
            continue;
        };
        let millis: f64 = said.split(' ').next().unwrap().parse().unwrap();
        let plan: Value = serde_json::from_str(&entry[1..].concat()).unwrap();
        found.push(Entry {
            took: Duration::from_secs_f64(millis / 1000.0),
            sql: plan["Query Text"].as_str().unwrap().to_owned(),
            plan: plan["Plan"].clone(),
        });
    }
    found
}

/// The tables that are read whole, and the indexes that are used.
fn reads(plan: &Value, whole: &mut BTreeSet<String>, indexes: &mut BTreeSet<String>) {
    let name = |key: &str| plan[key].as_str().map(str::to_owned);
    if plan["Node Type"] == "Seq Scan" {
        whole.extend(name("Relation Name"));
    }
    indexes.extend(name("Index Name"));
    for step in plan["Plans"].as_array().into_iter().flatten() {
        reads(step, whole, indexes);
    }
}

/// All that the store ran on a database with many leads.
async fn heard(server: &str) -> Vec<Entry> {
    let admin = connect(server).await;
    let name = format!("plans_{}", Uuid::new_v4().simple());
    let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    let run = async |sql: String| admin.batch_execute(&sql).await.unwrap();
    run(format!("CREATE DATABASE {name}")).await;
    let open = async || {
        let url = url.parse().unwrap();
        let opened = Store::open_by(&url, OpenMode::Create, Clock::Callers).await;
        opened.unwrap()
    };
    open().await.close().await.unwrap();
    let filling = connect(&url).await;
    filling.batch_execute(&fill(ways::many())).await.unwrap();
    drop(filling);
    run(listen(&name)).await;
    let store = open().await;
    ways::go_all(&store).await;
    store.close().await.unwrap();
    let log = text(&admin, "SELECT pg_read_file('server.log')").await;
    run(format!("DROP DATABASE {name} WITH (FORCE)")).await;
    entries(&log, &name)
}

#[tokio::test]
async fn no_statement_on_the_way_of_a_lead_or_a_subscriber_reads_a_whole_table() {
    let server = std::env::var("FRONTDOOR_TEST_POSTGRES").expect(
        "this test needs a PostgreSQL server: run it by scripts/rust-tests or scripts/postgres",
    );
    let entries = heard(&server).await;
    let mut times = Heard::default();
    let mut used = BTreeSet::new();
    let mut too_much = BTreeSet::new();
    for entry in &entries {
        let mut whole = BTreeSet::new();
        reads(&entry.plan, &mut whole, &mut used);
        whole.retain(|table| !SMALL.contains(&table.as_str()));
        if !whole.is_empty() {
            too_much.insert(format!("{whole:?}: {}", entry.sql));
        }
        times.note(&entry.sql, entry.took);
    }
    times.tell("PostgreSQL");
    assert!(too_much.is_empty(), "{too_much:#?}");
    times.assert_in_time();
    assert!(times.statements().count() > 30, "{used:#?}");
    for index in [
        "deliveries_due",
        "contacts_new",
        "contacts_by_state",
        "contacts_by_words",
    ] {
        assert!(used.contains(index), "{index} is not in {used:#?}");
    }
}
