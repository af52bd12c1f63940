//! A day with leads: who waits, what was done about them, what goes out.

use frontdoor::domain::{ContactForm, HoldReason};
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

use super::{ada, eve, short};
use crate::support::data::lead;
use crate::support::office::Office;
use crate::support::process::run;

fn bob() -> ContactForm<'static> {
    ContactForm {
        name: "Bob Office",
        email: "bob@office.example",
        message: "Please call about the website",
        form_location: "contact",
        ..ContactForm::default()
    }
}

/// So many hours ago.
async fn add_earlier(office: &Office, form: ContactForm<'_>, hours: i64) -> String {
    let then = Timestamp::now() - hours.hours();
    let added = office.store.add_lead(lead(form), then).await.unwrap().id;
    // The database's own clock says when a lead came in.
    office.database.past().run(&format!(
        "UPDATE contacts SET created_at = '{}' WHERE id = '{added}'",
        then.strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
    ));
    added
}

fn listed(office: &Office, options: &[&str]) -> Vec<String> {
    let json = office.json(&[&["leads", "list", "--json"], options].concat());
    let leads = json.as_array().unwrap().iter();
    leads
        .map(|lead| lead["email"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn json_has_every_field_of_the_contract() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    let lead = &office.json(&["leads", "list", "--json"])[0];
    for field in [
        "id",
        "name",
        "email",
        "phone",
        "message",
        "form_location",
        "created_at",
        "state",
        "held",
        "hold_reason",
        "note",
        "due_at",
        "answered_at",
        "source",
    ] {
        assert!(lead.get(field).is_some(), "{field} in {lead}");
    }
    assert_eq!(
        (&lead["state"], &lead["answered_at"]),
        (&"new".into(), &Value::Null)
    );
    let time = |value: &Value| value.as_str().unwrap().parse::<Timestamp>().unwrap();
    assert_eq!(
        time(&lead["due_at"]),
        time(&lead["created_at"]) + 24.hours()
    );
    let mut patient = office.command(&["leads", "show", &id, "--json"]);
    let shown = run(patient.env("FRONTDOOR_PROMISE_HOURS", "48")).out;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        time(&shown["due_at"]),
        time(&shown["created_at"]) + 48.hours()
    );
}

#[tokio::test]
async fn a_lead_is_answered_booked_closed_and_opened_again() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    for (verb, state) in [
        ("answered", "answered"),
        ("booked", "booked"),
        ("close", "closed"),
    ] {
        let said = office.run(&["leads", verb, short(&id)]);
        assert_eq!(said.code, 0, "{}", said.err);
        let told = format!("{} is {state}, was ", short(&id));
        assert!(said.out.starts_with(&told), "{}", said.out);
        let lead = office.json(&["leads", "show", short(&id), "--json"]);
        assert_eq!(
            (&lead["state"], &lead["due_at"]),
            (&state.into(), &Value::Null)
        );
        assert!(lead["answered_at"].is_string());
        assert!(office.run(&["leads", verb, &id]).out.contains("already"));
    }
    office.run(&["leads", "reopen", &id]);
    let lead = office.json(&["leads", "show", "ada@example.org", "--json"]);
    assert_eq!(
        (&lead[0]["state"], &lead[0]["answered_at"]),
        (&"new".into(), &Value::Null)
    );
    assert!(lead[0]["due_at"].is_string());
    let states = lead[0]["changes"].as_array().unwrap().iter();
    let states: Vec<_> = states
        .map(|change| change["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["answered", "booked", "closed", "new"]);
}

#[tokio::test]
async fn of_several_ids_the_wrong_ones_are_named_and_the_others_done() {
    let office = Office::open().await;
    let (one, two) = (office.add(ada(), None).await, office.add(bob(), None).await);
    let said = office.run(&["leads", "close", "nobody", &one, "nobody-else", short(&two)]);
    assert_eq!(
        (said.code, said.err.lines().count()),
        (1, 1),
        "{}",
        said.err
    );
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    for unknown in [
        "there is no lead nobody (",
        "there is no lead nobody-else (",
    ] {
        said.complains(unknown);
    }
    assert_eq!(listed(&office, &["--state", "closed"]).len(), 2);
}

#[tokio::test]
async fn an_ambiguous_end_of_an_id_is_refused_with_those_it_could_be() {
    let office = Office::open().await;
    let (one, two) = (office.add(ada(), None).await, office.add(bob(), None).await);
    let past = office.database.past();
    for (id, other) in [(&one, "aaaaaaaa-1-12345678"), (&two, "bbbbbbbb-2-12345678")] {
        past.run(&format!("DELETE FROM deliveries WHERE contact_id = '{id}'"));
        past.run(&format!(
            "UPDATE contacts SET id = '{other}' WHERE id = '{id}'"
        ));
    }
    let said = office.run(&["leads", "answered", "12345678"]);
    assert_eq!(said.code, 1);
    for id in ["aaaaaaaa-1-12345678 (new)", "bbbbbbbb-2-12345678 (new)"] {
        said.complains(id);
    }
    assert_eq!(office.run(&["leads", "answered", "2-12345678"]).code, 0);
    assert_eq!(
        listed(&office, &["--state", "answered"]),
        ["bob@office.example"]
    );
}

#[tokio::test]
async fn who_waits_is_told_the_overdue_first_with_what_is_left_of_the_promise() {
    let office = Office::open().await;
    let none = office.run(&["leads", "due"]);
    none.assert(0, "Nobody is waiting for an answer.\n");
    let late = add_earlier(&office, ada(), 27).await;
    add_earlier(&office, bob(), 20).await;
    office.add(eve(), Some(HoldReason::Decoy)).await;
    let table = office.run(&["leads", "due"]).out;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(
        lines[1].starts_with(short(&late)) && lines[1].contains("3h late"),
        "{table}"
    );
    assert!(
        lines[2].contains("3h left") && lines[2].contains("Bob Office"),
        "{table}"
    );
    office.run(&["leads", "answered", short(&late)]);
    let due = office.json(&["leads", "due", "--json"]);
    assert_eq!(due.as_array().unwrap().len(), 1);
    assert_eq!(due[0]["name"], "Bob Office");
}

#[tokio::test]
async fn leads_are_listed_by_state_page_source_and_words() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    office.add(bob(), None).await;
    office.run(&["leads", "booked", &id]);
    for (options, found) in [
        (&["--state", "booked"][..], &["ada@example.org"][..]),
        (&["--state", "new"], &["bob@office.example"]),
        (&["--location", "homepage"], &["ada@example.org"]),
        (&["--search", "WEBSITE call"], &["bob@office.example"]),
        (&["--search", "office.example"], &["bob@office.example"]),
        (&["--search", "website", "--state", "booked"], &[]),
        (&["--source", "news"], &[]),
        (
            &["--since", "1h"],
            &["bob@office.example", "ada@example.org"],
        ),
    ] {
        assert_eq!(listed(&office, options), found, "{options:?}");
    }
    for wrong in [
        ["--state", "lost"],
        ["--location", "moon"],
        ["--search", "%&"],
    ] {
        assert_eq!(
            office.run(&[&["leads", "list"], &wrong[..]].concat()).code,
            2
        );
    }
}

#[tokio::test]
async fn a_note_is_kept_bounded_shown_and_removed() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    let note = |text: &str| office.run(&["leads", "note", short(&id), text]);
    assert_eq!(note("-- prefers mornings").code, 0);
    let page = office.run(&["leads", "show", &id]).out;
    assert!(page.contains("Note: -- prefers mornings"), "{page}");
    let long = note(&"x".repeat(2_001));
    assert_eq!((long.code, long.err.lines().count()), (2, 1));
    long.complains("must not exceed 2000 characters");
    let kept = &office.json(&["leads", "show", &id, "--json"])["note"];
    assert_eq!(kept, "-- prefers mornings");
    note("").assert(0, "Note removed.\n");
    let kept = &office.json(&["leads", "show", &id, "--json"])["note"];
    assert_eq!(kept, &Value::Null);
}

#[tokio::test]
async fn spam_is_kept_back_left_out_of_exports_and_goes_on_when_opened_again() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    office.add(eve(), Some(HoldReason::Decoy)).await;
    office.add(bob(), None).await;
    let said = office.run(&["leads", "spam", &id]);
    said.shows("1 delivery kept back");
    let lead = office.json(&["leads", "show", &id, "--json"]);
    assert_eq!(
        (&lead["state"], &lead["due_at"]),
        (&"spam".into(), &Value::Null)
    );
    assert_eq!(lead["deliveries"][0]["state"], "held");
    let exported = |options: &[&str]| {
        let lines = ["leads", "export", "--format", "ndjson"];
        let said = office.run(&[&lines, options].concat());
        let leads = said.out.lines().map(|line| {
            let lead: Value = serde_json::from_str(line).unwrap();
            lead["email"].as_str().unwrap().to_owned()
        });
        leads.collect::<Vec<_>>()
    };
    assert_eq!(exported(&[]), ["bob@office.example"]);
    assert_eq!(exported(&["--held"]), ["eve@example.org"]);
    assert_eq!(exported(&["--spam"]), ["ada@example.org"]);
    assert_eq!(exported(&["--all"]).len(), 3);
    let refused = office.run(&["leads", "release", &id]);
    assert_eq!(refused.code, 1);
    refused.complains(&format!(
        "{id} is spam: `frontdoor leads reopen {id}` first\n"
    ));
    let said = office.run(&["leads", "reopen", &id]);
    said.shows("1 delivery on the way");
    assert_eq!(exported(&[]).len(), 2);
}

#[tokio::test]
async fn the_export_is_csv_with_even_times_or_json_of_either_kind() {
    let office = Office::open().await;
    let export = |format: &str| office.run(&["leads", "export", "--format", format]).out;
    assert_eq!(
        serde_json::from_str::<Value>(&export("json")).unwrap(),
        Value::Array(vec![])
    );
    assert_eq!(export("ndjson"), "");
    let id = office.add(ada(), None).await;
    office.add(ada(), None).await;
    office.run(&["leads", "answered", &id]);
    let array: Value = serde_json::from_str(&export("json")).unwrap();
    assert_eq!(array, office.json(&["leads", "list", "--json"]));
    assert_eq!(export("ndjson").lines().count(), 2);
    let csv = export("csv");
    assert_eq!(csv.matches("_at (UTC)\"").count(), 3, "{csv}");
    let line = csv.split("\r\n").nth(1).unwrap();
    let time = line.split(',').nth(1).unwrap().trim_matches('"');
    let read = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", time);
    assert!(read.is_ok() && time.len() == 19, "{time}");
    assert_eq!(office.run(&["leads", "export", "--format", "xls"]).code, 2);
}

#[tokio::test]
async fn a_reply_is_printed_with_the_message_quoted_and_the_booking_page() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    let said = office.run(&["leads", "reply", short(&id)]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out
            .starts_with("To: Ada Lovelace <ada@example.org>\nSubject: Re: ")
    );
    assert!(said.out.ends_with("> Hello\n> there\n"), "{}", said.out);
    assert!(said.out.contains(&frontdoor::content::SITE.booking_url));
    said.complains(&format!("frontdoor leads answered {}", short(&id)));
}

#[tokio::test]
async fn an_address_means_the_lead_of_whoever_has_only_one() {
    let office = Office::open().await;
    let id = office.add(bob(), None).await;
    for verb in ["answered", "booked", "close", "spam", "reopen"] {
        let said = office.run(&["leads", verb, "BOB@office.example"]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.starts_with(short(&id)), "{}", said.out);
    }
    for command in [
        &["note", "bob@office.example", "call back"][..],
        &["reply", "bob@office.example"],
        &["release", "bob@office.example"],
    ] {
        let said = office.run(&[&["leads"], command].concat());
        assert_eq!(said.code, 0, "{}", said.err);
    }
    let said = office.run(&["leads", "answered", "nobody@office.example"]);
    assert_eq!(said.code, 1);
    said.complains("there is no lead of nobody@office.example (see `frontdoor leads list`)");

    let second = office.add(bob(), None).await;
    let said = office.run(&["leads", "answered", "bob@office.example"]);
    assert_eq!((said.code, &*said.out), (1, ""));
    said.complains("bob@office.example has several leads: ");
    for id in [&id, &second] {
        said.complains(&format!("{id} (new)"));
    }
    said.complains("; name one by its id\n");
    assert_eq!(listed(&office, &["--state", "new"]).len(), 2);
}
