//! The owner looks at subscribers, and imports some with the proof of their consent.

use frontdoor::store::SubscriberState;
use jiff::Timestamp;
use serde_json::Value;

use super::{ISSUE, confirmed, refusing, send_issue};
use crate::support::{
    CommandOutput, HELD, MailServer, Process, Step, TestStore, deliveries, on_postgres,
    subscription,
};

#[tokio::test]
async fn subscribers_are_listed_proved_and_removed() {
    let test = TestStore::new().await;
    test.subscribe("Ada@Example.org").await;
    test.confirm_all().await;
    for (email, by_mail, hold) in [
        ("unmailed@example.org", false, None),
        ("=robot@example.org", true, HELD),
    ] {
        let asked = subscription(email, hold);
        let stored = test.store.subscribe(asked, by_mail, Timestamp::now());
        stored.await.unwrap();
    }
    let table = test.run(&["subscribers", "list"]).stdout;
    let line = |email: &str| table.lines().find(|line| line.starts_with(email)).unwrap();
    assert!(line("ada@example.org").contains("confirmed"));
    assert!(line("unmailed").contains("unconfirmed: no mail server was set up"));
    assert!(line("=robot").contains("held: decoy"));

    let list = ["subscribers", "list", "--state", "confirmed", "--json"];
    let json = test.json(&list);
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["email"], "ada@example.org");
    assert_eq!(json[0]["consent_version"], 1);

    // The export for spreadsheets: see `owner_tools::terminal`.
    let raw = test.run(&["subscribers", "export", "--raw", "--state", "pending"]);
    raw.stdout_contains("\"=robot@example.org\"");
    assert!(!raw.stdout.contains("ada@"), "{}", raw.stdout);

    let output = test.run(&["subscribers", "proof", "ADA@example.org"]);
    output.stdout_has(&["confirmed", "/blog", "version 1", "Unsubscribed  never"]);
    let json = test.json(&["subscribers", "proof", "ada@example.org", "--json"]);
    assert_eq!(json["consent_text"], "You agree to get email.");
    assert_eq!(json["past_consents"], Value::Array(vec![]));
    let nobody = test.run(&["subscribers", "proof", "nobody@example.org"]);
    nobody.fails_with(1, "nobody@example.org isn't a subscriber");

    let asked = test.run(&["subscribers", "remove", "ada@example.org"]);
    assert_eq!(asked.code, 2, "nobody is here to ask");
    let remove = ["subscribers", "remove", "Ada@example.org", "--yes"];
    let removed = test.run(&remove).succeeds();
    assert_eq!(removed.stdout.contains("VACUUM"), on_postgres());
    assert_eq!(state(&test, "ada@example.org").await, None);
    assert_eq!(test.run(&remove).code, 1);
}

const CONSENT: &str = "Signed up at our desk: “Send me news.”";

fn import(test: &TestStore, text: &str, more: &[&str]) -> CommandOutput {
    let file = test.write("people.csv", text);
    let command = ["subscribers", "import", file.to_str().unwrap()];
    test.run(&[&command[..], &["--consent", CONSENT], more].concat())
}

async fn state(test: &TestStore, email: &str) -> Option<SubscriberState> {
    let found = test.store.subscriber(email).await.unwrap();
    found.map(|subscriber| subscriber.state)
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_asked_to_confirm_at_a_pace_and_the_proof_is_kept() {
    let test = TestStore::new().await;
    let file = "email,source\nAda@Example.org,Fair in May\nbob@example.org,\n";
    let output = import(&test, file, &[]).succeeds();
    output.stdout_contains("Imported 2 subscribers.\n");
    output.stdout_contains("2 to be asked by mail to confirm");
    let due = deliveries(&test.store).await;
    assert_ne!(due[0].next_attempt_at, due[1].next_attempt_at, "at a pace");
    let pending = Some(SubscriberState::Pending);
    assert_eq!(state(&test, "ada@example.org").await, pending);

    let mail = MailServer::start();
    let _server = Process::start(&test.database.url(), &[("FRONTDOOR_SMTP_URL", &mail.url)]);
    mail.wait_for_mails(2).await;
    let proof = test.run(&["subscribers", "proof", "ada@example.org"]);
    proof.stdout_has(&["people.csv", "Fair in May", CONSENT, "Confirmed     never"]);

    let again = import(&test, file, &[]);
    again.stdout_contains("Imported 0 subscribers.\n");
    again.stdout_contains("2 not confirmed yet; not asked again");
    assert_eq!(deliveries(&test.store).await.len(), 2);
}

#[tokio::test]
async fn a_subscriber_confirmed_elsewhere_gets_the_next_issue_and_no_question() {
    let test = TestStore::new().await;
    test.subscribe("pending@example.org").await;
    let file = "email;confirmed_at\nada@example.org;2024-05-06\npending@example.org;\n";
    let output = import(&test, file, &["--confirmed-elsewhere"]);
    output.stdout_contains("2 confirmed elsewhere");
    let ada = test.store.subscriber("ada@example.org").await.unwrap();
    let confirmed = ada.unwrap().consent.confirmed_at.unwrap().to_string();
    assert_eq!(
        confirmed, "2024-05-06T04:00:00Z",
        "the day in the site's zone"
    );
    let asked = deliveries(&test.store).await;
    assert!(asked.is_empty(), "nobody is asked any more");
    let again = import(&test, file, &["--confirmed-elsewhere"]);
    again.stdout_contains("2 subscribed before");
    let mail = MailServer::start();
    send_issue(&test, ISSUE, &mail, &[]).exits_with(0, "Sent 2 mails\n");
}

#[tokio::test]
async fn an_import_changes_nothing_for_people_who_left_or_are_suspended() {
    let test = confirmed(3).await;
    let server = refusing(1..2, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&test, ISSUE, &server, &[]);
    let leave = "UPDATE subscribers SET state = 'unsubscribed' WHERE email LIKE 'person0@%'";
    assert_eq!(test.database.sql().run(leave), 1);
    let file = "email\nPerson0@example.org\nperson1@example.org\nperson2@example.org\n\
        new@example.org\nnew@example.org\n";
    for (more, added) in [(&["--dry-run"][..], "Would import 1"), (&[], "Imported 1")] {
        let more = [more, &["--confirmed-elsewhere"]].concat();
        let output = import(&test, file, &more);
        assert!(
            output.stdout.starts_with(added),
            "{} {}",
            output.stdout,
            output.stderr
        );
        output.stdout_has(&[
            "1 unsubscribed; they stay so",
            "1 suspended; they stay so",
            "1 subscribed before",
            "1 repeated: another line has the same address",
        ]);
        let known = state(&test, "new@example.org").await;
        assert_eq!(known.is_some(), !more.contains(&"--dry-run"));
    }
    let left = Some(SubscriberState::Unsubscribed);
    assert_eq!(state(&test, "person0@example.org").await, left);
    // What is wrong in a file: see `cli::subscribers::import`.
    let output = import(&test, "email\nada@example.org\nnobody\n", &[]);
    output.fails_with(2, "1 line is wrong; nothing was imported");
    output.stderr_contains("line 3: “nobody” isn't an e-mail address");
    assert_eq!(state(&test, "ada@example.org").await, None);
}
