//! What one replica stores wakes those who deliver in all of them.

use std::time::Duration;

use frontdoor::domain::HoldReason;
use frontdoor::store::{OpenMode, Sleeper};
use jiff::Timestamp;
use tokio::time::timeout;

use crate::support::data::{lead, visitor};
use crate::support::database::{Database, deliveries};
use crate::support::office::Office;
use crate::support::wait::{PATIENCE, until};

const LISTENING: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN frontdoor'";
const GIVE_UP: &str = "UPDATE deliveries SET state = 'given_up', attempts = 1,
    next_attempt_at = NULL, finished_at = now()";

#[tokio::test]
async fn a_lead_on_one_replica_wakes_another() {
    let database = Database::postgres();
    let (one, other) = (database.create().await, database.create().await);
    let past = database.past();
    until("both listen", async || past.number(LISTENING) == 2).await;
    let mut sleeper = other.wakeups().sleeper();
    fall_asleep(&mut sleeper).await;
    one.add_lead(lead(visitor()), Timestamp::now())
        .await
        .unwrap();
    assert!(is_called(&mut sleeper).await, "nobody called");
}

#[tokio::test]
async fn what_the_owners_tools_make_due_wakes_a_server() {
    let office = Office::over(Database::postgres()).await;
    let past = office.database.past();
    until("it listens", async || past.number(LISTENING) == 1).await;
    let lead = office.add(visitor(), Some(HoldReason::Decoy)).await;
    let delivery = deliveries(&office.store).await.remove(0).id;
    let mut sleeper = office.store.wakeups().sleeper();
    for command in [
        ["leads", "release", &lead],
        ["deliveries", "retry", &delivery],
        ["deliveries", "retry", "--all"],
    ] {
        fall_asleep(&mut sleeper).await;
        let said = office.run(&command);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(is_called(&mut sleeper).await, "{command:?} calls nobody");
        past.run(GIVE_UP);
    }
}

/// The calls so far are not meant.
async fn fall_asleep(sleeper: &mut Sleeper) {
    let quiet = Duration::from_millis(300);
    while timeout(quiet, sleeper.woken()).await.is_ok() {}
}

async fn is_called(sleeper: &mut Sleeper) -> bool {
    timeout(PATIENCE, sleeper.woken()).await.is_ok()
}

#[tokio::test]
async fn who_was_cut_off_listens_again_and_looks_at_once() {
    let database = Database::postgres();
    let store = database.create().await;
    let past = database.past();
    until("it listens", async || past.number(LISTENING) == 1).await;
    let mut sleeper = store.wakeups().sleeper();
    fall_asleep(&mut sleeper).await;
    past.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query = 'LISTEN frontdoor'",
    );
    until("it listens again", async || past.number(LISTENING) == 1).await;
    assert!(
        is_called(&mut sleeper).await,
        "what was said meanwhile is never looked for"
    );
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
