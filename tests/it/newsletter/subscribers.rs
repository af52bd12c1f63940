//! The owner looks at subscribers.

use frontdoor::domain::HoldReason;
use serde_json::Value;

use crate::support::database::on_postgres;
use crate::support::office::Office;

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
    assert!(nobody.err.contains("nobody@example.org is no subscriber"));
}

#[tokio::test]
async fn a_removed_subscriber_is_gone_and_so_is_a_forgotten_person() {
    let office = people().await;
    let asked = office.run(&["subscribers", "remove", "ada@example.org"]);
    assert_eq!(asked.code, 2, "nobody is here to ask");
    let removed = office.run(&["subscribers", "remove", "Ada@example.org", "--yes"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    assert_eq!(removed.out.contains("VACUUM"), on_postgres());
    assert!(
        office
            .store
            .subscriber("ada@example.org")
            .await
            .unwrap()
            .is_none()
    );
    let again = office.run(&["subscribers", "remove", "ada@example.org", "--yes"]);
    assert_eq!(again.code, 1);

    let forgotten = office.run(&["leads", "forget", "mailed@example.org", "--yes"]);
    assert_eq!(forgotten.code, 0, "{}", forgotten.err);
    forgotten.shows("the newsletter subscription");
    assert!(
        office
            .store
            .subscriber("mailed@example.org")
            .await
            .unwrap()
            .is_none()
    );
}
