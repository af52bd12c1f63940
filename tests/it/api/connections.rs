//! No address holds the door shut, and a newcomer need not wait for the idle.

use std::net::SocketAddr;

use frontdoor::config::ServeArgs;
use frontdoor::listener::Limits;
use tokio::net::{TcpSocket, TcpStream};

use crate::support::app::{Raw, TestApp, bind, patient};
use crate::support::database::Database;
use crate::support::wait::{PATIENCE, until};

const ASK: &str = "GET /robots.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
const ASK_AND_STAY: &str = "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n";
/// A request that is being handled: its body has yet to come.
const BUSY: &str = "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
    content-length: 9\r\nexpect: 100-continue\r\n\r\n";

fn three_each() -> Limits {
    Limits {
        per_address: 3,
        spare_nearby: false,
        ..patient()
    }
}

/// Room for two, who may be idle for longer than a test waits.
fn two_in_all() -> Limits {
    Limits {
        connections: 2,
        ..patient()
    }
}

/// A connection from an address of this machine's choice.
async fn connect_from(own: &str, to: SocketAddr) -> Raw {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::new(own.parse().unwrap(), 0))
        .unwrap();
    Raw(socket.connect(to).await.unwrap())
}

async fn stay(mut raw: Raw) -> Raw {
    raw.send(ASK_AND_STAY).await;
    assert!(raw.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 200"));
    raw
}

async fn busy(mut raw: Raw) -> Raw {
    raw.send(BUSY).await;
    raw.read_until("100 Continue\r\n\r\n").await;
    raw
}

async fn three_busy(app: &TestApp) -> Vec<Raw> {
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(busy(app.connect().await).await);
    }
    held
}

/// Sends the rest of [`BUSY`], which is no JSON.
async fn finish(mut busy: Raw) {
    busy.send("{        ").await;
    assert!(
        busy.read_until("\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400")
    );
}

/// Whether a request gets an answer; closed or reset: it does not.
async fn is_served(mut raw: Raw) -> bool {
    let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.0, ASK.as_bytes()).await;
    raw.read_to_close(PATIENCE)
        .await
        .starts_with("HTTP/1.1 200")
}

#[tokio::test]
async fn one_address_has_its_share_of_connections_and_others_have_theirs() {
    let app = TestApp::with_limits(|_| {}, three_each()).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(busy(connect_from("127.0.0.2", app.address).await).await);
    }
    assert!(!is_served(connect_from("127.0.0.2", app.address).await).await);
    assert!(is_served(connect_from("127.0.0.3", app.address).await).await);
    held.pop();
    until("its place is free again", async || {
        is_served(connect_from("127.0.0.2", app.address).await).await
    })
    .await;
}

#[tokio::test]
async fn at_its_share_an_address_gives_up_what_it_left_idle_longest() {
    let app = TestApp::with_limits(|_| {}, three_each()).await;
    let other = stay(connect_from("127.0.0.3", app.address).await).await;
    let busy = busy(connect_from("127.0.0.2", app.address).await).await;
    let mut oldest = stay(connect_from("127.0.0.2", app.address).await).await;
    let younger = stay(connect_from("127.0.0.2", app.address).await).await;
    let newcomer = stay(connect_from("127.0.0.2", app.address).await).await;
    assert_eq!(oldest.read_to_close(PATIENCE).await, "");
    for kept in [other, younger, newcomer] {
        stay(kept).await;
    }
    finish(busy).await;
}

#[tokio::test]
async fn a_connection_too_many_is_closed_at_once() {
    let app = TestApp::with_limits(|_| {}, three_each()).await;
    let held = three_busy(&app).await;
    // It says nothing and is closed long before the limit for its first byte.
    assert_eq!(app.connect().await.read_to_close(PATIENCE).await, "");
    drop(held);
}

#[tokio::test]
async fn an_ipv6_client_has_its_share_too() {
    let listen = |args: &mut ServeArgs| args.network.listen = Some("[::1]:0".into());
    let app = TestApp::with_limits(listen, three_each()).await;
    let held = three_busy(&app).await;
    assert!(!is_served(app.connect().await).await);
    drop(held);
}

#[tokio::test]
async fn a_trusted_proxy_and_this_machine_itself_have_no_share() {
    let proxy = |args: &mut ServeArgs| args.network.trusted_proxies = Some("127.0.0.2".into());
    let trusting = TestApp::with_limits(proxy, three_each()).await;
    let limits = Limits {
        spare_nearby: true,
        ..three_each()
    };
    let local = TestApp::with_limits(|_| {}, limits).await;
    for (app, from) in [(trusting, "127.0.0.2"), (local, "127.0.0.1")] {
        let mut held = Vec::new();
        for _ in 0..8 {
            held.push(busy(connect_from(from, app.address).await).await);
        }
    }
}

#[tokio::test]
async fn in_a_full_house_whoever_is_idle_longest_makes_room() {
    let app = TestApp::with_limits(|_| {}, two_in_all()).await;
    let mut oldest = stay(app.connect().await).await;
    let younger = stay(app.connect().await).await;
    assert!(is_served(app.connect().await).await);
    assert_eq!(oldest.read_to_close(PATIENCE).await, "");
    stay(younger).await;
}

#[tokio::test]
async fn a_silent_and_a_half_spoken_client_make_room_too() {
    let app = TestApp::with_limits(|_| {}, two_in_all()).await;
    let mut silent = app.connect().await;
    let mut half = app.connect().await;
    half.send("GET / HTTP/1.1\r\nhost: ").await;
    let busy = [
        busy(app.connect().await).await,
        busy(app.connect().await).await,
    ];
    assert_eq!(silent.read_to_close(PATIENCE).await, "");
    assert_eq!(half.read_to_close(PATIENCE).await, "");
    drop(busy);
}

#[tokio::test]
async fn work_in_progress_is_never_dropped_and_a_newcomer_waits_for_its_end() {
    let app = TestApp::with_limits(|_| {}, two_in_all()).await;
    let [one, two] = [
        busy(app.connect().await).await,
        busy(app.connect().await).await,
    ];
    let mut third = app.connect().await;
    third.send(ASK).await;
    // By then the server has had its turn for whoever waits.
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    let nothing = third.0.try_read(&mut [0]);
    assert!(nothing.is_err(), "answered although the house is full");
    finish(one).await;
    assert!(
        third
            .read_to_close(PATIENCE)
            .await
            .starts_with("HTTP/1.1 200")
    );
    finish(two).await;
}

#[tokio::test]
async fn a_rush_of_visitors_finds_a_queue_long_enough() {
    let database = Database::new();
    let server = bind(&database, |_| {}, Limits::default()).await;
    let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let rush = allowed.trim().parse::<usize>().unwrap().min(400);
    let mut queue = Vec::new();
    for number in 0..rush {
        let connecting = TcpStream::connect(server.address());
        let connected = tokio::time::timeout(PATIENCE, connecting).await;
        queue.push(
            connected
                .unwrap_or_else(|_| panic!("only {number} fit"))
                .unwrap(),
        );
    }
}
