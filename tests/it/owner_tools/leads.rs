//! Reading, exporting, forgetting and releasing leads.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use frontdoor::domain::{ContactForm, HoldReason};
use frontdoor::store::{DeliveryKind, NewLead, Outcome};
use jiff::Timestamp;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{ada, eve, short};
use crate::support::data::{WEBHOOK, lead};
use crate::support::database::on_postgres;
use crate::support::office::{Office, at_most_so_many};

#[tokio::test]
async fn leads_are_listed_as_a_table_and_as_json() {
    let office = Office::open().await;
    for list in ["leads", "deliveries", "subscribers"] {
        let none = office.run(&[list, "list"]).out;
        assert!(none.starts_with(&format!("No {list} found in ")), "{none}");
        let named = none.ends_with(&format!("{}.\n", office.database.name()));
        assert!(named, "{none}");
    }
    let ada_id = office.add(ada(), None).await;
    let eve_id = office.add(eve(), Some(HoldReason::Decoy)).await;

    let table = office.run(&["leads", "list"]).out;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("ID"));
    assert!(lines[1].starts_with(short(&eve_id)) && lines[1].contains("decoy"));
    assert!(lines[2].starts_with(short(&ada_id)) && lines[2].ends_with("Hello there"));
    assert!(!table.contains('\u{202e}'));

    let json = office.json(&["leads", "list", "--json"]);
    assert_eq!(json[1]["id"], Value::from(ada_id));
    assert_eq!(json[1]["phone"], "+1 (416) 555-0142");
    assert_eq!(json[1]["held"], false);
    assert_eq!(json[0]["message"], eve().message);
    let held = office.json(&["leads", "list", "--held", "--json"]);
    assert_eq!(held.as_array().unwrap().len(), 1);
    let none = office.json(&["leads", "list", "--since", "2999-01-01", "--json"]);
    assert_eq!(none, Value::Array(vec![]));

    let one = office.run(&["leads", "list", "--limit", "1"]);
    assert_eq!(one.out.lines().count(), 2);
    assert!(one.err.contains("--limit"));
}

#[tokio::test]
async fn a_lead_is_shown_whole_with_its_deliveries() {
    let office = Office::open().await;
    let id = office.add(ada(), Some(HoldReason::TooFast)).await;
    let said = office.run(&["leads", "show", &id]);
    assert!(said.out.contains("Ada Lovelace") && said.out.contains("Hello\nthere"));
    assert!(said.out.contains("too_fast, waiting to be released"));
    assert!(said.out.contains("webhook") && said.out.contains("held"));
    let json = office.json(&["leads", "show", &id, "--json"]);
    assert_eq!(json["deliveries"][0]["state"], "held");
    let theirs = office.json(&["leads", "show", "ADA@example.org", "--json"]);
    assert_eq!(theirs[0]["id"], Value::from(id));
}

#[tokio::test]
async fn the_export_has_every_lead_once_however_many_there_are() {
    let office = Office::open().await;
    let mut adding = JoinSet::new();
    for _ in 0..1200 {
        let store = office.store.clone();
        adding.spawn(async move {
            let added = store.add_lead(lead(ada()), Timestamp::now()).await;
            added.unwrap();
        });
        at_most_so_many(&mut adding).await;
    }
    adding.join_all().await;
    let lines = office.run(&["leads", "export"]).out;
    let ids: HashSet<_> = lines
        .split("\r\n")
        .map(|line| line.split(',').next().unwrap())
        .collect();
    // With the header and the empty rest after the last line.
    assert_eq!(ids.len(), 1202);
}

#[tokio::test]
async fn a_forgotten_person_is_gone_from_the_files_too() {
    let office = Office::open().await;
    let secret = ContactForm {
        name: "Zanzibar Quux",
        message: "Xylophone-4711 private words",
        ..ada()
    };
    let id = office.add(secret, None).await;
    office
        .add(
            ContactForm {
                email: "ADA@example.org",
                ..secret
            },
            None,
        )
        .await;
    let other = office.add(eve(), None).await;
    // What is searched for is in an index too.
    let found = office.json(&["leads", "list", "--search", "xylophone", "--json"]);
    assert_eq!(found.as_array().unwrap().len(), 2);
    for command in [["answered", &id, ""], ["note", &id, "Xylophone-4711 noted"]] {
        let command: Vec<_> = command
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(office.run(&[&["leads"], &command[..]].concat()).code, 0);
    }

    let refused = office.run(&["leads", "forget", "ada@example.org"]);
    assert_eq!(refused.code, 2, "no terminal to ask on");
    refused.complains("2 leads");

    let said = office.run(&["leads", "forget", &id, "--yes"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("2 leads and 2 deliveries");
    said.shows("Backups");
    assert_eq!(said.out.contains("VACUUM"), on_postgres(), "{}", said.out);
    let rest = office.json(&["leads", "list", "--json"]);
    assert_eq!(rest.as_array().unwrap().len(), 1);
    assert_eq!(rest[0]["id"], Value::from(other));
    for path in office.database.files() {
        let bytes = fs::read(&path).unwrap();
        for trace in [
            "Zanzibar",
            "zanzibar",
            "Xylophone-4711",
            "xylophone",
            "ada@example.org",
            "ADA@example.org",
        ] {
            let found = bytes
                .windows(trace.len())
                .any(|part| part == trace.as_bytes());
            assert!(!found, "{trace} is still in {}", path.display());
        }
    }
}

#[tokio::test]
async fn a_released_lead_and_a_retried_delivery_are_due_again() {
    let office = Office::open().await;
    let held = office.add(ada(), Some(HoldReason::Decoy)).await;
    let said = office.run(&["leads", "release", &held]);
    said.shows("1 delivery on the way");
    assert!(
        office
            .run(&["leads", "release", &held])
            .out
            .contains("isn't held")
    );

    let now = Timestamp::now();
    let lease = Duration::from_secs(20);
    let claim = office
        .store
        .claim(WEBHOOK, 1, lease, now)
        .await
        .unwrap()
        .remove(0);
    let outcome = Outcome::GivenUp {
        reason: "status 410".into(),
    };
    office.store.record(&claim, outcome, now).await.unwrap();
    let given_up = office.json(&["deliveries", "list", "--state", "given_up", "--json"]);
    assert_eq!(given_up[0]["last_error"], "status 410");
    let table = office
        .run(&["deliveries", "list", "--kind", "webhook", "--lead", &held])
        .out;
    assert!(table.contains("given_up") && table.contains("status 410"));

    let said = office.run(&["deliveries", "retry", &claim.delivery_id]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = office.run(&["deliveries", "retry", "--all"]);
    assert_eq!(said.out, "0 deliveries on the way again\n");
    let later = Timestamp::now();
    assert_eq!(
        office
            .store
            .claim(WEBHOOK, 8, lease, later)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn retrying_all_leaves_out_what_the_mail_server_refused_for_good() {
    const REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];
    let office = Office::open().await;
    let (now, lease) = (Timestamp::now(), Duration::from_secs(20));
    for form in [ada(), eve()] {
        let new = NewLead {
            deliveries: [REPLY, WEBHOOK].concat(),
            ..lead(form)
        };
        office.store.add_lead(new, now).await.unwrap();
    }
    let mut ids = Vec::new();
    for kinds in [REPLY, WEBHOOK] {
        for claim in office.store.claim(kinds, 8, lease, now).await.unwrap() {
            let reason = "no such user".into();
            let given_up = Outcome::GivenUp { reason };
            office.store.record(&claim, given_up, now).await.unwrap();
            ids.push(claim.delivery_id);
        }
    }
    assert_eq!(ids.len(), 4);
    // The second mail failed to the end of its schedule.
    let tried = format!(
        "UPDATE deliveries SET attempts = 10 WHERE id = '{}'",
        ids[1]
    );
    office.database.past().run(&tried);

    let said = office.run(&["deliveries", "retry", "--all"]);
    said.assert(
        0,
        "3 deliveries on the way again\n\
        Skipped 1 that the mail server refused for good; retry one with \
        `frontdoor deliveries retry ID`.\n",
    );
    let left = office.json(&["deliveries", "list", "--state", "given_up", "--json"]);
    assert_eq!(left[0]["id"], Value::from(ids[0].clone()));
    let said = office.run(&["deliveries", "retry", &ids[0]]);
    assert_eq!(said.code, 0, "{}", said.err);
}
