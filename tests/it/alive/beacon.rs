//! The address that is asked while all is well.

use std::fs::File;
use std::sync::Arc;

use frontdoor::alive::{Beacon, Readiness};
use frontdoor::config::{AliveSettings, Secret};

use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::until;

fn settings(receiver: &Receiver) -> AliveSettings {
    AliveSettings {
        url: Secret::new(receiver.url.parse().unwrap()),
    }
}

#[tokio::test]
async fn it_is_asked_while_leads_can_be_stored_and_not_otherwise() {
    let database = Database::sqlite();
    let store = database.create().await;
    let readiness = Readiness::new(store.clone());
    let receiver = Receiver::accepting().await;
    let mut beacon = Beacon::new(&settings(&receiver), readiness.clone()).unwrap();
    beacon.look().await;
    assert_eq!(receiver.calls().len(), 1);

    let other = database.past();
    other.hold();
    until("not ready", async || readiness.ask().await.is_err()).await;
    beacon.look().await;
    assert_eq!(
        receiver.calls().len(),
        1,
        "asked while nothing can be stored"
    );

    other.let_go();
    until("ready", async || readiness.ask().await.is_ok()).await;
    beacon.look().await;
    assert_eq!(receiver.calls().len(), 2);
}

#[tokio::test]
async fn a_failure_is_told_once_and_never_with_the_address() {
    let database = Database::sqlite();
    let readiness = Readiness::new(database.create().await);
    let receiver = Receiver::start(|call| Answer::Status(if call < 3 { 500 } else { 204 })).await;
    let mut beacon = Beacon::new(&settings(&receiver), readiness).unwrap();
    let log = database.path("log");
    let writer = Arc::new(File::create(&log).unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(writer).finish();
    let listening = tracing::subscriber::set_default(subscriber);
    for _ in 0..5 {
        beacon.look().await;
    }
    drop(listening);
    let log = std::fs::read_to_string(log).unwrap();
    assert_eq!(receiver.calls().len(), 5);
    assert_eq!(
        log.matches("cannot tell FRONTDOOR_ALIVE_URL").count(),
        1,
        "{log}"
    );
    assert_eq!(log.matches("is told again").count(), 1, "{log}");
    assert!(
        log.contains("it answered 500") && !log.contains("/hook"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_asks_as_soon_as_it_is_ready() {
    let database = Database::sqlite();
    let receiver = Receiver::accepting().await;
    let server = Process::start(
        &database.url(),
        &[("FRONTDOOR_ALIVE_URL", receiver.url.as_str())],
    );
    receiver.wait_for_calls(1).await;
    let (log, status) = server.terminate();
    assert!(
        status.success() && !log.concat().contains("/hook"),
        "{log:?}"
    );
}
