//! Writing and sending an issue at the desk.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::desk;
use crate::support::MailServer;

const ISSUE: &str = "# What a chatbot should leave to you\n\nIt answers at night.";

#[tokio::test]
async fn an_issue_is_written_tested_and_sent_and_a_change_locks_it_again() {
    let server = MailServer::start();
    let (app, anna) = desk(|args| {
        args.mail.smtp_url = Some(server.url.clone());
        args.mail.notify_email = Some("owner@site.example".into());
    })
    .await;
    app.sql().run(
        "INSERT INTO subscribers (id, email, email_key, state, created_at, consent_version, confirmed_at)
        VALUES ('1', 'ada@example.org', 'ada@example.org', 'confirmed', '2026-01-01T00:00:00.000Z', 1,
            '2026-01-01T00:00:00.000Z')",
    );
    let written = |text: &str| json!({ "text": text });
    let unread = anna.done("newsletter/preview", written("no heading")).await;
    assert!(unread["problem"].as_str().unwrap().contains("no subject"));
    let preview = anna.done("newsletter/preview", written(ISSUE)).await;
    assert_eq!(preview["subject"], "What a chatbot should leave to you");

    anna.refused("newsletter/send", written(ISSUE), 409).await;
    anna.done("newsletter/test", written(ISSUE)).await;
    server.wait_for_mails(1).await;
    let test = &server.taken()[0];
    assert_eq!(test.envelope_to, ["owner@site.example"]);
    let subject = test.message().subject().unwrap().to_owned();
    assert_eq!(subject, "[Test] What a chatbot should leave to you");
    let read = async || anna.read("newsletter").await;
    assert_eq!(read().await["tested_text_is_current"], true);
    let changed = written(&format!("{ISSUE} !"));
    anna.refused("newsletter/send", changed, 409).await;

    let at = app.store.now() + Duration::from_secs(7 * 24 * 60 * 60);
    let later = json!({ "text": ISSUE, "at": at });
    anna.done("newsletter/send", later).await;
    let issue = async || -> Value { read().await["issues"][0].clone() };
    let id = issue().await["id"].as_str().unwrap().to_owned();
    assert_eq!(issue().await["state"], "scheduled");
    for (action, state) in [
        ("pause", "paused"),
        ("resume", "scheduled"),
        ("cancel", "cancelled"),
    ] {
        let path = format!("newsletter/issues/{id}/{action}");
        anna.done(&path, json!({})).await;
        assert_eq!(issue().await["state"], state);
    }
    // To be corrected, for example.
    assert_eq!(read().await["draft"]["text"], ISSUE);

    let sent = anna.done("newsletter/send", written(ISSUE)).await;
    assert!(time(&sent["leaves_at"]) > app.store.now());
    anna.done(&format!("newsletter/issues/{id}/cancel"), json!({}))
        .await;
    assert_eq!(read().await["draft"]["text"], ISSUE);
    assert_eq!(read().await["tested_text_is_current"], true);
    assert_eq!(server.taken().len(), 1, "only the test was sent");
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}
