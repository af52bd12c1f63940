//! Outages of the database server while visitors send forms: they are told at once, pages keep
//! working, and storing recovers by itself.

use frontdoor::domain::SecretToken;
use frontdoor::store::{ActionOutcome, LeadAction, LeadState, StoreError};
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::server_address;
use crate::support::{
    Database, FAILED, Process, Server, TcpProxy, TestApp, client, good_form, metrics, problem,
    send, until, until_ready,
};

async fn app_on(url: String) -> TestApp {
    TestApp::with(|args| args.database.database_url = Some(url)).await
}

/// Leads that are sent at once, so that every writer has a connection: the
/// status of each answer.
async fn send_many(app: &TestApp) -> Vec<u16> {
    let sending: JoinSet<_> = (0..20)
        .map(|_| app.post_json(&good_form()).send())
        .collect();
    let answers = sending.join_all().await.into_iter();
    answers
        .map(|answer| answer.unwrap().status().as_u16())
        .collect()
}

/// Returns how many were refused before it.
async fn until_stored(app: &TestApp) -> usize {
    let mut refused = 0;
    until("a lead is stored", async || {
        let stored = app.send(&good_form()).await.status() == 201;
        refused += usize::from(!stored);
        stored
    })
    .await;
    until_ready(app.ops, 200).await;
    refused
}

/// A visitor is told while it lasts, and the pages go on.
async fn assert_refused(app: &TestApp) {
    let answer = app.send(&good_form()).await;
    assert_eq!(problem(answer, 503, "a lead").await["detail"], FAILED);
    assert_eq!(app.get("/").await.status(), 200);
    until_ready(app.ops, 503).await;
}

/// As when somebody works on the database by hand.
#[tokio::test(flavor = "multi_thread")]
async fn a_locked_row_delays_its_own_change_and_is_no_fault_of_the_store() {
    let database = Database::postgres();
    let (app, sql) = (app_on(database.url()).await, database.sql());
    assert_eq!(app.send(&good_form()).await.status(), 201);
    let id = app.leads().await.remove(0).id;
    sql.run("BEGIN");
    sql.run("SELECT 1 FROM contacts FOR UPDATE");
    let mark = || {
        let answered = LeadAction::Mark(LeadState::Answered);
        app.store.act_on_lead(&id, answered, None, Timestamp::now())
    };
    let refused = mark().await;
    assert!(matches!(refused, Err(StoreError::Locked(_))), "{refused:?}");
    assert!(metrics(app.ops).await.contains("frontdoor_store_up 1\n"));
    assert_eq!(app.send(&good_form()).await.status(), 201);
    sql.run("ROLLBACK");
    assert!(matches!(mark().await, Ok(ActionOutcome::Done(_))));
}

#[tokio::test]
async fn when_every_session_is_ended_one_lead_at_most_is_refused() {
    let database = Database::postgres();
    let app = app_on(database.url()).await;
    let sql = database.sql();
    assert_eq!(send_many(&app).await, [201; 20]);
    let ours = sql.rows(
        "SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'frontdoor'",
    );
    let ours = ours.concat().join(", ");
    let ours = format!("pg_stat_activity WHERE pid IN ({ours})");
    sql.rows(&format!("SELECT pg_terminate_backend(pid) FROM {ours}"));
    let left = format!("SELECT count(*) FROM {ours}");
    until("they have ended", async || sql.number(&left) == 0).await;
    let refused = until_stored(&app).await;
    assert!(refused <= 1, "{refused}");
}

#[tokio::test]
async fn a_server_that_takes_no_more_writes_is_left_for_the_next_host() {
    let (server, database) = (Server::create().await, Database::postgres());
    let session = server.session("postgres");
    session.run(&format!("CREATE DATABASE {}", database.name()));
    database.create().await.close().await.unwrap();
    let hosts = format!("{},{}", server.address, server_address());
    let app = app_on(format!("postgres://postgres@{hosts}/{}", database.name())).await;
    assert_eq!(send_many(&app).await, [201; 20]);

    server.set("default_transaction_read_only = on");
    let (sql, mut refused) = (database.sql(), 0);
    until("a lead at the next host", async || {
        refused += usize::from(app.send(&good_form()).await.status() != 201);
        sql.number("SELECT count(*) FROM contacts") == 1
    })
    .await;
    // At most those whose connection is used before it is looked at.
    assert!(refused <= 3, "{refused}");
}

#[tokio::test]
async fn a_line_that_is_cut_or_goes_dead_is_a_503_in_time_and_comes_back_by_itself() {
    let database = Database::postgres();
    let proxy = TcpProxy::start().await;
    proxy.forward_to(server_address());
    let url = format!("postgres://postgres@{}/{}", proxy.address, database.name());
    let app = app_on(url).await;
    until_stored(&app).await;

    proxy.refuse();
    assert_refused(&app).await;
    proxy.forward_to(server_address());
    until_stored(&app).await;

    assert_eq!(send_many(&app).await, [201; 20]);
    proxy.stall();
    assert_refused(&app).await;
    // So are those that come while the failure is known.
    assert_eq!(send_many(&app).await, [503; 20]);
    proxy.resume();
    until_stored(&app).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_stored_while_links_wait_for_the_server() {
    let database = Database::postgres();
    let app = app_on(database.url()).await;
    let (gate, look) = (database.sql(), database.sql());
    gate.run("BEGIN");
    gate.run("LOCK TABLE mail_links IN ACCESS EXCLUSIVE MODE");
    let mut visits = JoinSet::new();
    for _ in 0..100 {
        let token = SecretToken::random();
        let path = format!("newsletter/confirm?token={}", token.as_str());
        let url = format!("http://{}/{path}", app.address);
        visits.spawn(client().get(url).send());
    }
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted
        AND relation = 'mail_links'::regclass";
    until("a link waits", async || look.number(waiting) > 0).await;
    assert_eq!(send_many(&app).await, [201; 20]);
    gate.run("ROLLBACK");
    for answer in visits.join_all().await {
        let status = answer.unwrap().status();
        assert!(status == 404 || status == 503, "{status}");
    }
}

#[tokio::test]
async fn a_server_that_stops_or_takes_no_writes_is_one_line_in_the_log_and_its_return_another() {
    let mut server = Server::create().await;
    let process = Process::start(&server.url("postgres"), &[]);
    let send = async || send(process.address, "Hello").await.status;
    let until_ready = async |status| until_ready(process.ops, status).await;
    assert_eq!(send().await, 201);
    server.stop();
    assert_eq!(send().await, 503);
    until_ready(503).await;
    assert_eq!(send().await, 503);
    server.start_again().await;
    // Noticed though nobody sends anything; the metrics ask nothing to say so.
    until("it is up again", async || {
        let text = metrics(process.ops).await;
        text.lines().any(|line| line == "frontdoor_store_up 1")
    })
    .await;
    assert_eq!(send().await, 201);
    until_ready(200).await;

    server.set("default_transaction_read_only = on");
    until("refused", async || send().await == 503).await;
    until_ready(503).await;
    server.set("default_transaction_read_only = off");
    until("stored again", async || send().await == 201).await;
    until_ready(200).await;

    let (log, _) = process.terminate();
    let count = |words| log.iter().filter(|line| line.contains(words)).count();
    let told = (count("nothing can be stored"), count("storing works again"));
    assert_eq!(told, (2, 2), "{log:#?}");
    let log = log.join("\n");
    assert!(!log.contains("Ada") && !log.contains("ada@"), "{log}");
}
