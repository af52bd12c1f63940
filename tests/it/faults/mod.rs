//! Failures while visitors send forms: of the process, the disk, the files, the reader of the log.
//! `make chaos` runs the long forms.

mod replaced_database;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::Worker;
use frontdoor::store::{DeliveryState, OpenMode, Store};
use jiff::{SignedDuration, Timestamp};
use rustix::process::{Resource, Rlimit, Signal, kill_process, prlimit};
use tokio::sync::watch;

use crate::support::{
    Database, Process, SmallDisk, Visitors, acknowledged, automation, compare, copy_environment,
    deliveries, get, leads, long_or_short, open, send, serve, sqlite_url, stored, until,
    until_ready, webhook_settings,
};

/// A server is killed after this many answers at most, so that there is load before every kill, even
/// on a slow machine.
const MAX_LIFE: usize = 40;
/// Between the forms of one visitor.
const PACE: Duration = Duration::from_millis(20);

/// Delivers what still waits, with a clock that runs ahead, so that days of retries take no time.
async fn deliver_the_rest(store: &Store, webhook: &str) {
    let ahead = Arc::<AtomicI64>::default();
    let hours = ahead.clone();
    let clock = move || Timestamp::now() + SignedDuration::from_hours(hours.load(Ordering::SeqCst));
    let sender = Webhook::new(&webhook_settings(webhook)).unwrap();
    let worker = Worker::with(store.clone(), sender, 8, Arc::new(clock), Arc::new(|| 0.5));
    loop {
        worker.drain().await;
        let all = deliveries(store).await;
        if all
            .iter()
            .all(|each| each.state == DeliveryState::Delivered)
        {
            return;
        }
        assert!(ahead.fetch_add(1, Ordering::SeqCst) < 100, "{all:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_lead_is_lost_or_doubled_when_the_server_is_killed_again_and_again() {
    let (begin, kills) = (Instant::now(), long_or_short(500, 5));
    let database = Database::sqlite();
    let (webhook, taken) = automation().await;
    let start = || {
        let settings = [("FRONTDOOR_WEBHOOK_URL", webhook.as_str())];
        tokio::task::block_in_place(|| Process::start(&database.url(), &settings))
    };
    let mut process = start();
    let (address, site) = watch::channel(process.address);
    let visitors = Visitors::follow(site, PACE);
    for kill in 0..kills {
        // The first ones before anybody is answered.
        let life = match kill {
            0 | 1 => 0,
            _ => rand::random_range(1..MAX_LIFE),
        };
        visitors.until_acknowledged(life).await;
        process.kill();
        process = start();
        address.send_replace(process.address);
    }
    let sent = visitors.stop().await;
    process.kill();

    let store = database.open(OpenMode::Existing).await;
    deliver_the_rest(&store, &webhook).await;
    println!("{kills} kills in {:?}", begin.elapsed());
    assert!(sent.iter().all(|each| matches!(each.status, 0 | 201)));
    compare(&database.sql(), &sent, &taken.lock().unwrap());
}

/// A receiver that doesn't exist: deliveries are written, too.
const SETTINGS: [(&str, &str); 1] = [("FRONTDOOR_WEBHOOK_URL", "http://127.0.0.1:9/")];

/// Sends leads until nothing more can be stored, then again once there is room. Returns how many
/// were stored before that, and all that were acknowledged.
async fn fill_then_make_room(
    process: &Process,
    make_room: impl AsyncFnOnce(),
) -> (usize, Vec<String>) {
    let post = async |message: &str| send(process.address, message).await.status;
    let mut sent = Vec::new();
    loop {
        let message = format!("{} {}", sent.len(), "x".repeat(4000));
        match post(&message).await {
            201 => sent.push(message),
            status => break assert_eq!(status, 503),
        }
        assert!(sent.len() < 2000, "there is always room");
    }
    let room_for = sent.len();
    make_room().await;
    until("recovery", async || post("after").await == 201).await;
    sent.push("after".to_owned());
    until_ready(process.ops, 200).await;
    for number in 0..5 {
        let message = format!("after {number} {}", "x".repeat(4000));
        assert_eq!(post(&message).await, 201);
        sent.push(message);
    }
    (room_for, sent)
}

/// Everything that was acknowledged, with its delivery, and nothing else.
async fn assert_stored(database: &Path, mut sent: Vec<String>) {
    let store = open(database, OpenMode::Existing).await;
    let leads = leads(&store).await;
    assert_eq!(deliveries(&store).await.len(), leads.len());
    let mut stored: Vec<_> = leads.into_iter().map(|lead| lead.message).collect();
    stored.sort();
    sent.sort();
    assert!(stored == sent, "all of it and nothing else");
}

#[tokio::test]
async fn a_full_disk_is_a_503_with_nothing_half_stored_and_recovers_without_a_restart() {
    let Some(disk) = SmallDisk::mount("2m") else {
        return;
    };
    let database = disk.path().join("leads.db");
    let process = Process::start(&sqlite_url(&database), &SETTINGS);
    let ballast = disk.path().join("ballast");
    fs::write(&ballast, vec![0; 256 * 1024]).unwrap();
    let make_room = async || {
        let why = until_ready(process.ops, 503).await;
        assert!(why.contains("the disk is full"), "{why}");
        fs::remove_file(&ballast).unwrap();
    };
    let (room_for, sent) = fill_then_make_room(&process, make_room).await;
    // The journal must not take what the file needs.
    assert!(room_for > 120, "full after {room_for} leads");
    println!("2 MB were full after {room_for} leads of 4 kB");
    assert!(process.terminate().1.success());
    assert_stored(&database, sent).await;
}

/// Ignored signals are inherited: the write is refused, the program goes on.
fn ignoring_the_signal(database: &Path) -> Command {
    let server = serve(&sqlite_url(database));
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; exec \"$0\" serve"])
        .arg(server.get_program())
        .stdout(Stdio::piped());
    copy_environment(&server, &mut command);
    command
}

/// Makes the program's writes fail, as on a broken disk. Doesn't need root.
#[tokio::test]
async fn a_file_that_may_not_grow_is_a_503_and_recovers_without_a_restart_too() {
    let database = Database::sqlite();
    let process = Process::spawn(ignoring_the_signal(&database.file()), &SETTINGS);
    let limit_files = |current: Option<u64>| {
        let maximum = None;
        let limit = Rlimit { current, maximum };
        prlimit(Some(process.id()), Resource::Fsize, limit).unwrap();
    };
    limit_files(Some(1024 * 1024));
    let (room_for, sent) = fill_then_make_room(&process, async || limit_files(None)).await;
    println!("files of 1 MB were full after {room_for} leads of 4 kB");
    assert!(process.terminate().1.success());
    assert_stored(&database.file(), sent).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_files_has_every_lead_that_was_acknowledged_before_it_was_taken() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let mut sent = Vec::new();
    for _ in 0..12 {
        sent.push(send(process.address, "Hello").await);
        // As after a power cut. The journal first: what is checkpointed meanwhile is
        // then in the file.
        let copy = Database::sqlite();
        for name in ["leads.db-wal", "leads.db"] {
            fs::copy(database.path(name), copy.path(name)).unwrap();
        }
        let missing = &acknowledged(&sent) - &stored(&copy.file());
        assert!(missing.is_empty(), "{missing:?} of {}", sent.len());
    }
}

#[test]
fn a_reader_that_stopped_reading_does_not_keep_the_server_from_ending() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    // A pipe and our buffer hold 72 KiB; a request's line has about 200 bytes.
    for _ in 0..600 {
        let answer = get(process.address, "/robots.txt");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    kill_process(process.id(), Signal::TERM).unwrap();
    process.wait();
}
