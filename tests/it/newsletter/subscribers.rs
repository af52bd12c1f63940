//! The owner looks at subscribers, and imports some with the proof of their consent.

use frontdoor::domain::{HoldReason, LinkToken};
use frontdoor::store::{LinkPurpose, Recipient, SubscriberState};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ISSUE, refusing, send_issue};
use crate::support::database::{deliveries, on_postgres};
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::{Process, Said};
use crate::support::scripted_smtp::Step;

async fn people() -> Office {
    let office = Office::open().await;
    office.subscribe("Ada@Example.org", None, true).await;
    office.confirm_all().await;
    office.subscribe("unmailed@example.org", None, false).await;
    office.subscribe("mailed@example.org", None, true).await;
    let decoy = Some(HoldReason::Decoy);
    office.subscribe("=robot@example.org", decoy, true).await;
    office
}

#[tokio::test]
async fn subscribers_are_listed_with_what_the_owner_should_know() {
    let empty = Office::open().await;
    let none = empty.run(&["subscribers", "list"]).out;
    assert!(none.starts_with("No subscribers found in "), "{none}");
    let office = people().await;
    let table = office.run(&["subscribers", "list"]).out;
    let line = |email: &str| table.lines().find(|line| line.starts_with(email)).unwrap();
    assert!(line("ada@example.org").contains("confirmed"));
    assert!(line("unmailed").contains("unconfirmed: no mail server was set up"));
    assert!(line("mailed").ends_with("unconfirmed"));
    assert!(line("=robot").ends_with("held: decoy"));

    let list = ["subscribers", "list", "--state", "confirmed", "--json"];
    let json = office.json(&list);
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["email"], "ada@example.org");
    assert_eq!(json[0]["consent_version"], 1);
    assert_eq!(office.run(&["subscribers", "list", "--state", "x"]).code, 2);
}

#[tokio::test]
async fn the_export_is_safe_for_a_spreadsheet_and_raw_on_request() {
    let office = people().await;
    let safe = office.run(&["subscribers", "export"]).out;
    assert!(
        safe.starts_with("\u{feff}\"email\",\"state\",\"created_at (UTC)\","),
        "{safe}"
    );
    assert_eq!(safe.lines().count(), 5);
    assert!(safe.contains("\"'=robot@example.org\""));
    let raw = ["subscribers", "export", "--raw", "--state", "pending"];
    let raw = office.run(&raw).out;
    assert!(
        raw.contains("\"=robot@example.org\"") && !raw.contains("ada@"),
        "{raw}"
    );
}

#[tokio::test]
async fn the_proof_says_when_where_and_to_which_words() {
    let office = people().await;
    let said = office.run(&["subscribers", "proof", "ADA@example.org"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for words in [
        "ada@example.org",
        "confirmed",
        "/blog",
        "version 1",
        "You agree to get email.",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    said.shows("Unsubscribed  never");
    let json = office.json(&["subscribers", "proof", "ada@example.org", "--json"]);
    assert_eq!(json["consent_text"], "You agree to get email.");
    assert_eq!(json["past_consents"], Value::Array(vec![]));
    let nobody = office.run(&["subscribers", "proof", "nobody@example.org"]);
    assert_eq!(nobody.code, 1);
    assert!(nobody.err.contains("nobody@example.org isn't a subscriber"));
}

#[tokio::test]
async fn a_removed_subscriber_is_gone_and_so_is_a_forgotten_person() {
    let office = people().await;
    let asked = office.run(&["subscribers", "remove", "ada@example.org"]);
    assert_eq!(asked.code, 2, "nobody is here to ask");
    let removed = office.run(&["subscribers", "remove", "Ada@example.org", "--yes"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    assert_eq!(removed.out.contains("VACUUM"), on_postgres());
    assert_eq!(state(&office, "ada@example.org").await, None);
    let again = office.run(&["subscribers", "remove", "ada@example.org", "--yes"]);
    assert_eq!(again.code, 1);

    let forgotten = office.run(&["leads", "forget", "mailed@example.org", "--yes"]);
    assert_eq!(forgotten.code, 0, "{}", forgotten.err);
    forgotten.shows("the newsletter subscription");
    assert_eq!(state(&office, "mailed@example.org").await, None);
}

const CONSENT: &str = "Signed up at our desk: “Send me news.”";

fn import(office: &Office, text: &str, more: &[&str]) -> Said {
    let file = office.write("people.csv", text);
    let command = ["subscribers", "import", file.to_str().unwrap()];
    office.run(&[&command[..], &["--consent", CONSENT], more].concat())
}

async fn state(office: &Office, email: &str) -> Option<SubscriberState> {
    let found = office.store.subscriber(email).await.unwrap();
    found.map(|subscriber| subscriber.state)
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_asked_to_confirm_at_a_pace_and_the_proof_is_kept() {
    let office = Office::open().await;
    let file = "email,source\nAda@Example.org,Fair in May\nbob@example.org,\n";
    let said = import(&office, file, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("Imported 2 subscribers.\n");
    said.shows("2 to be asked by mail to confirm");
    let due = deliveries(&office.store).await;
    assert_ne!(due[0].next_attempt_at, due[1].next_attempt_at, "at a pace");
    assert_eq!(
        state(&office, "ada@example.org").await,
        Some(SubscriberState::Pending)
    );

    let mail = MailServer::start(None);
    let _server = Process::start(&office.database.url(), &[("FRONTDOOR_SMTP_URL", &mail.url)]);
    mail.wait_for_mails(2).await;
    let proof = office.run(&["subscribers", "proof", "ada@example.org"]).out;
    for fact in [
        "people.csv",
        "Fair in May",
        CONSENT,
        "Imported",
        "Confirmed     never",
    ] {
        assert!(proof.contains(fact), "{fact}: {proof}");
    }

    let again = import(&office, file, &[]);
    again.shows("Imported 0 subscribers.\n");
    again.shows("2 not confirmed yet; not asked again");
    assert_eq!(deliveries(&office.store).await.len(), 2);
}

#[tokio::test]
async fn a_subscriber_confirmed_elsewhere_gets_the_next_issue_and_no_question() {
    let office = Office::open().await;
    office.subscribe("pending@example.org", None, true).await;
    let file = "email;confirmed_at\nada@example.org;2024-05-06\npending@example.org;\n";
    let said = import(&office, file, &["--confirmed-elsewhere"]);
    said.shows("2 confirmed elsewhere");
    let ada = office
        .store
        .subscriber("ada@example.org")
        .await
        .unwrap()
        .unwrap();
    let confirmed = ada.consent.confirmed_at.unwrap().to_string();
    assert_eq!(confirmed, "2024-05-06T00:00:00Z");
    let asked = deliveries(&office.store).await;
    assert!(asked.is_empty(), "nobody is asked any more");
    let again = import(&office, file, &["--confirmed-elsewhere"]);
    again.shows("2 subscribed before");
    let json = import(&office, file, &["--json"]).json();
    let expected = json!({
        "invited": 0, "confirmed": 0, "subscribed_before": 2, "not_confirmed_yet": 0,
        "unsubscribed": 0, "suspended": 0, "repeated_lines": 0,
    });
    assert_eq!(json, expected);
    let mail = MailServer::start(None);
    send_issue(&office, ISSUE, &mail.url, &[]).assert(0, "Sent 2 mails\n");
}

#[tokio::test]
async fn an_import_changes_nothing_for_people_who_left_or_are_suspended() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = refusing(1..2, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, ISSUE, &server.url(), &[]);
    leave(&office, "person0@example.org").await;
    let file = "email\nPerson0@example.org\nperson1@example.org\nperson2@example.org\n\
        new@example.org\nnew@example.org\n";
    for (more, added) in [(&["--dry-run"][..], "Would import 1"), (&[], "Imported 1")] {
        let more = [more, &["--confirmed-elsewhere"]].concat();
        let said = import(&office, file, &more);
        assert!(said.out.starts_with(added), "{} {}", said.out, said.err);
        for words in [
            "1 unsubscribed; they stay so",
            "1 suspended; they stay so",
            "1 subscribed before",
            "1 lines with an address that another line has",
        ] {
            assert!(said.out.contains(words), "{words}: {}", said.out);
        }
        let known = state(&office, "new@example.org").await;
        assert_eq!(known.is_some(), !more.contains(&"--dry-run"));
    }
    assert_eq!(
        state(&office, "person0@example.org").await,
        Some(SubscriberState::Unsubscribed)
    );
}

async fn leave(office: &Office, email: &str) {
    let found = office.store.subscriber(email).await.unwrap().unwrap();
    let token = LinkToken::random();
    let who = Recipient {
        id: found.id,
        email: found.email,
    };
    let (store, now) = (&office.store, Timestamp::now());
    assert!(store.offer("farewell", &who, &token, now).await.unwrap());
    let left = store.follow_link(&token, LinkPurpose::Unsubscribe, now);
    left.await.unwrap();
}

#[tokio::test]
async fn a_wrong_line_is_named_and_nothing_is_imported() {
    let office = Office::open().await;
    let said = import(&office, "email\nada@example.org\nnobody\n", &[]);
    assert_eq!(said.code, 2);
    said.complains("line 3: “nobody” isn't an e-mail address\n");
    said.complains("1 line is wrong; nothing was imported");
    assert_eq!(state(&office, "ada@example.org").await, None);
    let file = office.write("people.csv", "email\n");
    let file = file.to_str().unwrap();
    let silent = office.run(&["subscribers", "import", file, "--consent", " "]);
    assert_eq!(silent.code, 2);
    assert_eq!(office.run(&["subscribers", "import", file]).code, 2);
}
