//! A collector that is gone, refuses or hangs costs nobody anything.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use tokio::sync::watch;

use super::{Collector, traced};
use crate::support::client::metrics;
use crate::support::database::Database;
use crate::support::process::{Process, get, post_lead};
use crate::support::receiver::Answer;
use crate::support::wait::until;

async fn number(server: &Process, name: &str) -> u64 {
    let told = metrics(server.ops).await;
    let line = told.lines().find(|line| line.starts_with(name));
    let value = line.unwrap_or_else(|| panic!("{name}: {told}"));
    value.rsplit(' ').next().unwrap().parse().unwrap()
}

const SENT: &str = "frontdoor_trace_spans_sent_total";
const DROPPED: &str = "frontdoor_trace_spans_dropped_total";
const MOST_IN_A_CALL: usize = 512;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_collector_does_not_take_is_dropped_counted_and_told_once() {
    let database = Database::sqlite();
    // The first two calls are refused.
    let collector = Collector::start(|call| Answer::Status(if call < 2 { 503 } else { 200 })).await;
    let server = traced(&database, &collector.url, &[]);
    for calls in 1..=3 {
        get(server.address, "/about");
        until("a call", async || collector.calls() >= calls).await;
    }
    until("an arrival", async || number(&server, SENT).await == 1).await;
    assert_eq!(number(&server, DROPPED).await, 2);
    let (log, status) = server.terminate();
    assert!(status.success());
    let lines = |words: &str| log.iter().filter(|line| line.contains(words)).count();
    assert_eq!(lines("traces cannot be sent"), 1, "{log:#?}");
    assert_eq!(lines("it answered 503"), 1, "{log:#?}");
    assert_eq!(lines("traces are sent again"), 1, "{log:#?}");
    assert!(!log.concat().contains(&collector.url), "{log:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_gone_costs_no_visitor_anything() {
    let database = Database::sqlite();
    let server = traced(&database, "http://127.0.0.1:9", &[]);
    post_lead(server.address, &[]);
    assert!(get(server.address, "/about").starts_with("HTTP/1.1 200"));
    until("a drop", async || number(&server, DROPPED).await >= 3).await;
    assert_eq!(number(&server, SENT).await, 0);
    let (log, status) = server.terminate();
    assert!(status.success());
    let told = log.iter().filter(|line| line.contains("traces cannot"));
    assert_eq!(told.count(), 1, "{log:#?}");
    assert!(log.concat().contains("it refuses connections"), "{log:#?}");
}

/// Many requests on one connection: quicker than the collector is given up, on a
/// slow machine too.
fn ask_often(server: SocketAddr) {
    let mut stream = TcpStream::connect(server).unwrap();
    let requests = "HEAD /about HTTP/1.1\r\nhost: x\r\n\r\n".repeat(500);
    let last = "HEAD /about HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    write!(stream, "{requests}{last}").unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
}

/// It hangs: calls end by their time limit, the queue by its length, and the stop
/// within its patience.
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_hangs_is_left_in_time_and_keeps_no_stop_waiting() {
    let database = Database::sqlite();
    let (_gate, closed) = watch::channel(false);
    let collector = Collector::start(move |_| Answer::AtGate(closed.clone())).await;
    let server = traced(&database, &collector.url, &[]);
    // Until more are dropped than can be of calls that were given up: the queue is full.
    while number(&server, DROPPED).await <= (MOST_IN_A_CALL * collector.calls()) as u64 {
        ask_often(server.address);
    }
    // Told after the call that is under way.
    let calls = collector.calls();
    until("the time limit", async || collector.calls() > calls).await;
    assert!(get(server.address, "/about").starts_with("HTTP/1.1 200"));
    let (log, status) = server.terminate();
    assert!(status.success());
    let log = log.concat();
    for words in [
        "no answer within 5 s",
        "more traces than the collector takes",
        "traces were cut off by the stop",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
}

#[test]
fn wrong_settings_are_one_line_without_the_secret() {
    use crate::support::process::{refusal, serve};
    let database = Database::sqlite();
    for (name, value) in [
        ("FRONTDOOR_OTLP_URL", "hush"),
        ("FRONTDOOR_OTLP_HEADERS", "hush"),
        ("FRONTDOOR_OTLP_RATIO", "2"),
    ] {
        let mut command = serve(&database.url());
        command.env("FRONTDOOR_OTLP_URL", "http://127.0.0.1:9");
        let said = refusal(command.env(name, value));
        assert_eq!((said.code, said.err.lines().count()), (2, 1), "{name}");
        said.complains(name);
        assert!(!said.err.contains("hush"), "{}", said.err);
    }
}
