//! What was kept long enough goes, and nothing else: by the store, by the server once a day, and
//! by `frontdoor prune`.

use std::fs;

use frontdoor::config::{RetentionArgs, RetentionSettings};
use frontdoor::store::{OldRecords, OpenMode, Store};
use frontdoor::upkeep::{Counts, DailyMaintenance, count, prune};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::support::{Database, Process, Sql, TestStore, leads, run, until};

fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn days_ago(days: i64) -> String {
    let time = now() - SignedDuration::from_hours(24 * days);
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

fn add_lead(sql: &Sql, id: &str, state: &str, created: i64) {
    sql.run(&format!(
        "INSERT INTO contacts (id, name, email, email_key, message, state, created_at)
        VALUES ('{id}', 'N', '{id}@example.org', '{id}@example.org', 'Hello', '{state}', '{}')",
        days_ago(created)
    ));
}

/// Records of every age, written past the program. The first letter of their keys says what should
/// become of them: `k`ept or `r`emoved.
const RECORDS: &str = "
INSERT INTO contacts (id, name, email, email_key, message, state, created_at) VALUES
    ('k1', 'N', 'E', 'k1', 'Hello', 'new', AGO(5000)),
    ('r1', 'N', 'E', 'r1', 'Hello', 'answered', AGO(731)),
    ('k2', 'N', 'E', 'k2', 'Hello', 'answered', AGO(729)),
    ('k3', 'N', 'E', 'k3', 'Hello', 'closed', AGO(2000)),
    ('r2', 'N', 'E', 'r2', 'Hello', 'booked', AGO(2000)),
    ('k4', 'N', 'E', 'has written again', 'Hello', 'closed', AGO(2000)),
    ('k5', 'N', 'E', 'has written again', 'Hello', 'new', AGO(10)),
    ('r3', 'N', 'E', 'r3', 'Hello', 'spam', AGO(2000)),
    ('k6', 'N', 'E', 'k6', 'Hello', 'spam', AGO(2000)),
    ('k7', 'N', 'E', 'k7', 'Hello', 'new', AGO(3000));
UPDATE contacts SET hold_reason = 'decoy' WHERE id = 'k7';
INSERT INTO contact_changes (contact_id, number, state, changed_at) VALUES ('k3', 1, 'closed', AGO(100)), ('r2', 2, 'booked', AGO(800)),
    ('r3', 3, 'spam', AGO(91)), ('k6', 4, 'spam', AGO(89));
INSERT INTO deliveries (id, contact_id, kind, state, created_at, finished_at) VALUES
    ('r1', 'k2', 'webhook', 'delivered', AGO(200), AGO(91)),
    ('r2', 'k2', 'webhook', 'given_up', AGO(200), AGO(91)),
    ('k1', 'k2', 'webhook', 'delivered', AGO(200), AGO(89)),
    ('k2', 'k2', 'webhook', 'pending', AGO(200), NULL),
    ('k3 of a lead that waits', 'k1', 'webhook', 'delivered', AGO(200), AGO(150));
INSERT INTO bookings (service, id, contact_id, created_at) VALUES
    ('cal', 'r1', NULL, AGO(200)), ('cal', 'k1', NULL, AGO(1)), ('cal', 'k2', 'k3', AGO(200));
INSERT INTO subscribers (id, email, email_key, consent_version, state, created_at, last_asked_at,
    invited_at, unsubscribed_at) VALUES
    ('r1', 'r1', 'r1', 1, 'pending', AGO(31), NULL, NULL, NULL),
    ('k1', 'k1', 'k1', 1, 'pending', AGO(29), NULL, NULL, NULL),
    ('k2', 'k2', 'k2', 1, 'pending', AGO(400), AGO(5), NULL, NULL),
    ('k3', 'k3', 'k3', 1, 'pending', AGO(400), NULL, AGO(5), NULL),
    ('k4', 'k4', 'k4', 1, 'confirmed', AGO(4000), NULL, NULL, NULL),
    ('r2', 'r2', 'r2', 1, 'unsubscribed', AGO(2000), NULL, NULL, AGO(1096)),
    ('k5', 'k5', 'k5', 1, 'unsubscribed', AGO(2000), NULL, NULL, AGO(1094)),
    ('k6', 'asked again', 'k6', 1, 'pending', AGO(400), NULL, NULL, NULL),
    ('r3', 'asked again', 'r3', 1, 'pending', AGO(1200), NULL, NULL, NULL);
INSERT INTO subscribers (id, email, email_key, consent_version, state, created_at, refused_at,
    refused_code, refusals, suspended_at) VALUES
    ('k7', 'k7', 'k7', 1, 'confirmed', AGO(4000), AGO(366), '550', 1, NULL),
    ('k8', 'k8', 'k8', 1, 'confirmed', AGO(4000), AGO(366), '550', 1, AGO(366));
INSERT INTO past_consents (subscriber_id, number, consent_version, created_at, unsubscribed_at)
    VALUES ('k6', 1, 1, AGO(2000), AGO(500)), ('r3', 1, 1, AGO(2000), AGO(1300)),
    ('k4', 1, 1, AGO(2000), AGO(1300)), ('k4', 2, 1, AGO(2000), AGO(900));
INSERT INTO mail_links (hash, subscriber_id, purpose, created_at, expires_at) VALUES
    ('r1', 'k4', 'confirm', AGO(3000), AGO(31)), ('k1', 'k4', 'confirm', AGO(3000), AGO(29)),
    ('k2', 'k4', 'unsubscribe', AGO(3000), NULL);
INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state, send_at,
    next_attempt_at, created_at, finished_at) VALUES
    ('r1', '', '', '', 0, 'done', AGO(91), AGO(91), AGO(91), AGO(91)),
    ('r2', '', '', '', 0, 'cancelled', AGO(91), AGO(91), AGO(91), AGO(91)),
    ('k1', '', '', '', 0, 'given_up', AGO(89), AGO(89), AGO(89), AGO(89)),
    ('k2', '', '', '', 0, 'scheduled', AGO(200), AGO(200), AGO(200), NULL);
INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code) VALUES
    ('old', 'k4', 'refused', AGO(366), '550 5.7.1'),
    ('young', 'k4', 'refused', AGO(364), '550 5.7.1')";

fn fill(sql: &Sql) {
    let mut pieces = RECORDS.split("AGO(");
    let mut records = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (days, rest) = piece.split_once(')').unwrap();
        records += &format!("'{}'{rest}", days_ago(days.parse().unwrap()));
    }
    for statement in records.split(';') {
        sql.run(statement);
    }
}

/// Only what was to be kept is there.
fn assert_pruned(sql: &Sql) {
    for (table, key, kept) in [
        ("contacts", "id", 7),
        ("deliveries", "id", 3),
        ("bookings", "id", 2),
        ("subscribers", "id", 8),
        ("mail_links", "hash", 2),
        ("newsletter_schedules", "issue", 2),
    ] {
        let rows = format!("SELECT count(*) FROM {table} WHERE {key} LIKE");
        let number = |of: &str| sql.number(&format!("{rows} '{of}%'"));
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
        let rows = format!("SELECT count(*) FROM {what}");
        assert_eq!(sql.number(&rows), number, "{what}");
    }
}

/// The policy's.
fn settings() -> RetentionSettings {
    RetentionArgs::default().load().unwrap()
}

async fn all_pruned(store: &Store) -> Counts {
    let pruned = prune(store, &settings(), now()).await;
    pruned.ended.unwrap();
    pruned.counts
}

#[tokio::test]
async fn records_past_their_period_are_deleted_and_waiting_ones_never() {
    let test = TestStore::new().await;
    let (store, database) = (&test.store, &test.database);
    fill(&database.sql());
    let counted = count(store, &settings(), now()).await.unwrap();
    let removed = all_pruned(store).await;
    let counts = removed.iter().map(|(of, number)| (of.key(), *number));
    let counts: Vec<_> = counts.collect();
    assert_eq!(
        counts,
        [
            ("leads", 2),
            ("spam", 1),
            ("unconfirmed", 1),
            ("unsubscribed", 2),
            ("past_consents", 1),
            ("deliveries", 2),
            ("bookings", 1),
            ("links", 1),
            ("refusals", 1),
            ("refused_issues", 1),
            ("schedules", 2),
        ]
    );
    // Some went with their person before they were counted themselves.
    let sooner = |of: &str| u64::from(of == "past_consents");
    for ((of, before), (_, after)) in counted.iter().zip(&removed) {
        assert_eq!(*before, after + sooner(of.key()), "{}", of.name());
    }
    assert_pruned(&database.sql());
    let again = all_pruned(store).await;
    assert!(again.iter().all(|(_, number)| *number == 0), "{again:?}");

    // More than one search finds, and than one step removes.
    let numbers = "(WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number
        WHERE n < 10250) SELECT n FROM number) AS numbers";
    database.sql().run(&format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, created_at, finished_at)
        SELECT 'r' || n, 'k3', 'webhook', 'delivered', '{0}', '{0}' FROM {numbers}",
        days_ago(200)
    ));
    let removed = all_pruned(store).await;
    assert!(removed.contains(&(OldRecords::Deliveries, 10_250)));
}

/// Between finding and removing others write.
#[tokio::test]
async fn an_old_record_is_checked_again_before_it_is_deleted() {
    let test = TestStore::new().await;
    let (store, database) = (&test.store, &test.database);
    let sql = database.sql();
    for id in ["goes", "opened", "wrote"] {
        add_lead(&sql, id, "closed", 2000);
    }
    let of = OldRecords::Leads;
    let before = now() - settings().period(of).unwrap();
    let one = store.old_records(of, before, 1).await.unwrap();
    assert_eq!(one.len(), 1);
    let found = store.old_records(of, before, 10).await.unwrap();
    assert_eq!(found.len(), 3);
    sql.run("UPDATE contacts SET state = 'new' WHERE id = 'opened'");
    add_lead(&sql, "again", "new", 1);
    sql.run("UPDATE contacts SET email_key = 'wrote@example.org' WHERE id = 'again'");
    assert_eq!(store.delete_records(of, &found, before).await, Ok(1));
    assert_eq!(store.delete_records(of, &found, before).await, Ok(0));
    let there = sql.rows("SELECT id FROM contacts ORDER BY id");
    assert_eq!(there.concat(), ["again", "opened", "wrote"]);
}

#[tokio::test]
async fn one_server_prunes_once_a_day_but_not_on_the_first_day_of_a_clock_that_is_years_ahead() {
    let database = Database::new();
    let stores = [
        database.open(OpenMode::Create).await,
        database.open(OpenMode::Existing).await,
    ];
    let sql = database.sql();
    let [mut one, mut other] = stores.map(|store| DailyMaintenance::new(store, None, settings()));
    let old = || sql.number("SELECT count(*) FROM contacts WHERE id LIKE 'old%'");
    let hours = |hours: i64| now() + SignedDuration::from_hours(hours);
    add_lead(&sql, "old1", "closed", 2000);
    one.run_once(now()).await;
    assert_eq!(old(), 0);
    add_lead(&sql, "old2", "closed", 2000);
    other.run_once(now()).await;
    one.run_once(hours(11)).await;
    assert_eq!(old(), 1, "it was done today");
    other.run_once(hours(24)).await;
    assert_eq!(old(), 0);

    add_lead(&sql, "old3", "closed", 10);
    one.run_once(hours(24 * 3650)).await;
    assert_eq!(old(), 1, "the clock may be wrong");
    one.run_once(hours(24 * 3651)).await;
    assert_eq!(old(), 0, "it was right");
}

#[tokio::test]
async fn one_server_prunes_at_a_time_and_another_takes_over_from_a_killed_one() {
    let test = TestStore::new().await;
    let store = &test.store;
    let lease = SignedDuration::from_mins(30);
    let last = store.last_pruning().await.unwrap();
    assert_eq!(last, None);
    assert!(store.claim_pruning(last, lease, now()).await.unwrap());
    let later = now() + lease - SignedDuration::from_secs(1);
    assert!(!store.claim_pruning(last, lease, later).await.unwrap());
    let ended = now() + lease;
    assert!(store.claim_pruning(last, lease, ended).await.unwrap());
    store.finish_pruning(ended).await.unwrap();
    assert!(!store.claim_pruning(last, lease, ended).await.unwrap());
    let last = store.last_pruning().await.unwrap();
    assert_eq!(last, Some(ended));
}

/// The daily job doesn't write the file anew, for which visitors would wait.
#[tokio::test]
async fn deleted_text_is_not_left_in_any_file() {
    let database = Database::sqlite();
    let store = database.open(OpenMode::Create).await;
    let sql = database.sql();
    let secret = "Zanzibar quinces".repeat(40);
    sql.run("BEGIN");
    for number in 0..2_000 {
        add_lead(&sql, &format!("old{number}"), "closed", 2000);
    }
    sql.run("COMMIT");
    sql.run(&format!("UPDATE contacts SET message = '{secret}'"));
    drop(sql);
    let mut maintenance = DailyMaintenance::new(store.clone(), None, settings());
    maintenance.run_once(now()).await;
    assert_eq!(leads(&store).await.len(), 0);
    let mut read = 0;
    for file in database.files() {
        let bytes = fs::read(&file).unwrap();
        read += bytes.len();
        for word in ["Zanzibar", "zanzibar", "old7@example"] {
            let mut parts = bytes.windows(word.len());
            let found = parts.any(|part| part == word.as_bytes());
            assert!(!found, "{word} in {}", file.display());
        }
    }
    assert!(read > 2_000_000, "the file keeps its size: {read}");
}

#[tokio::test]
async fn the_owner_can_prune_at_once_and_preview_it_first() {
    let test = TestStore::new().await;
    let sql = test.database.sql();
    add_lead(&sql, "old", "closed", 2000);
    add_lead(&sql, "spam", "spam", 2000);
    let there = || sql.number("SELECT count(*) FROM contacts");
    let output = test.run(&["prune", "--dry-run"]).succeeds();
    output.stdout_contains("WHAT                       KEPT FOR   WOULD BE REMOVED");
    output.stdout_contains("leads                      730 days   1");
    let kept = &["prune", "--json", "--keep-spam-days", "36500"];
    let kept = run(test.command(kept).env("FRONTDOOR_KEEP_LEADS_DAYS", "0")).json();
    assert_eq!((&kept["spam"], &kept["leads"]), (&0.into(), &Value::Null));
    let longer = test.run(&["check", "--keep-leads-days", "731", "--promise-hours", "48"]);
    longer.stdout_contains(
        "! promise: the texts promise “You’ll have our answer within 24 hours.”, ",
    );
    longer.stdout_contains("! privacy policy: leads are kept longer than it says\n");
    assert_eq!(there(), 2);

    // Cut off, it tells what is gone and that it isn't all.
    sql.run(&format!(
        "INSERT INTO subscribers (id, email, email_key, state, consent_version, created_at)
        VALUES ('never', 'never', 'never', 'pending', 1, '{}')",
        days_ago(2000)
    ));
    sql.refuse("DELETE ON subscribers", "true");
    let output = test.run(&["prune"]);
    output.stdout_contains("leads                      730 days   1");
    output.fails_with(1, "not everything was removed: ");
    output.stderr_contains("run this again for the rest");
    assert_eq!(there(), 0);
    sql.refuse_no_more("subscribers");
    let output = test.run(&["prune"]).succeeds();
    output.stdout_contains("unconfirmed sign-ups       30 days    1");
    output.stdout_contains("Backups made earlier still hold them");
    assert_eq!(sql.number("SELECT count(*) FROM subscribers"), 0);
}

/// The real program, on the real clock.
#[tokio::test]
async fn the_server_deletes_old_records_by_itself_and_logs_only_their_number() {
    let database = Database::new();
    database.create().await.close().await.unwrap();
    let sql = database.sql();
    add_lead(&sql, "old", "closed", 2000);
    add_lead(&sql, "waits", "new", 2000);
    let process = Process::start(&database.url(), &[]);
    let there = || sql.number("SELECT count(*) FROM contacts");
    until("removal", async || there() == 1).await;
    let ended = "SELECT count(*) FROM store_state WHERE pruned_at IS NOT NULL";
    until("its end", async || sql.number(ended) == 1).await;
    let (log, status) = process.terminate();
    assert!(status.success());
    let log = log.concat();
    assert!(log.contains("leads: 1") && !log.contains("@example"));
}
