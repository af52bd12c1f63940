//! Whatever is posted, the server neither panics nor calls it its own fault.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::support::app::TestApp;
use crate::support::data::{fields_with, good_form, urlencoded};
use crate::support::long;

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const KINDS: [&str; 4] = [JSON, JSON, FORM, "text/plain"];
const NAMES: [&str; 6] = [
    "name",
    "email",
    "message",
    "source",
    "leave_empty",
    "elapsed_ms",
];
const VALUES: [&str; 9] = [
    "\"a@b.c\"",
    "\"\"",
    "null",
    "1e999",
    "{}",
    "[[]]",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"x\\r\\ny\"",
];

fn any_of<'a>(random: &mut SmallRng, all: &[&'a str]) -> &'a str {
    all[random.random_range(0..all.len())]
}

/// Noise, an object of odd values, or an almost good form.
fn random_body(random: &mut SmallRng) -> Vec<u8> {
    let length = random.random_range(0..8);
    match random.random_range(0..4) {
        0 => (0..length * 50).map(|_| random.random()).collect(),
        1 => {
            let mut member = || {
                let (name, value) = (any_of(random, &NAMES), any_of(random, &VALUES));
                format!("\"{name}\":{value}")
            };
            let members: Vec<_> = (0..length).map(|_| member()).collect();
            format!("{{{}}}", members.join(",")).into_bytes()
        }
        2 => mutated(random, good_form().to_string()),
        _ => mutated(
            random,
            urlencoded(&fields_with(&[("message", "\u{1f600}")])),
        ),
    }
}

fn mutated(random: &mut SmallRng, body: String) -> Vec<u8> {
    let mut body = body.into_bytes();
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

#[tokio::test]
async fn thousands_of_random_bodies_give_no_5xx_and_no_panic() {
    let app = TestApp::start().await;
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let mut statuses = BTreeMap::<u16, u64>::new();
    for _ in 0..long::or_short(100_000, 2_000) {
        let request = Request::post("/api/contacts")
            .header("host", "x")
            .header("content-type", any_of(&mut random, &KINDS))
            .body(Full::new(Bytes::from(random_body(&mut random))))
            .unwrap();
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let answer = app.app.answer(request, peer).await;
        *statuses.entry(answer.status().as_u16()).or_default() += 1;
        answer.into_body().collect().await.unwrap();
    }
    assert!(statuses.keys().all(|status| *status < 500), "{statuses:?}");
    for status in [201, 303, 400, 415, 422] {
        let is_met = statuses.contains_key(&status);
        assert!(is_met, "the bodies are of every kind: {statuses:?}");
    }
}
