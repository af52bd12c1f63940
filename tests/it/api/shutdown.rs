//! Stopping without losing what is under way.

use std::io::Write as _;
use std::time::Duration;

use frontdoor::config::ServeArgs;
use frontdoor::listener::Limits;
use tokio::net::TcpStream;

use crate::support::app::{Raw, TestApp, patient};
use crate::support::data::good_form;
use crate::support::wait::PATIENCE;

#[tokio::test]
async fn a_request_in_flight_is_finished_before_the_stop() {
    let mut app = TestApp::with_limits(|_| {}, patient()).await;
    let body = good_form().to_string();
    let (first, rest) = body.split_at(10);
    let mut raw = app.connect().await;
    raw.send(&format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    ))
    .await;
    // The handler is now waiting for the body.
    raw.read_until("100 Continue\r\n\r\n").await;
    raw.send(first).await;
    app.stop();
    // New visitors are turned away first...
    until_refused(&app).await;
    // ...and this one is served to its end.
    raw.send(rest).await;
    let answer = raw.read_to_close(PATIENCE).await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(answer.contains("connection: close"));
    tokio::time::timeout(PATIENCE, app.stop())
        .await
        .unwrap()
        .unwrap();
    let stored = "SELECT count(*) FROM contacts";
    assert_eq!(app.past().number(stored), 1);
}

#[tokio::test]
async fn idle_connections_do_not_hold_up_the_stop() {
    let mut app = TestApp::with_limits(|_| {}, patient()).await;
    let mut kept_alive = app.connect().await;
    kept_alive.send("HEAD / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    kept_alive.read_until("\r\n\r\n").await;
    let silent = app.connect().await;
    // Well before the idle limit and the limit of the drain.
    let stopped = tokio::time::timeout(PATIENCE, app.stop()).await;
    stopped.expect("a quick stop").unwrap();
    drop(silent);
}

/// The port is closed.
async fn until_refused(app: &TestApp) {
    while TcpStream::connect(app.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

/// Everybody comes through a proxy.
async fn behind_a_proxy(limits: Limits) -> TestApp {
    let proxy = |args: &mut ServeArgs| {
        args.network.trusted_proxies = Some("127.0.0.0/8".into());
    };
    TestApp::with_limits(proxy, limits).await
}

fn form() -> String {
    let body = good_form().to_string();
    format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Answered, and told to be the last.
fn assert_last(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
}

#[tokio::test]
async fn what_a_proxy_sends_before_it_knows_of_the_stop_is_answered() {
    let mut app = behind_a_proxy(patient()).await;
    let mut kept_alive = app.connect().await;
    kept_alive.send("HEAD / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    kept_alive.read_until("\r\n\r\n").await;
    let mut silent = app.connect().await;
    app.stop();
    until_refused(&app).await;
    for connection in [&mut kept_alive, &mut silent] {
        connection.send(&form()).await;
        assert_last(&connection.read_to_close(PATIENCE).await);
    }
    tokio::time::timeout(PATIENCE, app.stop())
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn who_was_let_in_by_the_system_before_the_stop_is_answered() {
    let mut app = behind_a_proxy(patient()).await;
    // Without a pause in which the server could accept one of them.
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(app.address).unwrap();
            stream.write_all(form().as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    app.stop();
    for stream in waiting {
        let mut raw = Raw(TcpStream::from_std(stream).unwrap());
        assert_last(&raw.read_to_close(PATIENCE).await);
    }
}

#[tokio::test]
async fn a_proxy_that_sends_nothing_more_does_not_hold_up_the_stop() {
    let limits = Limits {
        farewell: Duration::from_millis(200),
        ..patient()
    };
    let mut app = behind_a_proxy(limits).await;
    let mut kept_alive = app.connect().await;
    kept_alive.send("HEAD / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    kept_alive.read_until("\r\n\r\n").await;
    let stopped = tokio::time::timeout(PATIENCE, app.stop()).await;
    stopped.expect("a quick stop").unwrap();
}

#[tokio::test]
async fn a_client_that_never_ends_cannot_hold_up_the_stop_for_ever() {
    let limits = Limits {
        drain: Duration::from_millis(200),
        ..patient()
    };
    let mut app = TestApp::with_limits(|_| {}, limits).await;
    let mut raw = app.connect().await;
    raw.send("GET / HTTP/1.1\r\nhost: ").await;
    let stopped = tokio::time::timeout(PATIENCE, app.stop()).await;
    stopped.expect("a bounded stop").unwrap();
}
