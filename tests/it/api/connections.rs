//! Connections: valid and invalid HTTP/1.1, slow clients, the limit for each address, and a stop that
//! loses no request in flight.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use frontdoor::config::ServeArgs;
use frontdoor::listener::Limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{
    Database, FAILED, Raw, TIMEOUT, TestApp, bind, generous_limits, good_form, until,
};

const SHORT: Duration = Duration::from_millis(500);
const ASK: &str = "GET /robots.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
const ASK_AND_STAY: &str = "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n";
const HALF_HEADER: &str = "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ";
const STALLED_BODY: &str = "POST /api/contacts HTTP/1.1\r\nhost: x\r\n\
    content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"name\":";
/// The beginning of a request: the handler waits for its body.
const BUSY: &str = "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
    content-length: 9\r\nexpect: 100-continue\r\n\r\n";

/// A server with one changed limit; no test reaches the others.
async fn with(change: impl FnOnce(&mut Limits)) -> TestApp {
    let mut limits = generous_limits();
    change(&mut limits);
    TestApp::with_limits(|_| {}, limits).await
}

fn limit_each_address_to_three(limits: &mut Limits) {
    limits.per_address = 3;
    limits.exempt_private_networks = false;
}

/// A connection from this address of the machine.
async fn connect_from(own: &str, to: SocketAddr) -> Raw {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::new(own.parse().unwrap(), 0))
        .unwrap();
    Raw(socket.connect(to).await.unwrap())
}

async fn keep_alive(mut raw: Raw) -> Raw {
    raw.send(ASK_AND_STAY).await;
    assert!(raw.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 200"));
    raw
}

async fn begin_request(mut raw: Raw) -> Raw {
    raw.send(BUSY).await;
    raw.read_until("100 Continue\r\n\r\n").await;
    raw
}

/// Sends the rest of [`BUSY`], which isn't JSON.
async fn finish_request(mut busy: Raw) {
    busy.send("{        ").await;
    let answer = busy.read_until("\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"));
}

/// Whether a request gets an answer before the connection is closed or reset.
async fn is_served(mut raw: Raw) -> bool {
    let _ = raw.0.write_all(ASK.as_bytes()).await;
    let answer = raw.read_to_close().await;
    answer.starts_with("HTTP/1.1 200")
}

#[tokio::test]
async fn a_client_that_sends_too_slowly_or_stops_sending_is_disconnected() {
    let app = with(|limits| (limits.header, limits.body) = (SHORT, SHORT)).await;
    let stalled = |path: &str| STALLED_BODY.replace("/api/contacts", path);
    let mut waiting = JoinSet::new();
    for (sent, answer) in [
        (String::new(), ""),
        (HALF_HEADER.to_owned(), ""),
        (ASK_AND_STAY.to_owned(), "HTTP/1.1 200 "),
        (stalled("/api/contacts"), "HTTP/1.1 408 "),
        (stalled("/"), "HTTP/1.1 405 "),
        (stalled("/nowhere"), "HTTP/1.1 404 "),
    ] {
        let mut raw = app.connect().await;
        raw.send(&sent).await;
        waiting.spawn(async move { (sent, answer, raw.read_to_close().await) });
    }
    // Sending header bytes slowly doesn't extend the limit.
    let (mut read, mut write) = app.connect().await.0.into_split();
    let trickle = tokio::spawn(async move {
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        for byte in HALF_HEADER.bytes().chain(std::iter::repeat(b'x')) {
            pace.tick().await;
            if write.write_all(&[byte]).await.is_err() {
                break;
            }
        }
    });
    let closed = timeout(TIMEOUT, read.read_to_end(&mut Vec::new())).await;
    assert!(closed.is_ok(), "still open");
    trickle.abort();
    for (sent, expected, answer) in waiting.join_all().await {
        let is_expected = answer.starts_with(expected) && answer.is_empty() == expected.is_empty();
        assert!(is_expected, "{sent}: {answer}");
        assert_eq!(answer.contains(FAILED), expected.contains("408"), "{sent}");
    }
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let app = with(|limits| limits.write_stall = SHORT).await;
    let mut raw = app.connect().await;
    // Enough unread answers to fill every buffer in between.
    let requests = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2000);
    let _ = timeout(TIMEOUT, raw.0.write_all(requests.as_bytes())).await;
    let gauge = "frontdoor_open_connections";
    until("a close", async || app.metric(gauge).await == 0.0).await;
}

#[test]
fn the_default_limits_allow_a_slow_line_and_end_within_20_seconds() {
    let limits = Limits::default();
    let waits = [limits.header, limits.body, limits.write_stall];
    let bounds = Duration::from_secs(5)..=Duration::from_secs(20);
    assert!(waits.iter().all(|wait| bounds.contains(wait)), "{waits:?}");
}

#[tokio::test]
async fn an_address_at_its_limit_loses_its_oldest_idle_connection_or_gets_no_new_one() {
    let app = with(limit_each_address_to_three).await;
    let from = |own| connect_from(own, app.address);
    let other = keep_alive(from("127.0.0.3").await).await;
    let working = begin_request(from("127.0.0.2").await).await;
    let mut oldest = keep_alive(from("127.0.0.2").await).await;
    let younger = keep_alive(from("127.0.0.2").await).await;
    let newcomer = keep_alive(from("127.0.0.2").await).await;
    assert_eq!(oldest.read_to_close().await, "");
    keep_alive(other).await;
    // All three are busy.
    let held = [begin_request(younger).await, begin_request(newcomer).await];
    let mut closed = from("127.0.0.2").await;
    assert_eq!(closed.read_to_close().await, "");
    assert!(is_served(from("127.0.0.3").await).await);
    finish_request(working).await;
    until("its slot is free again", async || {
        is_served(from("127.0.0.2").await).await
    })
    .await;
    drop(held);
}

#[tokio::test]
async fn trusted_proxies_and_this_machine_have_no_limit_per_address() {
    let mut limits = generous_limits();
    limit_each_address_to_three(&mut limits);
    let proxy = |args: &mut ServeArgs| args.network.trusted_proxies = Some("127.0.0.2".into());
    let trusting = TestApp::with_limits(proxy, limits).await;
    let local = with(|limits| limits.per_address = 3).await;
    for (app, from) in [(trusting, "127.0.0.2"), (local, "127.0.0.1")] {
        let mut held = Vec::new();
        for _ in 0..8 {
            held.push(begin_request(connect_from(from, app.address).await).await);
        }
    }
}

#[tokio::test]
async fn at_the_limit_only_idle_and_silent_connections_make_room_for_new_ones() {
    let app = with(|limits| limits.connections = 2).await;
    let mut oldest = keep_alive(app.connect().await).await;
    let younger = keep_alive(app.connect().await).await;
    assert!(is_served(app.connect().await).await);
    assert_eq!(oldest.read_to_close().await, "");
    drop(keep_alive(younger).await);
    let mut silent = app.connect().await;
    let mut half = app.connect().await;
    half.send(HALF_HEADER).await;
    let one = begin_request(app.connect().await).await;
    let two = begin_request(app.connect().await).await;
    assert_eq!(silent.read_to_close().await, "");
    assert_eq!(half.read_to_close().await, "");
    // Requests in progress are never cut off: a new connection waits for their end.
    let mut third = app.connect().await;
    third.send(ASK).await;
    // By then the server has had its turn for whoever waits.
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    let nothing = third.0.try_read(&mut [0]);
    assert!(nothing.is_err(), "answered although all slots are taken");
    finish_request(one).await;
    let answer = third.read_to_close().await;
    assert!(answer.starts_with("HTTP/1.1 200"));
    finish_request(two).await;
}

#[tokio::test]
async fn the_systems_queue_of_connections_is_long_enough_for_a_rush() {
    let database = Database::new();
    let server = bind(&database, |_| {}, Limits::default()).await;
    let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let rush = allowed.trim().parse::<usize>().unwrap().min(400);
    let mut queue = Vec::new();
    for number in 0..rush {
        let connected = timeout(TIMEOUT, TcpStream::connect(server.address())).await;
        let connected = connected.unwrap_or_else(|_| panic!("only {number} fit"));
        queue.push(connected.unwrap());
    }
}

/// A server that trusts everybody on this machine as a proxy.
async fn behind_a_proxy(limits: Limits) -> TestApp {
    let proxy = |args: &mut ServeArgs| {
        args.network.trusted_proxies = Some("127.0.0.0/8".into());
    };
    TestApp::with_limits(proxy, limits).await
}

async fn assert_stops(app: &mut TestApp) {
    let stopped = timeout(TIMEOUT, app.stop()).await;
    stopped.expect("a stop in time").unwrap();
}

/// The port is closed.
async fn until_refused(app: &TestApp) {
    while TcpStream::connect(app.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

fn form() -> String {
    let body = good_form().to_string();
    format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The form is stored, and the answer closes the connection.
fn assert_last(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
}

#[tokio::test]
async fn a_request_in_flight_is_finished_before_the_stop_and_idle_connections_are_closed() {
    let mut app = with(|_| {}).await;
    let idle = [keep_alive(app.connect().await).await, app.connect().await];
    let form = form().replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    let (header, body) = form.split_at(form.find('{').unwrap());
    let mut raw = app.connect().await;
    raw.send(header).await;
    // The handler is now waiting for the body.
    raw.read_until("100 Continue\r\n\r\n").await;
    app.stop();
    until_refused(&app).await;
    for mut idle in idle {
        assert_eq!(idle.read_to_close().await, "");
    }
    raw.send(body).await;
    assert_last(&raw.read_to_close().await);
    assert_stops(&mut app).await;
    assert_eq!(app.sql().number("SELECT count(*) FROM contacts"), 1);
}

#[tokio::test]
async fn an_endless_request_or_a_proxys_idle_connection_does_not_delay_the_stop() {
    let soon = Duration::from_millis(200);
    let mut app = with(|limits| limits.drain = soon).await;
    let mut endless = app.connect().await;
    endless.send(HALF_HEADER).await;
    assert_stops(&mut app).await;
    let limits = Limits {
        proxy_grace: soon,
        ..generous_limits()
    };
    let mut app = behind_a_proxy(limits).await;
    let of_proxy = keep_alive(app.connect().await).await;
    assert_stops(&mut app).await;
    drop(of_proxy);
}

#[tokio::test]
async fn requests_that_a_proxy_sends_during_the_stop_are_answered() {
    let mut app = behind_a_proxy(generous_limits()).await;
    let kept_alive = keep_alive(app.connect().await).await;
    let silent = app.connect().await;
    // Those that only the kernel has taken: without a pause in which the server could accept one.
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(app.address).unwrap();
            stream.write_all(form().as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    app.stop();
    until_refused(&app).await;
    for mut connection in [kept_alive, silent] {
        connection.send(&form()).await;
        assert_last(&connection.read_to_close().await);
    }
    for stream in waiting {
        let mut raw = Raw(TcpStream::from_std(stream).unwrap());
        assert_last(&raw.read_to_close().await);
    }
    assert_stops(&mut app).await;
}

/// Everything that a request brings back on a new connection.
async fn exchange(app: &TestApp, request: &str) -> String {
    let mut raw = app.connect().await;
    raw.send(request).await;
    raw.read_to_close().await
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("closed")
}

/// A good form in one chunk, with these additional header lines.
fn chunked(lines: &str) -> String {
    let form = good_form().to_string();
    format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\n{lines}\r\n{:x}\r\n{form}\r\n0\r\n\r\n",
        form.len()
    )
}

#[tokio::test]
async fn a_request_names_one_host_and_a_target_on_this_site() {
    let app = TestApp::start().await;
    let get = "GET /robots.txt HTTP/1.1";
    let host = "host: x\r\n";
    for (line, lines, expected) in [
        (get, "", "400"),
        (get, "host: a.example\r\nhost: a.example\r\n", "400"),
        (get, "host:\r\n", "400"),
        (get, "host: a.example, b.example\r\n", "400"),
        (get, "host: a.example/path\r\n", "400"),
        (get, "host: a.example:port\r\n", "400"),
        (get, "host: a.example:1:2\r\n", "400"),
        (get, "host: <script>\r\n", "400"),
        (get, "host: \u{e9}.example\r\n", "400"),
        (get, "host: a.example\r\n", "200"),
        (get, "host: A.example:8080\r\n", "200"),
        (get, "host: [::1]:8080\r\n", "200"),
        (get, "host: under_score.example\r\n", "200"),
        ("GET / HTTP/1.0", "", "200"),
        ("GET / HTTP/1.0", "host: a b\r\n", "400"),
        // A target with the whole address means its path.
        ("GET http://x/services HTTP/1.1", host, "200"),
        (
            "GET https://other.example:8443/services?a=b HTTP/1.1",
            host,
            "200",
        ),
        ("GET http://x HTTP/1.1", host, "200"),
        ("GET http://x/nowhere HTTP/1.1", host, "404"),
        ("GET ftp://x/services HTTP/1.1", host, "400"),
        ("GET * HTTP/1.1", host, "400"),
        ("GET x HTTP/1.1", host, "400"),
        ("GET x:443 HTTP/1.1", host, "400"),
        ("CONNECT x:443 HTTP/1.1", "host: x:443\r\n", "405"),
    ] {
        let request = format!("{line}\r\n{lines}connection: close\r\n\r\n");
        let answer = exchange(&app, &request).await;
        assert_eq!(status(&answer), expected, "{line} {lines:?}");
        let secure = answer.contains("x-content-type-options: nosniff");
        assert!(secure && answer.contains("x-request-id: "), "{answer}");
    }
    // A bad one ends its connection.
    let two = "POST /api/contacts HTTP/1.1\r\ncontent-length: 0\r\n\r\n\
        GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n";
    let answer = exchange(&app, two).await;
    assert_eq!(status(&answer), "400");
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
}

#[tokio::test]
async fn a_body_is_chunked_or_has_one_length_and_anything_else_is_refused() {
    let app = TestApp::start().await;
    for (lines, expected) in [
        ("transfer-encoding: chunked\r\n", "201"),
        ("transfer-encoding: Chunked\r\n", "201"),
        ("transfer-encoding: gzip\r\n", "400"),
        ("transfer-encoding: gzip, chunked\r\n", "400"),
        ("transfer-encoding: chunked, chunked\r\n", "400"),
        ("transfer-encoding:\r\n", "400"),
        ("content-length: 5\r\ncontent-length: 6\r\n", "400"),
        ("content-length: 5, 5\r\n", "400"),
    ] {
        let answer = exchange(&app, &chunked(lines)).await;
        assert_eq!(status(&answer), expected, "{lines:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    assert_eq!(app.leads().await.len(), 2, "nothing refused was stored");
    // A client that sends both hopes that a proxy and we see different ends: nothing behind the
    // chunks is read as a request.
    for lines in [
        "transfer-encoding: chunked\r\n",
        "content-length: 4\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 4\r\n",
    ] {
        let post = chunked(lines).replace("connection: close\r\n", "");
        let answer = exchange(&app, &format!("{post}GET / HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        assert_eq!(status(&answer), "201", "{lines:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
}
