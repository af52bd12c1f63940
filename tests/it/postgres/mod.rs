//! Tests of PostgreSQL alone: connections, tables of other programs, outages, and wake-ups between
//! replicas.

mod connecting;
mod outages;

use std::net::SocketAddr;
use std::time::Duration;

use frontdoor::store::{DatabaseUrl, OpenMode, Store};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::support::{Database, Sql, TIMEOUT, TestStore, deliveries, server, until, visitor};

fn parsed(url: &str) -> DatabaseUrl {
    url.parse().unwrap()
}

async fn refusal(url: &str, mode: OpenMode) -> String {
    let opened = Store::open(&parsed(url), mode).await;
    opened.err().expect("it can't be opened").to_string()
}

/// Of the server that all tests share.
fn server_address() -> SocketAddr {
    let server: tokio_postgres::Config = server().parse().unwrap();
    ([127, 0, 0, 1], server.get_ports()[0]).into()
}

const LISTENERS: &str = "pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN frontdoor'";

async fn until_so_many_listen(sql: &Sql, number: i64) {
    let listening = format!("SELECT count(*) FROM {LISTENERS}");
    until("they listen", async || sql.number(&listening) == number).await;
}

/// Ignores earlier wake-ups.
async fn skip_wakeups(wakeups: &mut watch::Receiver<()>) {
    let quiet = Duration::from_millis(300);
    while timeout(quiet, wakeups.changed()).await.is_ok() {}
}

async fn is_woken(wakeups: &mut watch::Receiver<()>) -> bool {
    timeout(TIMEOUT, wakeups.changed()).await.is_ok()
}

#[tokio::test]
async fn deliveries_that_a_replica_or_a_command_makes_due_wake_another_replica() {
    let test = TestStore::over(Database::postgres()).await;
    let other = test.database.create().await;
    let sql = test.database.sql();
    until_so_many_listen(&sql, 2).await;
    let mut wakeups = other.wakeups();
    skip_wakeups(&mut wakeups).await;
    let lead = test.add_held(visitor()).await;
    assert!(is_woken(&mut wakeups).await, "a lead calls nobody");
    let delivery = deliveries(&test.store).await.remove(0).id;
    for command in [
        ["leads", "release", &lead],
        ["deliveries", "retry", &delivery],
    ] {
        skip_wakeups(&mut wakeups).await;
        test.run(&command).succeeds();
        assert!(is_woken(&mut wakeups).await, "{command:?} calls nobody");
        sql.run("UPDATE deliveries SET state = 'given_up', attempts = 1");
    }
}

#[tokio::test]
async fn a_server_that_was_cut_off_listens_again_and_a_tool_or_a_closed_one_does_not() {
    let database = Database::postgres();
    let store = database.create().await;
    let sql = database.sql();
    until_so_many_listen(&sql, 1).await;
    let mut wakeups = store.wakeups();
    skip_wakeups(&mut wakeups).await;
    sql.rows(&format!(
        "SELECT pg_terminate_backend(pid) FROM {LISTENERS}"
    ));
    assert!(
        is_woken(&mut wakeups).await,
        "what was said meanwhile is never looked for"
    );
    until_so_many_listen(&sql, 1).await;
    store.close().await.unwrap();
    drop(store);
    until_so_many_listen(&sql, 0).await;
    let tool = database.open(OpenMode::Existing).await;
    assert_eq!(tool.probe().await, Ok(()));
    until_so_many_listen(&sql, 0).await;
}
