//! Visitors send forms while the server is killed again and again and the webhook's receiver
//! fails now and then: nobody's message may be lost or doubled. Twelve kills, or five hundred in
//! the long form.

use std::sync::Arc;
use std::time::{Duration, Instant};

use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::Worker;
use frontdoor::store::{DeliveryCounts, OpenMode, Store};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::support::conditions::long_or_short;
use crate::support::database::Database;
use crate::support::load::{Load, automation, compare};
use crate::support::process::Process;
use crate::support::test_store::webhook_settings;

/// A server lives until it has answered so many forms, at most: there is load before every kill,
/// on a slow machine too.
const LONGEST_LIFE: usize = 40;
/// Between the forms of one visitor.
const PACE: Duration = Duration::from_millis(20);

/// Sends what is still waiting, with a clock that runs ahead: days of pauses
/// pass in no time.
async fn deliver_the_rest(store: &Store, webhook: &str) -> DeliveryCounts {
    let settings = webhook_settings(webhook);
    for hours in 0..100 {
        let ahead = SignedDuration::from_hours(hours);
        let clock = Arc::new(move || Timestamp::now() + ahead);
        let sender = Webhook::new(&settings).unwrap();
        let worker = Worker::with(store.clone(), sender, 8, clock, Arc::new(|| 0.5));
        worker.drain().await;
        let counts = store.delivery_counts().await.unwrap();
        if counts.pending == 0 {
            return counts;
        }
    }
    store.delivery_counts().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_lead_is_lost_or_doubled_when_the_server_is_killed_again_and_again() {
    let (begin, kills) = (Instant::now(), long_or_short(500, 12));
    let database = Database::sqlite();
    let (webhook, taken) = automation().await;
    let start = || {
        let settings = [("FRONTDOOR_WEBHOOK_URL", webhook.as_str())];
        tokio::task::block_in_place(|| Process::start(&database.url(), &settings))
    };
    let mut process = start();
    let (address, site) = watch::channel(process.address);
    let (load, visitors) = Load::start(site, PACE);
    for kill in 0..kills {
        // The first ones before anybody is answered.
        let life = match kill {
            0 | 1 => 0,
            _ => rand::random_range(1..LONGEST_LIFE),
        };
        load.until_thanked(life).await;
        process.kill();
        process = start();
        address.send_replace(process.address);
    }
    load.end();
    visitors.join_all().await;
    process.kill();

    let store = database.open(OpenMode::Existing).await;
    let counts = deliver_the_rest(&store, &webhook).await;
    println!("{kills} kills in {:?}", begin.elapsed());
    let memory = load.memory();
    let is_success = |status: &u16| matches!(status, 0 | 201 | 303);
    let answers = &memory.answers;
    assert!(answers.keys().all(is_success), "{answers:?}");
    compare(&database.sql(), &memory, &taken.lock().unwrap());
    assert_eq!((counts.pending, counts.given_up), (0, 0));
}
