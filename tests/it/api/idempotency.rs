//! Sending twice stores one lead.

use crate::support::app::TestApp;
use crate::support::client::body_json;
use crate::support::data::{fields_with, form_with, good_form};

#[tokio::test]
async fn the_same_key_gives_the_same_answer_and_one_row() {
    let app = TestApp::start().await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        let request = app
            .post_json(&good_form())
            .header("idempotency-key", "key-1");
        let response = request.send().await.unwrap();
        answers.push((response.status(), body_json(response).await));
    }
    assert_eq!(answers[0].0, 201);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(app.leads().await.len(), 1);
    let other = app
        .post_json(&good_form())
        .header("idempotency-key", "key-2");
    assert_ne!(body_json(other.send().await.unwrap()).await, answers[0].1);
    assert_eq!(app.leads().await.len(), 2);
}

#[tokio::test]
async fn a_key_in_the_body_counts_like_one_in_the_header() {
    let app = TestApp::start().await;
    let form = form_with("idempotency_key", "key-1");
    let first = body_json(app.send(&form).await).await;
    let second = app
        .post_json(&good_form())
        .header("idempotency-key", "key-1");
    assert_eq!(body_json(second.send().await.unwrap()).await, first);
    let fields = fields_with(&[("idempotency_key", "key-1")]);
    assert_eq!(app.send_form(&fields).await.status(), 303);
    assert_eq!(app.leads().await.len(), 1);
}

#[tokio::test]
async fn racing_requests_with_one_key_store_one_lead() {
    let app = TestApp::start().await;
    let mut races = tokio::task::JoinSet::new();
    for n in 0..40 {
        let request = app.post_json(&form_with("message", format!("take {n}")));
        races.spawn(request.header("idempotency-key", "one").send());
    }
    let mut ids = std::collections::HashSet::new();
    while let Some(response) = races.join_next().await {
        let response = response.unwrap().unwrap();
        assert_eq!(response.status(), 201);
        ids.insert(body_json(response).await["id"].to_string());
    }
    assert_eq!((ids.len(), app.leads().await.len()), (1, 1));
}

#[tokio::test]
async fn without_a_key_each_post_is_a_lead_and_a_refused_one_uses_up_no_key() {
    let app = TestApp::start().await;
    for _ in 0..2 {
        assert_eq!(app.send(&good_form()).await.status(), 201);
    }
    assert_eq!(app.leads().await.len(), 2);
    let bad = app
        .post_json(&form_with("email", "x"))
        .header("idempotency-key", "k");
    assert_eq!(bad.send().await.unwrap().status(), 422);
    let good = app.post_json(&good_form()).header("idempotency-key", "k");
    assert_eq!(good.send().await.unwrap().status(), 201);
    assert_eq!(app.leads().await.len(), 3);
}

#[tokio::test]
async fn an_unusable_key_is_refused_by_name() {
    let app = TestApp::start().await;
    let long = "k".repeat(300);
    let request = app.post_json(&good_form()).header("idempotency-key", long);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 422);
    assert_eq!(
        body_json(response).await["errors"][0]["field"],
        "idempotency_key"
    );
}
