//! What only SQLite can get wrong: full disks, locks, shared commits, versions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::Barrier;

use super::{Sqlite, connection};
pub use crate::store::ways::{lead, now};
use crate::store::{LeadFilter, OpenMode, StoreError};

pub async fn fresh() -> (Sqlite, PathBuf, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("leads.db");
    let store = Sqlite::open(path.clone(), OpenMode::Create).await.unwrap();
    (store, path, directory)
}

pub async fn stored(store: &Sqlite) -> usize {
    let all = LeadFilter {
        limit: 100_000,
        ..LeadFilter::default()
    };
    store.leads(all).await.unwrap().rows.len()
}

#[tokio::test]
async fn every_commit_waits_for_the_disk_and_keeps_to_foreign_keys() {
    let (store, _path, _directory) = fresh().await;
    let pragmas = store.writer.run(|db| {
        let journal: String = db.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        let synchronous: i64 = db.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        let foreign_keys: i64 = db.query_row("PRAGMA foreign_keys", [], |row| row.get(0))?;
        Ok((journal, synchronous, foreign_keys))
    });
    assert_eq!(pragmas.await.unwrap(), ("wal".to_owned(), 2, 1));
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let (store, _path, _directory) = fresh().await;
    let written = store
        .readers
        .run(|db| db.execute("DELETE FROM contacts", []));
    assert!(matches!(written.await, Err(StoreError::Unavailable(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_job_spoils_none_that_is_committed_with_it() {
    let (store, _path, _directory) = fresh().await;
    let start = Arc::new(Barrier::new(60));
    let jobs: Vec<_> = (0..60)
        .map(|number| {
            let (store, start) = (store.clone(), start.clone());
            tokio::spawn(async move {
                start.wait().await;
                if number % 3 == 0 {
                    // Half done, then wrong: the half must not stay.
                    let half = store.writer.run(|db| {
                        db.execute("INSERT INTO schema_migrations VALUES (99, 'half', '')", [])?;
                        db.execute("INSERT INTO no_such_table VALUES (1)", [])
                    });
                    return half.await.is_ok();
                }
                store.add_lead(lead(), now()).await.is_ok()
            })
        })
        .collect();
    let mut succeeded = 0;
    for job in jobs {
        succeeded += usize::from(job.await.unwrap());
    }
    assert_eq!(succeeded, 40);
    assert_eq!(stored(&store).await, 40);
    let half = store.readers.run(|db| {
        let sql = "SELECT count(*) FROM schema_migrations WHERE version = 99";
        db.query_row(sql, [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(half.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_panics_ends_neither_the_writer_nor_its_neighbours() {
    let (store, _path, _directory) = fresh().await;
    let start = Arc::new(Barrier::new(12));
    let jobs: Vec<_> = (0..12)
        .map(|number| {
            let (store, start) = (store.clone(), start.clone());
            tokio::spawn(async move {
                start.wait().await;
                match number % 4 {
                    0 => store
                        .writer
                        .run::<()>(|_| panic!("on purpose"))
                        .await
                        .is_ok(),
                    _ => store.add_lead(lead(), now()).await.is_ok(),
                }
            })
        })
        .collect();
    let mut succeeded = 0;
    for job in jobs {
        succeeded += usize::from(job.await.unwrap());
    }
    assert_eq!((succeeded, stored(&store).await), (9, 9));
    store.add_lead(lead(), now()).await.unwrap();
}

/// Goes off where nobody catches it.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_has_died_is_told_by_the_probe() {
    let (store, path, _directory) = fresh().await;
    store.probe(now()).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Nobody waits for the answer any more, so the writer itself drops it.
    let unheard = store.writer.run(|_| Ok(Mine));
    let left = tokio::time::timeout(Duration::ZERO, unheard).await;
    assert!(left.is_err(), "the answer came before its caller left");
    other.execute_batch("ROLLBACK").unwrap();
    let give_up_at = Instant::now() + Duration::from_secs(60);
    let is_closed = |error: StoreError| error.to_string().contains("the store is closed");
    // On a slow machine others come first: that it takes too long to die.
    while !store.probe(now()).await.is_err_and(is_closed) {
        assert!(Instant::now() < give_up_at, "it seems to be alive");
    }
    assert!(store.add_lead(lead(), now()).await.is_err());
}

#[tokio::test]
async fn a_full_database_stores_nothing_by_halves_and_recovers_without_a_restart() {
    let (store, _path, _directory) = fresh().await;
    let limit_pages = |pages: u32| {
        store.writer.run(move |db| {
            db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        })
    };
    // SQLite answers SQLITE_FULL from here on, as it does on a full disk.
    limit_pages(1).await.unwrap();
    let mut accepted = 0;
    let refused = loop {
        match store.add_lead(lead(), now()).await {
            Ok(_) => accepted += 1,
            Err(error) => break error,
        }
        assert!(accepted < 10_000, "the limit has no effect");
    };
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
    let deliveries = store.delivery_counts().await.unwrap().pending;
    assert_eq!(
        (stored(&store).await, deliveries),
        (accepted, accepted as u64)
    );

    limit_pages(1_000_000).await.unwrap();
    for _ in 0..100 {
        store.add_lead(lead(), now()).await.unwrap();
    }
    assert_eq!(stored(&store).await, accepted + 100);
}

#[tokio::test]
async fn a_lock_held_too_long_is_reported_and_waited_for_again() {
    let (store, path, _directory) = fresh().await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.add_lead(lead(), now()).await;
    assert!(matches!(refused, Err(StoreError::Busy(_))));
    assert_eq!(stored(&store).await, 0, "readers go on");
    other.execute_batch("ROLLBACK").unwrap();
    store.add_lead(lead(), now()).await.unwrap();
    assert_eq!(stored(&store).await, 1);
}

#[tokio::test]
async fn a_visitor_who_leaves_before_the_answer_has_still_sent_a_message() {
    let (store, path, _directory) = fresh().await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Keeps the writer waiting for the lock, so that the lead has to queue.
    let first = tokio::spawn({
        let store = store.clone();
        async move { store.add_lead(lead(), now()).await }
    });
    tokio::task::yield_now().await;
    let gone = store.add_lead(lead(), now());
    let left = tokio::time::timeout(Duration::ZERO, gone).await;
    assert!(left.is_err(), "the answer came before the visitor left");
    other.execute_batch("ROLLBACK").unwrap();
    first.await.unwrap().unwrap();
    // Behind the lead in the queue, so the lead is stored when this returns.
    store.writer.run(|_| Ok(())).await.unwrap();
    assert_eq!(stored(&store).await, 2);
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused_with_its_number() {
    let (store, path, _directory) = fresh().await;
    drop(store);
    let db = connection::open_writer(&path).unwrap();
    db.execute(
        "INSERT INTO schema_migrations VALUES (7000, 'later', '')",
        [],
    )
    .unwrap();
    let refused = Sqlite::open(path, OpenMode::Create).await.err().unwrap();
    assert!(refused.to_string().contains("7000"), "{refused}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let words = "These are notes, not a database. ".repeat(100);
    std::fs::write(&path, &words).unwrap();
    assert!(Sqlite::open(path.clone(), OpenMode::Create).await.is_err());
    assert_eq!(std::fs::read_to_string(path).unwrap(), words);
}

#[tokio::test]
async fn a_database_of_the_first_version_is_brought_up_to_date_with_its_leads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("leads.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(include_str!("../../../migrations/sqlite/0001_leads.sql"))
        .unwrap();
    db.execute_batch(
        "CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY,
            name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
        INSERT INTO schema_migrations VALUES (1, 'leads', '');
        INSERT INTO contacts (id, name, email, message, created_at)
            VALUES ('1', 'Ada', 'a@b.c', 'Hi', '2026-01-31T09:05:07.123Z');
        INSERT INTO deliveries (id, contact_id, kind, state, created_at)
            VALUES ('2', '1', 'webhook', 'delivered', '2026-01-31T09:05:07.123Z');",
    )
    .unwrap();
    drop(db);
    let store = Sqlite::open(path, OpenMode::Create).await.unwrap();
    assert_eq!(stored(&store).await, 1);
    assert_eq!(store.delivery_counts().await.unwrap().delivered, 1);
    assert!(store.subscriber("a@b.c".into()).await.unwrap().is_none());
}
