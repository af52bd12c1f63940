//! Upgrading a database from before addresses had keys.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::{Sqlite, migrate, opening};
use crate::store::{
    DeliveryKind, LeadFilter, LeadState, Migrated, OpenMode, StoreError, SubscriberState,
};

/// A database as version 2 left it.
fn version_2(rows: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let db = Connection::open(&path).unwrap();
    for sql in [
        include_str!("../../../migrations/sqlite/0001_leads.sql"),
        include_str!("../../../migrations/sqlite/0002_newsletter.sql"),
        "CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY,
            name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
        INSERT INTO schema_migrations VALUES (1, 'leads', ''), (2, 'newsletter', '');",
        rows,
    ] {
        db.execute_batch(sql).unwrap();
    }
    (folder, path)
}

fn subscriber(id: &str, email: &str, state: &str, confirmed: &str, left: &str) -> String {
    format!(
        "INSERT INTO subscribers (id, email, state, created_at, consent_version, confirmed_at,
            unsubscribed_at)
        VALUES ('{id}', '{email}', '{state}', '2026-01-0{id}T00:00:00.000Z', {id},
            nullif('{confirmed}', ''), nullif('{left}', ''));
        INSERT INTO mail_links (hash, subscriber_id, purpose, created_at)
            VALUES ('leave{id}', '{id}', 'unsubscribe', '2026-01-01T00:00:00.000Z');
        INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
            VALUES ('issue', '{id}', 'sent', '2026-01-01T00:00:00.000Z');
        INSERT INTO deliveries (id, subscriber_id, kind, state, created_at)
            VALUES ('mail{id}', '{id}', 'confirm', 'pending', '2026-01-01T00:00:00.000Z');"
    )
}

const COMPOSED: &str = "\u{e4}da@example.org";
const DECOMPOSED: &str = "a\u{308}da@example.org";

async fn upgraded(path: &Path) -> Sqlite {
    let path = path.to_owned();
    Sqlite::open(path, OpenMode::Create).await.unwrap()
}

#[tokio::test]
async fn leads_of_an_older_database_are_found_by_any_spelling() {
    let (_folder, path) = version_2(
        "INSERT INTO contacts (id, name, email, message, created_at) VALUES
            ('1', 'Ada', 'Ärger@Example.org', 'Hi', '2026-01-31T09:05:07.123Z'),
            ('2', 'Ada', 'a\u{308}rger@example.org', 'Hi', '2026-01-31T09:05:07.123Z')",
    );
    let store = upgraded(&path).await;
    let filter = LeadFilter {
        email: Some("ÄRGER@example.org".into()),
        limit: 10,
        ..LeadFilter::default()
    };
    assert_eq!(store.leads(filter).await.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn two_subscribers_who_turn_out_to_be_one_keep_every_proof_and_the_last_word() {
    let (early, late) = ("2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z");
    for (one, two, state) in [
        (
            ("confirmed", early, ""),
            ("unsubscribed", early, late),
            SubscriberState::Unsubscribed,
        ),
        (
            ("confirmed", late, ""),
            ("unsubscribed", "", early),
            SubscriberState::Confirmed,
        ),
        (
            ("pending", "", ""),
            ("confirmed", early, ""),
            SubscriberState::Confirmed,
        ),
        (
            ("unsubscribed", "", early),
            ("pending", "", ""),
            SubscriberState::Unsubscribed,
        ),
        (
            ("pending", "", ""),
            ("pending", "", ""),
            SubscriberState::Pending,
        ),
    ] {
        let rows = [
            subscriber("1", COMPOSED, one.0, one.1, one.2),
            subscriber("2", DECOMPOSED, two.0, two.1, two.2),
        ];
        let (_folder, path) = version_2(&rows.concat());
        let store = upgraded(&path).await;
        let person = store
            .subscriber(COMPOSED.to_uppercase())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(person.state, state, "{one:?} {two:?}");
        let past = store.past_consents(person.id.clone()).await.unwrap();
        let mut versions: Vec<_> = past.iter().map(|each| each.consent_version).collect();
        versions.push(person.consent.consent_version);
        versions.sort_unstable();
        assert_eq!(versions, [1, 2], "no proof is lost");
        let counted = store.readers.run(|db| {
            let count = |sql| db.query_row(sql, [], |row| row.get::<_, i64>(0));
            Ok((
                count(
                    "SELECT count(*) FROM mail_links JOIN subscribers
                    ON subscriber_id = subscribers.id",
                )?,
                count("SELECT count(*) FROM newsletter_sends")?,
                count("SELECT count(*) FROM deliveries")?,
            ))
        });
        let waiting = if state == SubscriberState::Pending {
            2
        } else {
            0
        };
        assert_eq!(counted.await.unwrap(), (2, 1, waiting));
    }
}

#[tokio::test]
async fn an_upgrade_leaves_a_private_copy_of_what_was_there() {
    let (_folder, path) = version_2(&subscriber("1", COMPOSED, "pending", "", ""));
    let refused = Sqlite::open(path.clone(), OpenMode::Existing).await.err();
    assert!(matches!(refused, Some(StoreError::TooOld { found: 2, .. })));
    let Migrated::Upgraded {
        from,
        to,
        backup: Some(backup),
    } = opening::migrate(path.clone()).await.unwrap()
    else {
        panic!("nothing was upgraded");
    };
    assert_eq!((from, to), (2, migrate::known()));
    assert_eq!(backup.parent(), path.parent());
    let mode = backup.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let before = Connection::open(&backup).unwrap();
    assert_eq!(migrate::version(&before).unwrap(), 2);
    assert!(!path.with_extension("db-wal").exists(), "one whole file");
    assert_eq!(opening::migrate(path).await.unwrap(), Migrated::Nothing);
}

#[tokio::test]
async fn deliveries_are_counted_those_from_before_the_upgrade_and_of_an_older_server_too() {
    let deliver = "UPDATE deliveries SET state = 'delivered';";
    let before = subscriber("1", COMPOSED, "pending", "", "") + deliver;
    let (_folder, path) = version_2(&before);
    let delivered = async || {
        let store = upgraded(&path).await;
        let counts = store.delivery_counts().await.unwrap();
        store.close().await.unwrap();
        (counts.delivered, counts.pending)
    };
    assert_eq!(delivered().await, (1, 0));
    let older = Connection::open(&path).unwrap();
    let bob = subscriber("2", "bob@example.org", "pending", "", "");
    let eve = subscriber("3", "eve@example.org", "pending", "", "");
    older.execute_batch(&(bob + deliver + &eve)).unwrap();
    drop(older);
    assert_eq!(delivered().await, (2, 1));
}

/// Nobody is overdue, or reminded of, on the day of the upgrade.
#[tokio::test]
async fn old_leads_are_closed_and_those_within_the_promise_or_held_are_new() {
    let (_folder, path) = version_2(
        "INSERT INTO contacts (id, name, email, message, created_at, hold_reason, released_at)
        SELECT column1, '', '', '', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', column2), column3,
            strftime('%Y-%m-%dT%H:%M:%fZ', 'now', column4)
        FROM (VALUES ('old', '-25 hours', NULL, NULL), ('young', '-23 hours', NULL, NULL),
            ('held', '-900 days', 'decoy', NULL), ('let go', '-9 days', 'decoy', '-8 days'),
            ('let go lately', '-9 days', 'decoy', '-1 hour'))",
    );
    let store = upgraded(&path).await;
    let lead = async |id: &str| store.lead(id.into()).await.unwrap().unwrap();
    for (id, state) in [
        ("old", LeadState::Closed),
        ("young", LeadState::New),
        ("held", LeadState::New),
        ("let go", LeadState::Closed),
        ("let go lately", LeadState::New),
    ] {
        assert_eq!(lead(id).await.state, state, "{id}");
    }
    let waiting = store.waiting_leads(10).await.unwrap().rows;
    let promise = jiff::SignedDuration::from_hours(24);
    let now = jiff::Timestamp::now();
    assert!(waiting.iter().all(|lead| lead.due_at(promise) > Some(now)));
    assert_eq!(waiting.len(), 2);
    let reminded = store.remind(&[DeliveryKind::DueMail], promise * 5 / 6, now);
    assert_eq!(reminded.await.unwrap(), 1, "only the young one is due");
}

/// What an older server writes that still runs while `migrate` does its work.
#[tokio::test]
async fn rows_that_an_older_server_adds_after_the_upgrade_get_their_keys_too() {
    let (_folder, path) = version_2(&subscriber("1", COMPOSED, "pending", "", ""));
    opening::migrate(path.clone()).await.unwrap();
    let older = Connection::open(&path).unwrap();
    let late = [
        subscriber("2", DECOMPOSED, "confirmed", "2026-02-01T00:00:00.000Z", ""),
        subscriber("3", "bob@example.org", "pending", "", ""),
        "INSERT INTO contacts (id, name, email, message, created_at)
            VALUES ('1', 'Ada', 'Ada@Example.org', 'Hi', '2026-01-31T09:05:07.123Z');"
            .to_owned(),
    ];
    older.execute_batch(&late.concat()).unwrap();
    drop(older);
    let migrated = opening::migrate(path.clone()).await.unwrap();
    assert_eq!(migrated, Migrated::Nothing);
    let store = upgraded(&path).await;
    for (email, state) in [
        (COMPOSED, SubscriberState::Confirmed),
        ("bob@example.org", SubscriberState::Pending),
    ] {
        let person = store.subscriber(email.into()).await.unwrap();
        assert_eq!(person.map(|person| person.state), Some(state), "{email}");
    }
    let filter = LeadFilter {
        email: Some("ada@example.org".into()),
        limit: 10,
        ..LeadFilter::default()
    };
    assert_eq!(store.leads(filter).await.unwrap().rows.len(), 1);
}
