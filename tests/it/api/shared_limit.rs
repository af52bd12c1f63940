//! How often one client may post, over all servers that share a database.

use std::time::Duration;

use frontdoor::store::{Clock, OpenMode, SharedCounts};
use jiff::Timestamp;

use crate::support::app::TestApp;
use crate::support::client::header;
use crate::support::data::good_form;
use crate::support::database::Database;
use crate::support::wait::until;

const WINDOW: Duration = Duration::from_secs(60);

async fn server(database: &Database, posts: &str) -> TestApp {
    TestApp::with(|args| {
        args.database.database_url = Some(database.url());
        args.network.rate_limit = Some(posts.into());
        args.network.trusted_proxies = Some("127.0.0.1".into());
    })
    .await
}

/// What is unreadable counts too, and needs nothing else to work.
async fn post(app: &TestApp, from: &str) -> reqwest::Response {
    let request = app.post_json(&good_form()).header("x-forwarded-for", from);
    request.body("{").send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_share_a_database_count_a_client_together() {
    let database = Database::postgres();
    let servers = [server(&database, "3").await, server(&database, "3").await];
    // A server that does not hear of the count in time goes by its own for a while:
    // then the next client is looked at.
    let mut client = 0;
    until("servers count together", async || {
        client += 1;
        let mut statuses = Vec::new();
        for n in 0..5 {
            let answer = post(&servers[n % 2], &format!("2001:db8:0:{client}::1")).await;
            statuses.push(answer.status().as_u16());
            if answer.status() == 429 {
                let pause: u64 = header(&answer, "retry-after").parse().unwrap();
                assert!((1..=60).contains(&pause), "{pause}");
            }
        }
        statuses == [400, 400, 400, 429, 429]
    })
    .await;
    let neighbour = post(&servers[0], &format!("2001:db8:0:{client}::ffff")).await;
    assert_eq!(neighbour.status(), 429, "the same network");
    assert_eq!(post(&servers[0], "2001:db8:1::1").await.status(), 400);
    let kept = "SELECT count(*) FROM rate_counts WHERE client LIKE '%2001%'";
    assert_eq!(database.past().number(kept), 0, "no address is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_does_not_answer_keeps_nobody_waiting_and_nobody_out() {
    let database = Database::postgres();
    let app = server(&database, "1000").await;
    assert_eq!(post(&app, "192.0.2.1").await.status(), 400);
    let past = database.past();
    past.run("BEGIN");
    past.run("LOCK TABLE rate_counts IN ACCESS EXCLUSIVE MODE");
    for _ in 0..5 {
        assert_eq!(post(&app, "192.0.2.1").await.status(), 400);
    }
    let asked = "SELECT count(*) FROM pg_locks WHERE relation = 'rate_counts'::regclass
        AND NOT granted";
    // Once, and once more by a slow machine.
    assert!(past.number(asked) <= 2, "then it is left alone");
    past.run("ROLLBACK");
}

async fn counts(database: &Database) -> SharedCounts {
    let store = database.open_by(OpenMode::Create, Clock::Callers).await;
    store.shared_counts().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_minute_begins_with_the_first_post_on_any_server() {
    let database = Database::postgres();
    let servers = [counts(&database).await, counts(&database).await];
    let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let expected = [
        (0, 1, 60),
        (10, 2, 50),
        (59, 3, 1),
        (60, 1, 60),
        (61, 2, 59),
    ];
    for (n, (second, number, left)) in expected.into_iter().enumerate() {
        let now = noon + Duration::from_secs(second);
        let counted = servers[n % 2].count("somebody", WINDOW, now).await.unwrap();
        let found = (counted.number, counted.left.as_secs());
        assert_eq!(found, (number, left), "after {second} s");
    }
    let stepped_back = servers[0].count("somebody", WINDOW, noon).await.unwrap();
    assert_eq!(stepped_back.number, 1, "no window of the future");
}

#[tokio::test(flavor = "multi_thread")]
async fn hashes_go_with_their_minute_and_the_salt_with_its_day() {
    let database = Database::postgres();
    let (counts, past) = (counts(&database).await, database.past());
    let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let salts = |salt: &str| past.number(&format!("SELECT count(*) FROM rate_salt WHERE {salt}"));
    let rows = || past.number("SELECT count(*) FROM rate_counts");
    counts.count("somebody", WINDOW, noon).await.unwrap();
    past.run("CREATE TABLE first AS SELECT salt FROM rate_salt");
    let same = "salt = (SELECT salt FROM first)";
    for (hours, kept, known) in [(0, 1, 1), (1, 0, 1), (24, 0, 0)] {
        let now = noon + Duration::from_secs(hours * 3600);
        counts.tidy(WINDOW, now).await.unwrap();
        assert_eq!((rows(), salts(same)), (kept, known), "after {hours} h");
    }
    assert_eq!(salts("true"), 1);
}
