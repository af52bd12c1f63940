//! Whatever is posted, the server neither breaks nor calls it its own fault.

use std::net::SocketAddr;
use std::time::Instant;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::support::app::TestApp;
use crate::support::data::{fields_with, good_form, urlencoded};
use crate::support::long;

const TASKS: u64 = 4;
const KINDS: [&str; 4] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-8",
    "text/plain",
];
const NAMES: [&str; 9] = [
    "name",
    "email",
    "phone",
    "message",
    "form_location",
    "idempotency_key",
    "source",
    "leave_empty",
    "elapsed_ms",
];
const VALUES: [&str; 12] = [
    "\"a@b.c\"",
    "\"\"",
    "null",
    "1e999",
    "-1",
    "{}",
    "[[]]",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"x\\r\\ny\"",
    "true",
    "\"homepage\"",
];

const PUNCTUATION: &[u8] = b"{}[]\",:=&%+0\\u\0";

/// A body between plain noise and an almost good form.
fn random_body(random: &mut SmallRng) -> Vec<u8> {
    match random.random_range(0..5) {
        0 => (0..random.random_range(0..400))
            .map(|_| random.random())
            .collect(),
        1 => random_object(random).into_bytes(),
        2 => mutated(random, good_form().to_string().into_bytes()),
        3 => {
            let fields = fields_with(&[("message", "\u{1f600}"), ("phone", " ")]);
            mutated(random, urlencoded(&fields).into_bytes())
        }
        _ => (0..random.random_range(0..60))
            .map(|_| PUNCTUATION[random.random_range(0..PUNCTUATION.len())])
            .collect(),
    }
}

fn random_object(random: &mut SmallRng) -> String {
    let fields = (0..random.random_range(0..8)).map(|_| {
        let name = NAMES[random.random_range(0..NAMES.len())];
        format!(
            "\"{name}\":{}",
            VALUES[random.random_range(0..VALUES.len())]
        )
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn mutated(random: &mut SmallRng, mut body: Vec<u8>) -> Vec<u8> {
    for _ in 0..random.random_range(0..4) {
        let place = random.random_range(0..body.len());
        match random.random_range(0..3) {
            0 => body[place] = random.random(),
            1 => body.truncate(place.max(1)),
            _ => body.insert(place, random.random()),
        }
    }
    body
}

fn random_request(random: &mut SmallRng) -> Request<Full<Bytes>> {
    let body = random_body(random);
    let kind = KINDS[[0, 0, 0, 1, 1, 1, 2, 3][random.random_range(0..8)]];
    Request::post("/api/contacts")
        .header("host", "x")
        .header("content-type", kind)
        .body(Full::new(body.into()))
        .unwrap()
}

/// Enough for every kind of answer many times over.
fn number_of_bodies() -> u64 {
    long::or_short(100_000, 2_000)
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_random_bodies_give_no_5xx_and_no_panic() {
    let bodies = number_of_bodies();
    let app = TestApp::start().await;
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let (start, peer) = (Instant::now(), SocketAddr::from(([127, 0, 0, 1], 1)));
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let app = app.app.clone();
        let mut random = SmallRng::seed_from_u64(seed.wrapping_add(task));
        tasks.spawn(async move {
            let mut statuses = std::collections::BTreeMap::<u16, u64>::new();
            for _ in 0..bodies / TASKS {
                let answer = app.answer(random_request(&mut random), peer).await;
                *statuses.entry(answer.status().as_u16()).or_default() += 1;
                answer.into_body().collect().await.unwrap();
            }
            statuses
        });
    }
    let mut all = std::collections::BTreeMap::<u16, u64>::new();
    while let Some(statuses) = tasks.join_next().await {
        for (status, count) in statuses.expect("no panic") {
            *all.entry(status).or_default() += count;
        }
    }
    println!("{all:?} in {:?}", start.elapsed());
    assert_eq!(all.values().sum::<u64>(), bodies);
    assert!(all.keys().all(|status| *status < 500), "{all:?}");
    for status in [201, 303, 400, 415, 422] {
        assert!(
            all.contains_key(&status),
            "the bodies are of every kind: {all:?}"
        );
    }
}
