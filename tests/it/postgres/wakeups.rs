//! What one replica stores wakes those who deliver in all of them.

use std::time::Duration;

use frontdoor::store::OpenMode;
use jiff::Timestamp;
use tokio::time::timeout;

use crate::support::data::{lead, visitor};
use crate::support::database::Database;
use crate::support::wait::until;

const LISTENING: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN frontdoor'";

#[tokio::test]
async fn a_lead_on_one_replica_wakes_another() {
    let database = Database::postgres();
    let (one, other) = (database.create().await, database.create().await);
    let past = database.past();
    until("both listen", async || past.number(LISTENING) == 2).await;
    let mut sleeper = other.wakeups().sleeper();
    // The calls at the start are not meant.
    while timeout(Duration::from_millis(300), sleeper.woken())
        .await
        .is_ok()
    {}

    one.add_lead(lead(visitor()), Timestamp::now())
        .await
        .unwrap();
    let woken = timeout(Duration::from_secs(2), sleeper.woken()).await;
    assert!(woken.is_ok(), "nobody called");
}

#[tokio::test]
async fn who_was_cut_off_listens_again_and_looks_at_once() {
    let database = Database::postgres();
    let store = database.create().await;
    let past = database.past();
    until("it listens", async || past.number(LISTENING) == 1).await;
    let mut sleeper = store.wakeups().sleeper();
    past.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query = 'LISTEN frontdoor'",
    );
    until("it listens again", async || past.number(LISTENING) == 1).await;
    let woken = timeout(Duration::from_secs(2), sleeper.woken()).await;
    assert!(woken.is_ok(), "what was said meanwhile is never looked for");
}

#[tokio::test]
async fn only_a_server_listens_and_only_as_long_as_it_is_open() {
    let database = Database::postgres();
    let server = database.create().await;
    let past = database.past();
    until("the server listens", async || past.number(LISTENING) == 1).await;
    server.close().await.unwrap();
    until("it has stopped", async || past.number(LISTENING) == 0).await;

    let tool = database.open(OpenMode::Existing).await;
    assert_eq!(tool.probe().await, Ok(()));
    assert_eq!(past.number(LISTENING), 0);
}
