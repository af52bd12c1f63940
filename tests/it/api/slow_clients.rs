//! Clients that do not go on are let go.

use std::time::{Duration, Instant};

use frontdoor::listener::Limits;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::app::{Raw, TestApp, patient};
use crate::support::data::FAILED;
use crate::support::long;
use crate::support::wait::{PATIENCE, until};

const SHORT: Duration = Duration::from_millis(500);

const STALLED_BODY: &str = "POST /api/contacts HTTP/1.1\r\nhost: x\r\n\
    content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"name\":";
const HALF_HEADER: &str = "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ";

/// A server with one limit that is short.
async fn with(shorten: impl FnOnce(&mut Limits)) -> TestApp {
    let mut limits = patient();
    shorten(&mut limits);
    TestApp::with_limits(|_| {}, limits).await
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let app = with(|limits| limits.first_byte = SHORT).await;
    assert_eq!(app.connect().await.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_half_sent_header_is_closed() {
    let app = with(|limits| limits.header = SHORT).await;
    let mut raw = app.connect().await;
    raw.send(HALF_HEADER).await;
    assert_eq!(raw.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_trickle_of_header_bytes_buys_no_time() {
    let app = with(|limits| limits.header = SHORT).await;
    let raw = app.connect().await;
    let (mut read, mut write) = raw.0.into_split();
    let trickle = tokio::spawn(async move {
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        for byte in HALF_HEADER.bytes().chain(std::iter::repeat(b'x')) {
            pace.tick().await;
            if write.write_all(&[byte]).await.is_err() {
                break;
            }
        }
    });
    let mut rest = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut read, &mut rest);
    let closed = tokio::time::timeout(PATIENCE, read).await;
    assert!(closed.is_ok(), "still open");
    trickle.abort();
}

#[tokio::test]
async fn a_stalled_body_gets_408_and_is_closed() {
    let app = with(|limits| limits.body = SHORT).await;
    let mut raw = app.connect().await;
    raw.send(STALLED_BODY).await;
    let answer = raw.read_to_close(PATIENCE).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(FAILED));
}

#[tokio::test]
async fn a_stalled_body_for_another_path_is_closed_too() {
    let app = with(|limits| limits.body = SHORT).await;
    for path in ["/", "/nowhere"] {
        let mut raw = app.connect().await;
        raw.send(&STALLED_BODY.replace("/api/contacts", path)).await;
        let answer = raw.read_to_close(PATIENCE).await;
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
}

/// Asks once more; a connection that was closed meanwhile gives no answer.
async fn is_answered(raw: &mut Raw) -> bool {
    let request = "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n";
    if raw.0.write_all(request.as_bytes()).await.is_err() {
        return false;
    }
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        match tokio::time::timeout(PATIENCE, raw.0.read_u8()).await {
            Ok(Ok(byte)) => answer.push(byte),
            Ok(Err(_)) => return false,
            Err(_) => panic!("neither an answer nor a close"),
        }
    }
    answer.starts_with(b"HTTP/1.1 200")
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_answer_and_not_before() {
    // Those before it end no later: what is left of them is waited for, too.
    let app = with(|limits| {
        limits.first_byte = SHORT;
        limits.header = SHORT;
        limits.idle = SHORT;
    })
    .await;
    let (begin, mut last) = (Instant::now(), Instant::now());
    let mut raw = app.connect().await;
    // Longer in all than the limit: each answer starts a new wait.
    let mut pace = tokio::time::interval(SHORT / 10);
    while begin.elapsed() < 2 * SHORT {
        pace.tick().await;
        let now = Instant::now();
        if !is_answered(&mut raw).await {
            // Right only if a slow machine kept the client itself from asking.
            assert!(last.elapsed() >= SHORT, "closed too early");
            return;
        }
        last = now;
    }
    assert_eq!(raw.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_client_that_takes_no_bytes_is_closed() {
    let app = with(|limits| limits.write_stall = SHORT).await;
    let mut raw = app.connect().await;
    // Enough answers to fill every buffer in between, and nobody reads them.
    let requests = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2000);
    let send = tokio::io::AsyncWriteExt::write_all(&mut raw.0, requests.as_bytes());
    let _ = tokio::time::timeout(PATIENCE, send).await;
    let gauge = "frontdoor_open_connections";
    until("a close", async || app.metric(gauge).await == 0.0).await;
}

#[tokio::test]
async fn by_default_each_limit_forgives_a_slow_line_and_ends_within_20_seconds() {
    let limits = Limits::default();
    let waits = [
        limits.first_byte,
        limits.header,
        limits.body,
        limits.idle,
        limits.write_stall,
    ];
    let bounds = Duration::from_secs(5)..=Duration::from_secs(20);
    assert!(waits.iter().all(|wait| bounds.contains(wait)), "{waits:?}");
    if long::asked() {
        wait_for_the_default_limits().await;
    }
}

async fn wait_for_the_default_limits() {
    let app = TestApp::start().await;
    let limit = Duration::from_secs(30);
    let held = async |bytes: &str| {
        let mut raw = app.connect().await;
        raw.send(bytes).await;
        let start = Instant::now();
        raw.read_to_close(limit).await;
        start.elapsed()
    };
    let idle = "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n";
    let times = tokio::join!(held(""), held(HALF_HEADER), held(STALLED_BODY), held(idle));
    println!("closed: silent, half a header, stalled body, idle after {times:?}");
    assert!(times.0 > Duration::from_secs(1), "a slow start is forgiven");
}
