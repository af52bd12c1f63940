//! When the store does not answer.

use std::time::{Duration, Instant};

use crate::support::app::{PATIENCE, TestApp, body_json, good_form, header};

const FAILED: &str = "Failed to send message. Please try again later.";

#[tokio::test]
async fn a_store_that_does_not_answer_is_a_503_in_time_and_nothing_is_stored_behind_it() {
    let app = TestApp::start().await;
    let other = app.database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    let fields = [
        ("name", "Ada"),
        ("email", "ada@example.org"),
        ("message", "my words"),
    ];
    let (json, form) = tokio::join!(
        app.post_json(&good_form()).send(),
        app.post_form(&fields).send(),
    );
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "{:?}",
        start.elapsed()
    );
    let (json, form) = (json.unwrap(), form.unwrap());
    assert_eq!((json.status().as_u16(), form.status().as_u16()), (503, 503));
    assert_eq!(header(&json, "content-type"), "application/problem+json");
    assert_eq!(body_json(json).await["detail"], FAILED);
    let html = form.text().await.unwrap();
    assert!(html.contains(FAILED) && html.contains("my words"));
    assert_eq!(app.get("/").await.status(), 200, "pages need no store");
    let up = async || {
        let metrics = app.get_ops("/metrics").await.text().await.unwrap();
        metrics.contains("frontdoor_store_up 1")
    };
    assert!(!up().await, "it can be read and not written");

    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(
        app.post_json(&good_form()).send().await.unwrap().status(),
        201
    );
    assert_eq!(
        app.leads().await.len(),
        1,
        "a refused form is not stored later"
    );
    assert!(up().await);
}

#[tokio::test]
async fn a_visitor_who_leaves_before_the_answer_has_still_sent_a_message() {
    let app = TestApp::start().await;
    let other = app.database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
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
    let start = Instant::now();
    let until = async |line: &str| {
        let metrics = async || app.get_ops("/metrics").await.text().await.unwrap();
        while !metrics().await.contains(line) {
            assert!(start.elapsed() < PATIENCE, "{line}");
        }
    };
    // The server knows that nobody waits any more; then the store goes on.
    until("frontdoor_open_connections 0\n").await;
    other.execute_batch("ROLLBACK").unwrap();
    // The whole of the handling is done, not only the storing.
    until("frontdoor_leads_stored_total 1\n").await;
    assert_eq!(app.leads().await.len(), 1);
}

#[tokio::test]
async fn readiness_is_a_write_that_commits_and_says_why_there_is_none() {
    let app = TestApp::start().await;
    let until_ready = async |wanted: u16| {
        let start = Instant::now();
        loop {
            let response = app.get_ops("/readyz").await;
            let status = response.status().as_u16();
            let said = response.text().await.unwrap();
            if status == wanted {
                break said;
            }
            assert!(start.elapsed() < PATIENCE, "{status} {said}");
        }
    };
    assert_eq!(until_ready(200).await, "ready\n");
    let other = app.database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let said = until_ready(503).await;
    assert!(
        said.contains("takes too long") || said.contains("locked"),
        "{said}"
    );
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    other.execute_batch("ROLLBACK").unwrap();
    until_ready(200).await;
}
