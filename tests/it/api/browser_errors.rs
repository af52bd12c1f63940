//! What failed in a visitor's browser: heard, told in one line, never stored.

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::client::{client, header, problem};
use crate::support::data::good_form;
use crate::support::database::Database;
use crate::support::process::Process;

const PATH: &str = "/api/browser-errors";

fn post(app: &TestApp, body: impl ToString) -> RequestBuilder {
    app.request(Method::POST, PATH)
        .header("content-type", "application/json")
        .body(body.to_string())
}

async fn send(app: &TestApp, island: &str) -> Response {
    let body = json!({"island": island, "message": "x is not a function"});
    post(app, body).send().await.unwrap()
}

async fn counted(app: &TestApp, island: &str) -> f64 {
    let name = format!("frontdoor_browser_errors_total{{island=\"{island}\"}}");
    app.metric(&name).await
}

#[tokio::test]
async fn a_report_is_taken_without_a_word_and_counted_by_the_part_of_the_page() {
    let app = TestApp::start().await;
    let response = send(&app, "contact-form").await;
    assert_eq!(response.status(), 204);
    assert_eq!(header(&response, "x-content-type-options"), "nosniff");
    assert!(response.bytes().await.unwrap().is_empty());
    for unknown in ["somebody-elses", "other"] {
        assert_eq!(send(&app, unknown).await.status(), 204);
    }
    for (island, count) in [
        ("contact-form", 1.0),
        ("newsletter-form", 0.0),
        ("post-window", 0.0),
        ("chat-button", 0.0),
        ("other", 2.0),
    ] {
        assert_eq!(counted(&app, island).await, count, "{island}");
    }
    let text = app.get_ops("/metrics").await.text().await.unwrap();
    assert!(!text.contains("somebody-elses"), "names are ours only");
}

#[tokio::test]
async fn what_is_no_report_is_refused_as_on_the_other_routes() {
    let app = TestApp::start().await;
    for (status, body) in [
        (400, "{".to_owned()),
        (400, "[]".into()),
        (400, json!({"island": 1, "message": ""}).to_string()),
        (400, json!({"island": "x", "message": ["y"]}).to_string()),
        (422, json!({"message": "no part"}).to_string()),
        (422, json!({"island": "a b", "message": ""}).to_string()),
        (
            422,
            json!({"island": "a".repeat(41), "message": ""}).to_string(),
        ),
        (
            422,
            json!({"island": "x", "message": "y".repeat(201)}).to_string(),
        ),
        (
            413,
            json!({"island": "x", "message": "y".repeat(2048)}).to_string(),
        ),
    ] {
        let response = post(&app, &body).send().await.unwrap();
        problem(response, status, &body).await;
    }
    let form = app
        .request(Method::POST, PATH)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("island=x&message=y");
    problem(form.send().await.unwrap(), 415, "a form").await;
    assert_eq!(counted(&app, "other").await, 0.0);
}

#[tokio::test]
async fn two_kibibytes_are_taken_and_one_byte_more_is_not() {
    let app = TestApp::start().await;
    let body = json!({"island": "x", "message": ""}).to_string();
    for (size, status) in [(2048, 204), (2049, 413)] {
        let padded = format!("{body}{}", " ".repeat(size - body.len()));
        let response = post(&app, padded).send().await.unwrap();
        assert_eq!(response.status(), status, "{size}");
    }
}

#[tokio::test]
async fn a_report_from_another_site_is_refused() {
    let app = TestApp::start().await;
    for (name, value, status) in [
        ("sec-fetch-site", "cross-site", 403),
        ("origin", "https://evil.example", 403),
        ("sec-fetch-site", "same-origin", 204),
    ] {
        let body = json!({"island": "x", "message": ""});
        let request = post(&app, body).header(name, value);
        assert_eq!(request.send().await.unwrap().status(), status, "{value}");
    }
}

#[tokio::test]
async fn one_client_is_heard_ten_times_a_minute_and_told_nothing_of_it() {
    let app = TestApp::start().await;
    for _ in 0..15 {
        assert_eq!(send(&app, "post-window").await.status(), 204);
    }
    assert_eq!(counted(&app, "post-window").await, 10.0);
}

#[tokio::test]
async fn the_limit_of_the_forms_is_another() {
    let app = TestApp::with(|args| args.network.rate_limit = Some("1".into())).await;
    for _ in 0..3 {
        send(&app, "contact-form").await;
    }
    assert_eq!(app.send(&good_form()).await.status(), 201);
}

#[tokio::test]
async fn a_report_is_one_warning_without_anything_personal() {
    let database = Database::new();
    let server = Process::start(&database.url(), &[]);
    let body = json!({
        "island": "newsletter-form",
        "message": "no ada@example.org\nor 416 555 0142 here"
    });
    let request = client()
        .post(format!("http://{}{PATH}", server.address))
        .header("content-type", "application/json")
        .body(body.to_string());
    assert_eq!(request.send().await.unwrap().status(), 204);
    let (log, _) = server.terminate();
    let mut told = log
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["message"] == "a part of a page failed");
    let line = told.next().expect("a line about it");
    assert_eq!(line["level"], "WARN");
    assert_eq!(line["island"], "newsletter-form");
    assert_eq!(line["reason"], "no [address] or [number] here");
    assert_eq!(told.next(), None);
    assert!(!log.concat().contains("ada@"));
}
