//! Clients that do not go on are let go.

use std::time::{Duration, Instant};

use frontdoor::listener::Limits;

use crate::helpers::{PATIENCE, TestApp};

fn quick() -> Limits {
    let short = Duration::from_millis(500);
    Limits {
        first_byte: short,
        header: short,
        body: short,
        idle: short,
        write_stall: short,
        drain: short,
        ..Limits::default()
    }
}

const STALLED_BODY: &str = "POST /api/contacts HTTP/1.1\r\nhost: x\r\n\
    content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"name\":";
const HALF_HEADER: &str = "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ";

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let app = TestApp::with_limits(|_| {}, quick()).await;
    assert_eq!(app.connect().await.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_half_sent_header_is_closed() {
    let app = TestApp::with_limits(|_| {}, quick()).await;
    let mut raw = app.connect().await;
    raw.send(HALF_HEADER).await;
    assert_eq!(raw.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_trickle_of_header_bytes_buys_no_time() {
    let app = TestApp::with_limits(|_| {}, quick()).await;
    let raw = app.connect().await;
    let (mut read, mut write) = raw.0.into_split();
    let trickle = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
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
    let app = TestApp::with_limits(|_| {}, quick()).await;
    let mut raw = app.connect().await;
    raw.send(STALLED_BODY).await;
    let answer = raw.read_to_close(PATIENCE).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("Failed to send message. Please try again later."));
}

#[tokio::test]
async fn a_stalled_body_for_another_path_is_closed_too() {
    let app = TestApp::with_limits(|_| {}, quick()).await;
    for path in ["/", "/nowhere"] {
        let mut raw = app.connect().await;
        raw.send(&STALLED_BODY.replace("/api/contacts", path)).await;
        let answer = raw.read_to_close(PATIENCE).await;
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_answer_and_not_before() {
    let idle = Duration::from_secs(1);
    let limits = Limits { idle, ..quick() };
    let app = TestApp::with_limits(|_| {}, limits).await;
    let mut raw = app.connect().await;
    let request = "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n";
    // Longer in all than any single limit: each answer starts a new wait.
    let end = Instant::now() + 2 * idle;
    let mut pace = tokio::time::interval(Duration::from_millis(50));
    while Instant::now() < end {
        pace.tick().await;
        raw.send(request).await;
        assert!(raw.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 200"));
    }
    assert_eq!(raw.read_to_close(PATIENCE).await, "");
}

#[tokio::test]
async fn a_client_that_takes_no_bytes_is_closed() {
    let app = TestApp::with_limits(|_| {}, quick()).await;
    let mut raw = app.connect().await;
    // Enough answers to fill every buffer in between, and nobody reads them.
    let requests = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2000);
    let send = tokio::io::AsyncWriteExt::write_all(&mut raw.0, requests.as_bytes());
    let _ = tokio::time::timeout(PATIENCE, send).await;
    let app_metrics = async || app.get_ops("/metrics").await.text().await.unwrap();
    let start = Instant::now();
    while !app_metrics()
        .await
        .contains("frontdoor_open_connections 0\n")
    {
        assert!(start.elapsed() < PATIENCE, "still open");
        tokio::task::yield_now().await;
    }
}

/// The same with the limits the product ships with.
#[tokio::test]
async fn by_default_none_of_them_stays_longer_than_30_seconds() {
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
