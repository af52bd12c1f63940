//! When the store does not answer.

use std::time::{Duration, Instant};

use crate::helpers::{TestApp, body_json, good_form, header};

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
}

#[tokio::test]
async fn readiness_follows_the_store() {
    let app = TestApp::start().await;
    let other = app.database();
    let rename = |from: &str, to: &str| {
        let statement = format!("ALTER TABLE {from} RENAME TO {to}");
        other.execute_batch(&statement).unwrap();
    };
    rename("schema_migrations", "gone");
    assert_eq!(app.get_ops("/readyz").await.status(), 503);
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    rename("gone", "schema_migrations");
    assert_eq!(app.get_ops("/readyz").await.status(), 200);
}
