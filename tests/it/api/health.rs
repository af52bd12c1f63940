//! Health, metrics, a store that doesn't answer, and faults of our own.

use bytes::Bytes;
use frontdoor::listener::Limits;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};

use crate::support::{
    Database, FAILED, TestApp, bind, fields_with, good_form, header, problem, until, until_ready,
};

#[tokio::test]
async fn many_health_checks_share_one_write() {
    let app = TestApp::start().await;
    let commits = async || {
        let count = "frontdoor_store_commit_duration_seconds_count";
        app.metric(count).await
    };
    let before = commits().await;
    let one = || app.get_ops("/readyz");
    let (a, b, c, d, e) = tokio::join!(one(), one(), one(), one(), one());
    let answers = [a, b, c, d, e, one().await, one().await, one().await];
    assert!(answers.iter().all(|answer| answer.status() == 200));
    let number = commits().await - before;
    // More than one only on a machine that needs seconds for eight requests, and
    // for what a server does once a day.
    assert!((1.0..8.0).contains(&number), "{number} writes for 8 checks");
}

#[tokio::test]
async fn metrics_count_requests_leads_and_deliveries() {
    let app =
        TestApp::with(|args| args.webhook.webhook_url = Some("http://127.0.0.1:9/".into())).await;
    app.get("/").await;
    app.get("/nowhere/at/all?secret=1").await;
    app.send(&good_form()).await;
    let attempts = "frontdoor_delivery_attempts_total{kind=\"webhook\",outcome=\"failed\"}";
    until("an attempt", async || app.metric(attempts).await >= 1.0).await;
    let retrying = "frontdoor_deliveries_retrying{kind=\"webhook\"}";
    until("its record", async || app.metric(retrying).await == 1.0).await;
    let failing = "frontdoor_channel_failing_since_timestamp_seconds{channel=\"webhook\"}";
    until("its note", async || app.metric(failing).await > 1.7e9).await;
    let created = "UPDATE deliveries SET created_at = '2026-01-01T00:00:00.000Z'";
    app.sql().run(created);
    let age = "frontdoor_deliveries_oldest_age_seconds{kind=\"webhook\"}";
    assert!(app.metric(age).await > 86_400.0);

    let response = app.get_ops("/metrics").await;
    assert!(header(&response, "content-type").starts_with("text/plain; version=0.0.4"));
    let text = response.text().await.unwrap();
    for line in [
        "frontdoor_http_requests_total{route=\"page\",status=\"200\"} 1",
        "frontdoor_http_requests_total{route=\"page\",status=\"404\"} 1",
        "frontdoor_http_requests_total{route=\"contact\",status=\"201\"} 1",
        "frontdoor_http_request_duration_seconds_count{route=\"page\"} 2",
        "frontdoor_leads_stored_total 1",
        "frontdoor_deliveries{state=\"pending\"} 1",
        "frontdoor_deliveries{state=\"given_up\"} 0",
        "frontdoor_deliveries_pending{kind=\"webhook\"} 1",
        "frontdoor_deliveries_pending{kind=\"notify\"} 0",
        "frontdoor_deliveries_oldest_age_seconds{kind=\"notify\"} 0",
        "frontdoor_channel_failing_since_timestamp_seconds{channel=\"mail\"} 0",
        "frontdoor_store_up 1",
    ] {
        assert!(text.lines().any(|have| have == line), "{line} in\n{text}");
    }
    assert!(!text.contains("secret"));
}

#[tokio::test]
async fn while_nothing_can_be_stored_forms_get_503_in_time_and_readiness_says_why() {
    let app = TestApp::start().await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(app.get(path).await.status(), 404, "{path} isn't public");
    }
    assert_eq!(app.get_ops("/").await.status(), 404);
    assert_eq!(until_ready(app.ops, 200).await, "ready\n");
    let other = app.sql();
    other.lock();
    let fields = fields_with(&[("message", "my words")]);
    let (json, form) = tokio::join!(
        app.post_json(&good_form()).send(),
        app.post_form(&fields).send(),
    );
    let (json, form) = (json.unwrap(), form.unwrap());
    assert_eq!(problem(json, 503, "json").await["detail"], FAILED);
    assert_eq!(form.status(), 503);
    let html = form.text().await.unwrap();
    assert!(html.contains(FAILED) && html.contains("my words"));
    assert_eq!(app.get("/").await.status(), 200, "pages need no store");
    let said = until_ready(app.ops, 503).await;
    let is_why = said.contains(" within ") || said.contains("locked");
    assert!(is_why, "{said}");
    // It can be read and not written.
    let up = async || app.metric("frontdoor_store_up").await;
    until("storing is known to fail", async || up().await == 0.0).await;

    other.unlock();
    until_ready(app.ops, 200).await;
    assert_eq!(app.send(&good_form()).await.status(), 201);
    let stored = app.leads().await.len();
    assert_eq!(stored, 1, "a refused form isn't stored later");
    // Another writer may note its failure after that success, and soon succeeds too.
    until("storing works", async || up().await == 1.0).await;

    app.store.close().await.unwrap();
    let said = until_ready(app.ops, 503).await;
    assert!(said.contains("the store is closed"), "{said}");
    assert_eq!(app.send(&good_form()).await.status(), 503);
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
}

#[tokio::test]
async fn a_message_is_stored_even_if_the_visitor_leaves_before_the_answer() {
    let app = TestApp::start().await;
    let other = app.sql();
    other.lock();
    let mut raw = app.connect().await;
    let body = good_form().to_string();
    raw.send(&format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    ))
    .await;
    raw.read_until("100 Continue\r\n\r\n").await;
    raw.send(&body).await;
    drop(raw);
    let until_metric = async |name: &str, number: f64| {
        until(name, async || app.metric(name).await == number).await;
    };
    // The server knows that nobody waits any more; then the store goes on.
    until_metric("frontdoor_open_connections", 0.0).await;
    other.unlock();
    // The whole of the handling is done, not only the storing.
    until_metric("frontdoor_leads_stored_total", 1.0).await;
    assert_eq!(app.leads().await.len(), 1);
}

/// Panics when the handler drops it with the body.
struct Trap;

impl Drop for Trap {
    fn drop(&mut self) {
        panic!("on purpose")
    }
}

#[tokio::test]
async fn a_panic_is_answered_with_the_message_and_in_the_format_of_the_request() {
    let database = Database::new();
    let app = bind(&database, |_| {}, Limits::default()).await.app();
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let (problem, page) = ("application/problem+json", "text/html; charset=utf-8");
    let newsletter = "Failed to subscribe. Please try again later.";
    let link = "mailto:";
    for (method, path, sent, kind, words) in [
        (Method::POST, "/api/contacts", json, problem, FAILED),
        (Method::POST, "/api/contacts", form, page, FAILED),
        (Method::POST, "/api/newsletter", json, problem, newsletter),
        (Method::POST, "/api/newsletter", form, page, newsletter),
        (Method::GET, "/newsletter/confirm", form, page, link),
        (Method::POST, "/newsletter/unsubscribe", form, page, link),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("host", "x").header("content-type", sent);
        let trap = Trap;
        let body = Full::<Bytes>::default().map_frame(move |frame| {
            let _ = &trap;
            frame
        });
        let request = request.body(body).unwrap();
        let answer = app.answer(request, ([192, 0, 2, 1], 1).into()).await;
        assert_eq!(answer.status(), 500, "{path}");
        assert_eq!(answer.headers()["content-type"], kind, "{path} {sent}");
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        let is_told = body.contains(words) && !body.contains("{{");
        assert!(is_told, "{path} {sent}: {body}");
    }
}
