//! The promise of the whole product under the worst conditions: visitors
//! send forms while the server is killed again and again and the webhook's
//! receiver fails one call in five. Nobody's message may be lost or doubled.
//! Twenty kills, or five hundred in the long form.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::Worker;
use frontdoor::store::{DeliveryCounts, OpenMode, Store};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::support::data::form_with;
use crate::support::database::{Database, leads, open, sqlite_url};
use crate::support::desk::webhook_settings;
use crate::support::long;
use crate::support::process::Process;
use crate::support::receiver::{Answer, Call, Receiver};

const CLIENTS: usize = 8;
/// A server lives until it has answered so many forms, at most: there is load before every kill,
/// on a slow machine too.
const LONGEST_LIFE: usize = 40;
/// How long a visitor's browser waits for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Only servers that answer nobody need it whole.
const LIFE_LIMIT: Duration = Duration::from_secs(60);

fn kills() -> usize {
    long::or_short(500, 20)
}

/// A visitor whose browser tries again until it has an answer: each form
/// under one key. Returns the id that was answered for each form.
async fn visitor(
    number: usize,
    mut server: watch::Receiver<SocketAddr>,
    stop: watch::Receiver<bool>,
    all_answered: watch::Sender<usize>,
) -> HashMap<String, String> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .unwrap();
    let mut answered = HashMap::new();
    while !*stop.borrow() {
        let form = format!("visitor {number}, form {}", answered.len());
        let body = form_with("message", form.as_str());
        let id = loop {
            let url = format!("http://{}/api/contacts", *server.borrow_and_update());
            let request = client
                .post(url)
                .header("content-type", "application/json")
                .header("idempotency-key", &form)
                .body(body.to_string());
            let Ok(response) = request.send().await else {
                // The server is down until there is a new one. If it was only
                // slow, there will be none.
                let _ = timeout(PATIENCE, server.changed()).await;
                continue;
            };
            let status = response.status();
            assert_eq!(status, 201, "an answer is a success or none at all");
            let Ok(bytes) = response.bytes().await else {
                continue;
            };
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            break answer["id"].as_str().unwrap().to_owned();
        };
        answered.insert(form, id);
        all_answered.send_modify(|number| *number += 1);
    }
    answered
}

/// Kills and restarts the server; the moments are random, the first ones before anybody is answered.
async fn torment(
    database: &Path,
    webhook: &str,
    address: watch::Sender<SocketAddr>,
    mut all_answered: watch::Receiver<usize>,
    first: Process,
) -> Process {
    let mut process = first;
    for kill in 0..kills() {
        let life = match kill {
            0 | 1 => 0,
            _ => rand::random_range(1..LONGEST_LIFE),
        };
        let end = *all_answered.borrow() + life;
        let lived = all_answered.wait_for(|number| *number >= end);
        timeout(LIFE_LIMIT, lived).await.unwrap().unwrap();
        process = tokio::task::block_in_place(|| {
            process.kill();
            Process::start(&sqlite_url(database), &[("FRONTDOOR_WEBHOOK_URL", webhook)])
        });
        address.send_replace(process.address);
    }
    process
}

/// Sends what is still waiting, with a clock that runs ahead: days of pauses
/// pass in no time.
async fn deliver_the_rest(store: &Store, webhook: &str) -> DeliveryCounts {
    let settings = webhook_settings(webhook);
    for hours in 0..100 {
        let ahead = SignedDuration::from_hours(hours);
        let clock = Arc::new(move || Timestamp::now() + ahead);
        let sender = Webhook::new(&settings).unwrap();
        let worker = Worker::with(store.clone(), sender, CLIENTS, clock, Arc::new(|| 0.5));
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
    let _ = rustls::crypto::ring::default_provider().install_default();
    let begin = Instant::now();
    let folder = Database::sqlite();
    let database = folder.file();
    let receiver =
        Receiver::start(|call| Answer::Status(if call % 5 == 4 { 500 } else { 204 })).await;

    let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
    let first = Process::start(&sqlite_url(&database), &settings);
    let (address, server) = watch::channel(first.address);
    let (stop, stopped) = watch::channel(false);
    let (answering, all_answered) = watch::channel(0);
    let mut visitors = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let (server, stopped) = (server.clone(), stopped.clone());
        visitors.spawn(visitor(number, server, stopped, answering.clone()));
    }
    let last = torment(&database, &receiver.url, address, all_answered, first).await;
    stop.send_replace(true);
    let answered: HashMap<String, String> =
        visitors.join_all().await.into_iter().flatten().collect();
    last.kill();

    let store = open(&database, OpenMode::Existing).await;
    let by_servers = receiver.calls().len();
    let counts = deliver_the_rest(&store, &receiver.url).await;
    let leads = leads(&store).await;
    let stored = leads.iter().map(|lead| (&*lead.message, &*lead.id));
    let stored: HashMap<&str, &str> = stored.collect();
    let is_lost = |(form, id): &(&String, &String)| stored.get(form.as_str()) != Some(&id.as_str());
    let lost = answered.iter().filter(is_lost).count();
    let calls = receiver.calls();
    let accepted = calls.iter().enumerate().filter(|(call, _)| call % 5 != 4);
    let message = |call: &Call| {
        let body: Value = serde_json::from_str(&call.body).unwrap();
        body["message"].as_str().unwrap().to_owned()
    };
    let accepted: HashSet<String> = accepted.map(|(_, call)| message(call)).collect();
    let undelivered = stored.keys().filter(|form| !accepted.contains(**form));
    let undelivered = undelivered.count();
    let doubled = leads.len() - stored.len();
    println!(
        "{} kills under {CLIENTS} clients in {:?}: {} acknowledged, {} stored, {lost} lost, \
         {doubled} doubled; {} webhook calls ({by_servers} by the killed servers), {undelivered} undelivered",
        kills(),
        begin.elapsed(),
        answered.len(),
        leads.len(),
        calls.len(),
    );
    assert_eq!((lost, doubled, undelivered), (0, 0, 0));
    assert_eq!(counts.delivered, leads.len() as u64);
    assert_eq!((counts.pending, counts.given_up), (0, 0));
}
