//! What happens to a database server while visitors send: they are told at
//! once, pages go on, and it works again by itself.

use std::net::SocketAddr;

use frontdoor::config::ServeArgs;
use serde_json::json;

use super::place::{Place, server_address};
use crate::replicas::wire::Wire;
use crate::support::app::TestApp;
use crate::support::client::{client, metrics, problem, ready};
use crate::support::data::{FAILED, good_form};
use crate::support::database::Database;
use crate::support::network::Network;
use crate::support::process::Process;
use crate::support::wait::until;

fn on(url: String) -> impl FnOnce(&mut ServeArgs) {
    |args| args.database.database_url = Some(url)
}

/// The program's, but for the one that listens.
const SESSIONS: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'frontdoor'
        AND query <> 'LISTEN frontdoor'";

/// Those of them that were not yet looked at since they were last used.
const IN_USE: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'frontdoor'
        AND query <> 'LISTEN frontdoor'
        AND NOT (state = 'idle' AND query LIKE 'SELECT pg_is_in_recovery()%')";

/// Returns how many were refused before it.
async fn until_stored(app: &TestApp) -> usize {
    let mut refused = 0;
    until("a lead is stored", async || {
        let stored = app.send(&good_form()).await.status() == 201;
        refused += usize::from(!stored);
        stored
    })
    .await;
    let (status, why) = ready(app.ops).await;
    // The last verdict holds for a second.
    assert!(status == 200 || !why.is_empty());
    until("readiness", async || ready(app.ops).await.0 == 200).await;
    refused
}

fn subscribe(app: &TestApp, nth: usize) -> impl Future<Output = u16> + Send + 'static {
    let url = format!("http://{}/api/newsletter", app.address);
    let body = json!({"email": format!("ada{nth}@example.org")}).to_string();
    let request = client()
        .post(url)
        .header("content-type", "application/json");
    let sent = request.body(body).send();
    async { sent.await.unwrap().status().as_u16() }
}

/// Several connections wait to be used again.
async fn fill_the_pool(app: &TestApp) {
    for status in futures((0..8).map(|nth| subscribe(app, nth))).await {
        assert_eq!(status, 202);
    }
}

/// A visitor is told while it lasts, and the pages go on.
async fn assert_refused(app: &TestApp) {
    let answer = app.send(&good_form()).await;
    assert_eq!(problem(answer, 503, "a lead").await["detail"], FAILED);
    assert_eq!(app.get("/").await.status(), 200);
    until("readiness is gone", async || ready(app.ops).await.0 == 503).await;
}

#[tokio::test]
async fn when_every_session_is_ended_one_lead_at_most_is_refused() {
    let database = Database::postgres();
    let app = TestApp::with(on(database.url())).await;
    let past = database.past();
    for _ in 0..3 {
        fill_the_pool(&app).await;
        assert!(past.number(SESSIONS) > 2, "more than one can be refused");
        let ours = past.rows(
            "SELECT pid FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'frontdoor'",
        );
        let ours = format!(
            "pg_stat_activity WHERE pid IN ({})",
            ours.concat().join(", ")
        );
        past.run(&format!("SELECT pg_terminate_backend(pid) FROM {ours}"));
        // Others begin meanwhile: the server looks for releases by itself.
        let left = format!("SELECT count(*) FROM {ours}");
        until("they have ended", async || past.number(&left) == 0).await;
        let refused = until_stored(&app).await;
        assert!(refused <= 1, "{refused}");
    }
}

#[tokio::test]
async fn a_server_that_takes_no_more_writes_is_left_for_the_next_host() {
    let (place, database) = (Place::new().await, Database::postgres());
    let session = place.server.session("postgres");
    session.run(&format!("CREATE DATABASE {}", database.name()));
    database.create().await.close().await.unwrap();
    let (first, next) = (place.server.address, server_address());
    let url = format!("postgres://postgres@{first},{next}/{}", database.name());
    let app = TestApp::with(on(url)).await;
    until_stored(&app).await;
    fill_the_pool(&app).await;

    session.run("ALTER SYSTEM SET default_transaction_read_only = on");
    session.run("SELECT pg_reload_conf()");
    let (past, mut refused) = (database.past(), 0);
    until("a lead at the next host", async || {
        refused += usize::from(app.send(&good_form()).await.status() != 201);
        past.number("SELECT count(*) FROM contacts") == 1
    })
    .await;
    // Of the eight that wait, at most those that are used before the first one
    // is looked at.
    assert!(refused <= 3, "{refused}");
}

#[tokio::test]
async fn a_line_that_is_cut_or_goes_dead_is_a_503_in_time_and_comes_back_by_itself() {
    let (database, network) = (Database::postgres(), Network::new());
    let wire = Wire::at(network.address()).await;
    wire.lead_to(server_address());
    let url = format!("postgres://postgres@{}/{}", wire.address, database.name());
    let app = TestApp::with(on(url)).await;
    until_stored(&app).await;

    wire.lead_nowhere();
    assert_refused(&app).await;
    wire.lead_to(server_address());
    until_stored(&app).await;

    // On a connection that waits to be used again.
    fill_the_pool(&app).await;
    let past = database.past();
    until("all are back", async || past.number(IN_USE) == 0).await;
    wire.go_dead();
    assert_refused(&app).await;
    // So is whoever comes while it is known.
    let many = (0..20).map(|_| app.post_json(&good_form()).send());
    for answer in futures(many).await {
        assert_eq!(answer.unwrap().status(), 503);
    }
    wire.come_back();
    until_stored(&app).await;
}

/// All at once.
async fn futures<T: Send + 'static>(
    all: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let tasks: Vec<_> = all.map(tokio::spawn).collect();
    let mut done = Vec::new();
    for task in tasks {
        done.push(task.await.unwrap());
    }
    done
}

#[tokio::test]
async fn when_all_connections_are_in_use_nobody_waits_long_and_nothing_piles_up() {
    let database = Database::postgres();
    let url = database.url();
    let app = TestApp::with(|args| {
        args.database.database_url = Some(url);
        args.database.database_connections = Some("2".into());
    })
    .await;
    let past = database.past();
    past.hold();
    for status in futures((0..30).map(|nth| subscribe(&app, nth))).await {
        assert_eq!(status, 503);
    }
    assert!(past.number(SESSIONS) <= 2);
    assert_eq!(app.get("/").await.status(), 200);
    past.let_go();
    until_stored(&app).await;
}

/// As the metrics say, which ask nothing of the database to say so.
async fn is_up(ops: SocketAddr) -> bool {
    let text = metrics(ops).await;
    text.lines().any(|line| line == "frontdoor_store_up 1")
}

#[tokio::test]
async fn a_full_disk_of_the_server_is_told_and_nothing_is_lost() {
    let database = Database::postgres();
    let app = TestApp::with(on(database.url())).await;
    let past = database.past();
    past.run(
        "CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE 'no room for Ada' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER disk BEFORE INSERT ON contacts
             FOR EACH ROW EXECUTE FUNCTION is_full();
         CREATE TRIGGER disk BEFORE UPDATE ON store_state
             FOR EACH ROW EXECUTE FUNCTION is_full()",
    );
    assert_refused(&app).await;
    let (_, why) = ready(app.ops).await;
    assert!(
        why.contains("full: make room") && !why.contains("Ada"),
        "{why}"
    );
    past.run("DROP TRIGGER disk ON contacts; DROP TRIGGER disk ON store_state");
    until_stored(&app).await;
}

#[tokio::test]
async fn a_server_that_stops_or_takes_no_writes_is_one_line_in_the_log_and_its_return_another() {
    let mut place = Place::new().await;
    let settings = [("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0")];
    let process = Process::start(&place.url(), &settings);
    let send = async || {
        let url = format!("http://{}/api/contacts", process.address);
        let request = client()
            .post(url)
            .header("content-type", "application/json");
        let answer = request.body(good_form().to_string()).send().await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!(send().await, 201);

    place.server.stop();
    assert_eq!(send().await, 503);
    until("not ready", async || ready(process.ops).await.0 == 503).await;
    for _ in 0..20 {
        assert_eq!(send().await, 503);
    }
    place.server.start_again().await;
    // Noticed though nobody sends anything.
    until("it is up again", async || is_up(process.ops).await).await;
    assert_eq!(send().await, 201);
    until("ready again", async || ready(process.ops).await.0 == 200).await;

    let session = place.server.session("postgres");
    let read_only = |how| {
        session.run(&format!(
            "ALTER SYSTEM SET default_transaction_read_only = {how}"
        ));
        session.run("SELECT pg_reload_conf()");
    };
    read_only("on");
    until("refused", async || send().await == 503).await;
    until("not ready", async || ready(process.ops).await.0 == 503).await;
    session.run("SET default_transaction_read_only = off");
    read_only("off");
    until("stored again", async || send().await == 201).await;
    until("ready again", async || ready(process.ops).await.0 == 200).await;

    let (log, _) = process.terminate();
    let count = |words| log.iter().filter(|line| line.contains(words)).count();
    assert_eq!(
        (count("nothing can be stored"), count("storing works again")),
        (2, 2),
        "{log:#?}"
    );
    let log = log.join("\n");
    assert!(!log.contains("Ada") && !log.contains("ada@"), "{log}");
}
