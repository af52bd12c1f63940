//! When the store does not answer.

use crate::support::app::TestApp;
use crate::support::client::{problem, ready};
use crate::support::data::{FAILED, fields_with, good_form};
use crate::support::wait::until;

#[tokio::test]
async fn a_store_that_does_not_answer_is_a_503_in_time_and_nothing_is_stored_behind_it() {
    let app = TestApp::start().await;
    let other = app.past();
    other.hold();
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
    let up = async || app.metric("frontdoor_store_up").await;
    assert_eq!(up().await, 0.0, "it can be read and not written");

    other.let_go();
    assert_eq!(app.send(&good_form()).await.status(), 201);
    assert_eq!(
        app.leads().await.len(),
        1,
        "a refused form is not stored later"
    );
    assert_eq!(up().await, 1.0);
}

#[tokio::test]
async fn a_visitor_who_leaves_before_the_answer_has_still_sent_a_message() {
    let app = TestApp::start().await;
    let other = app.past();
    other.hold();
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
    other.let_go();
    // The whole of the handling is done, not only the storing.
    until_metric("frontdoor_leads_stored_total", 1.0).await;
    assert_eq!(app.leads().await.len(), 1);
}

#[tokio::test]
async fn readiness_is_a_write_that_commits_and_says_why_there_is_none() {
    let app = TestApp::start().await;
    let until_ready = async |wanted: u16| {
        let mut said = String::new();
        until("readiness", async || {
            let (status, text) = ready(app.ops).await;
            said = text;
            status == wanted
        })
        .await;
        said
    };
    assert_eq!(until_ready(200).await, "ready\n");
    let other = app.past();
    other.hold();
    let said = until_ready(503).await;
    assert!(
        said.contains("takes too long") || said.contains("locked"),
        "{said}"
    );
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    other.let_go();
    until_ready(200).await;
    app.store.close().await.unwrap();
    let said = until_ready(503).await;
    assert!(said.contains("the store is closed"), "{said}");
    assert_eq!(app.send(&good_form()).await.status(), 503);
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
}
