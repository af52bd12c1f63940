//! Addresses from elsewhere, with the proof of their consent.

use frontdoor::store::{LinkPurpose, SubscriberState};
use jiff::Timestamp;

use crate::newsletter::refused::{refusing, send_issue};
use crate::support::database::deliveries;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::{Process, Said};
use crate::support::scripted_smtp::Step;

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
    assert!(
        said.out.starts_with("Imported 2 subscribers.\n"),
        "{}",
        said.out
    );
    said.shows("2 to be asked by mail to confirm");
    let mut due: Vec<_> = deliveries(&office.store).await;
    due.sort_by_key(|delivery| delivery.next_attempt_at);
    let times: Vec<_> = due.iter().filter_map(|each| each.next_attempt_at).collect();
    assert!(times[1].duration_since(times[0]).as_millis() >= 500);
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
    assert!(
        again.out.starts_with("Imported 0 subscribers.\n"),
        "{}",
        again.out
    );
    assert!(again.out.contains("2 not confirmed yet; not asked again"));
    assert_eq!(deliveries(&office.store).await.len(), 2);
}

#[tokio::test]
async fn who_confirmed_elsewhere_gets_the_next_issue_and_no_question() {
    let office = Office::open().await;
    office.subscribe("pending@example.org", None, true).await;
    let file = "email;confirmed_at\nada@example.org;2024-05-06\npending@example.org;\n";
    let said = import(&office, file, &["--confirmed-elsewhere"]);
    assert!(
        said.out.contains("2 confirmed elsewhere"),
        "{} {}",
        said.out,
        said.err
    );
    let ada = office
        .store
        .subscriber("ada@example.org")
        .await
        .unwrap()
        .unwrap();
    let confirmed = ada.consent.confirmed_at.unwrap();
    assert_eq!(
        confirmed,
        "2024-05-06T00:00:00Z".parse::<Timestamp>().unwrap()
    );
    assert!(
        deliveries(&office.store).await.is_empty(),
        "nobody is asked any more"
    );
    let again = import(&office, file, &["--confirmed-elsewhere"]);
    again.shows("2 subscribed before");
    let json = import(&office, file, &["--json"]).json();
    let expected = serde_json::json!({
        "invited": 0, "confirmed": 0, "subscribed_before": 2, "not_confirmed_yet": 0,
        "unsubscribed": 0, "suspended": 0, "repeated_lines": 0,
    });
    assert_eq!(json, expected);
    let mail = MailServer::start(None);
    send_issue(&office, "# News\n\nx\n", &mail.url, &[]).assert(0, "Sent 2 mails\n");
}

#[tokio::test]
async fn whoever_left_or_is_suspended_stays_so() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = refusing(1..2, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, "# News\n\nx\n", &server.url(), &[]);
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
    let token = frontdoor::domain::LinkToken::random();
    let who = frontdoor::store::Recipient {
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
    said.complains("people.csv: line 3: nobody is no address; nothing was imported");
    assert_eq!(state(&office, "ada@example.org").await, None);
    let file = office.write("people.csv", "email\n");
    let file = file.to_str().unwrap();
    let silent = office.run(&["subscribers", "import", file, "--consent", " "]);
    assert_eq!(silent.code, 2);
    assert_eq!(office.run(&["subscribers", "import", file]).code, 2);
}
