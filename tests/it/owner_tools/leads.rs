//! The owner's work with leads: listing those that wait, changing, exporting, importing and forgetting
//! them.

use std::collections::HashSet;

use frontdoor::domain::ContactForm;
use frontdoor::store::{DeliveryKind, DeliveryOutcome, short_id as short};
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

use super::{ada, eve};
use crate::support::{CommandOutput, TestStore, assert_has, run};

fn bob() -> ContactForm<'static> {
    ContactForm {
        name: "Bob Åström",
        email: "bob@office.example",
        message: "Please call about the website",
        form_location: "contact",
        ..ContactForm::default()
    }
}

fn emails(json: &Value) -> Vec<&str> {
    let leads = json.as_array().unwrap().iter();
    leads.map(|lead| lead["email"].as_str().unwrap()).collect()
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_lead_is_listed_and_shown_with_every_field_of_the_contract() {
    let test = TestStore::new().await;
    for list in ["leads", "deliveries", "subscribers"] {
        let none = test.run(&[list, "list"]).stdout;
        assert!(none.starts_with(&format!("No {list} found in ")), "{none}");
        let named = none.ends_with(&format!("{}.\n", test.database.name()));
        assert!(named, "{none}");
    }
    let ada_id = test.add(ada()).await;
    let eve_id = test.add_held(eve()).await;
    let table = test.run(&["leads", "list"]).stdout;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("ID"));
    assert!(lines[1].starts_with(short(&eve_id)) && lines[1].contains("decoy"));
    assert!(lines[2].starts_with(short(&ada_id)) && lines[2].contains("  Hello there  "));
    assert!(!table.contains('\u{202e}'));
    let one = test.run(&["leads", "list", "--limit", "1"]);
    assert_eq!(one.stdout.lines().count(), 2);
    one.stderr_contains("--limit");

    let lead = &test.json(&["leads", "list", "--json"])[1];
    let fields = "id name email phone message form_location created_at state held hold_reason \
        note due_at answered_at source";
    for field in fields.split(' ') {
        assert!(lead.get(field).is_some(), "{field} in {lead}");
    }
    let created = time(&lead["created_at"]);
    assert_eq!(time(&lead["due_at"]), created + 24.hours());
    let mut patient = test.command(&["leads", "show", &ada_id, "--json"]);
    let shown = run(patient.env("FRONTDOOR_PROMISE_HOURS", "48")).json();
    assert_eq!(time(&shown["due_at"]), created + 48.hours());

    let held = test.run(&["leads", "show", &eve_id]);
    held.stdout_has(&["decoy, waiting to be released", "webhook", "held"]);
    let held = test.json(&["leads", "show", "EVE@example.org", "--json"]);
    assert_eq!(held[0]["message"], eve().message);
    assert_eq!(held[0]["deliveries"][0]["state"], "held");
}

#[tokio::test]
async fn a_lead_can_get_a_note_and_a_reply_and_be_answered_booked_closed_and_reopened() {
    let test = TestStore::new().await;
    let id = test.add(ada()).await;
    let shown = || test.json(&["leads", "show", short(&id), "--json"]);
    let note = |text: &str| test.run(&["leads", "note", short(&id), text]);
    note("-- prefers mornings").succeeds();
    let page = test.run(&["leads", "show", &id]);
    page.stdout_contains("Note: -- prefers mornings");
    note(&"x".repeat(2_001)).fails_with(2, "must not exceed 2000 characters");
    assert_eq!(shown()["note"], "-- prefers mornings");
    note("").exits_with(0, "Note removed.\n");
    assert_eq!(shown()["note"], Value::Null);
    let output = test.run(&["leads", "reply", short(&id)]).succeeds();
    let head = "To: Ada Lovelace <ada@example.org>\nSubject: Re: ";
    assert!(output.stdout.starts_with(head), "{}", output.stdout);
    assert!(
        output.stdout.ends_with("> Hello\n> there\n"),
        "{}",
        output.stdout
    );
    output.stdout_contains(&frontdoor::content::site().booking_url);
    output.stderr_contains(&format!("frontdoor leads answered {}", short(&id)));

    let mut first_answer = Value::Null;
    for (verb, state) in [
        ("answered", "answered"),
        ("booked", "booked"),
        ("close", "closed"),
    ] {
        let output = test.run(&["leads", verb, short(&id)]).succeeds();
        let told = format!("{} is {state}, was ", short(&id));
        assert!(output.stdout.starts_with(&told), "{}", output.stdout);
        assert_eq!(shown()["state"], state);
        assert_eq!(shown()["due_at"], Value::Null);
        let answered = shown()["answered_at"].clone();
        assert!(answered.is_string());
        if verb == "answered" {
            first_answer = answered.clone();
        }
        assert_eq!(answered, first_answer);
        test.run(&["leads", verb, &id]).stdout_contains("already");
    }
    test.run(&["leads", "reopen", &id]).succeeds();
    assert_eq!(shown()["state"], "new");
    assert_eq!(shown()["answered_at"], Value::Null);
    assert!(shown()["due_at"].is_string());
    let changes = shown()["changes"].as_array().unwrap().clone();
    let marked = changes.iter().filter(|change| change["what"] == "state");
    let states: Vec<_> = marked.map(|change| &change["state"]).collect();
    assert_eq!(states, ["answered", "booked", "closed", "new"]);
}

#[tokio::test]
async fn a_lead_is_named_by_its_id_the_end_of_it_or_an_address_and_never_guessed() {
    let test = TestStore::new().await;
    let (one, two) = (test.add(ada()).await, test.add(bob()).await);
    let output = test.run(&["leads", "close", "nobody", &one, "nobody-else", short(&two)]);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 2, "{}", output.stdout);
    output.fails_with(1, "there is no lead nobody (");
    output.stderr_contains("there is no lead nobody-else (");

    let output = test.run(&["leads", "reopen", "BOB@office.example"]);
    let output = output.succeeds();
    assert!(output.stdout.starts_with(short(&two)), "{}", output.stdout);
    for command in [
        &["note", "bob@office.example", "call back"][..],
        &["reply", "bob@office.example"],
        &["release", "bob@office.example"],
    ] {
        test.run(&[&["leads"], command].concat()).succeeds();
    }
    let nobody = "there is no lead of nobody@office.example (see `frontdoor leads list`)";
    let output = test.run(&["leads", "answered", "nobody@office.example"]);
    output.fails_with(1, nobody);
    let again = test.add(bob()).await;
    let output = test.run(&["leads", "answered", "bob@office.example"]);
    output.fails_with(1, "bob@office.example matches several leads, such as ");
    for id in [&two, &again] {
        output.stderr_contains(&format!("{id} (new)"));
    }

    let sql = test.database.sql();
    for other in ["aaaaaaaa-1-12345678", "bbbbbbbb-2-12345678"] {
        let id = test.add_with(bob(), &[], None).await;
        sql.run(&format!(
            "UPDATE contacts SET id = '{other}' WHERE id = '{id}'"
        ));
    }
    let output = test.run(&["leads", "answered", "12345678"]);
    output.fails_with(1, "aaaaaaaa-1-12345678 (new)");
    output.stderr_contains("bbbbbbbb-2-12345678 (new)");
    test.run(&["leads", "answered", "2-12345678"]).succeeds();
    let answered = test.json(&["leads", "list", "--state", "answered", "--json"]);
    assert_eq!(answered[0]["id"], "bbbbbbbb-2-12345678");

    for command in [
        &["leads", "show", "nobody"][..],
        &["leads", "release", "nobody"],
        &["leads", "forget", "nobody", "--yes"],
        &["leads", "forget", "nobody@example.org", "--yes"],
        &["deliveries", "retry", "nobody"],
    ] {
        let output = test.run(command);
        assert_eq!((output.stderr.lines().count(), &*output.stdout), (1, ""));
        output.fails_with(1, "nobody");
    }
}

#[tokio::test]
async fn leads_are_listed_by_remaining_time_state_page_source_and_words() {
    let test = TestStore::new().await;
    let none = test.run(&["leads", "due"]);
    none.exits_with(0, "Nobody is waiting for an answer.\n");
    let late = test.add_earlier(ada(), 27).await;
    test.add_earlier(bob(), 20).await;
    test.add_held(eve()).await;
    let table = test.run(&["leads", "due"]).stdout;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[1].starts_with(short(&late)) && lines[1].contains("3h late"));
    assert!(lines[2].contains("3h left") && lines[2].contains("Bob Åström"));
    test.run(&["leads", "answered", short(&late)]);
    let due = test.json(&["leads", "due", "--json"]);
    assert_eq!(emails(&due), ["bob@office.example"]);

    let booked = test.run(&["leads", "booked", short(&late)]);
    booked.succeeds();
    test.database.sql().run(&format!(
        "UPDATE contacts SET utm_campaign = 'Spring', referrer_host = 'news.example'
        WHERE id = '{late}'"
    ));
    let (ada, bob) = ("ada@example.org", "bob@office.example");
    for (options, found) in [
        (&["--state", "booked"][..], &[ada][..]),
        (&["--location", "homepage"], &[ada]),
        (&["--search", "WEBSITE call"], &[bob]),
        (&["--search", "website", "--state", "booked"], &[]),
        (&["--search", "website OR nobody"], &[]),
        // Parts of words, in small letters or capitals.
        (&["--search", "ÅSTR"], &[bob]),
        (&["--search", "bob åström"], &[bob]),
        (&["--search", "ffice.ex"], &[bob]),
        (&["--source", "news"], &[]),
        (&["--source", "spring"], &[ada]),
        (&["--source", "News.example"], &[ada]),
        (&["--held"], &["eve@example.org"]),
        (&["--since", "25h"], &["eve@example.org", bob]),
        (&["--since", "2999-01-01"], &[]),
    ] {
        let leads = test.json(&[&["leads", "list", "--json"], options].concat());
        assert_eq!(emails(&leads), found, "{options:?}");
    }
    for command in [
        &["leads", "list", "--since", "someday"][..],
        &["leads", "list", "--limit", "0"],
        &["leads", "list", "--location", "moon"],
        &["leads", "list", "--search", "%&"],
    ] {
        assert_eq!(test.run(command).code, 2, "{command:?}");
    }
    test.run(&["deliveries", "retry"]).fails_with(2, "--all");
}

#[tokio::test]
async fn spam_is_held_back_left_out_of_exports_and_delivered_when_reopened() {
    let test = TestStore::new().await;
    let id = test.add(ada()).await;
    test.add_held(eve()).await;
    test.add(bob()).await;
    let output = test.run(&["leads", "spam", &id]);
    output.stdout_contains("1 delivery kept back");
    let lead = test.json(&["leads", "show", &id, "--json"]);
    assert_eq!(lead["state"], "spam");
    assert_eq!(lead["deliveries"][0]["state"], "held");
    let exported = |options: &[&str]| {
        let json = ["leads", "export", "--format", "json"];
        let leads = test.json(&[&json, options].concat());
        emails(&leads).join(" ")
    };
    assert_eq!(exported(&[]), "bob@office.example");
    assert_eq!(exported(&["--held"]), "eve@example.org");
    assert_eq!(exported(&["--spam"]), "ada@example.org");
    assert_eq!(exported(&["--all"]).split(' ').count(), 3);
    let refused = format!("{id} is spam: `frontdoor leads reopen {id}` first\n");
    test.run(&["leads", "release", &id]).fails_with(1, &refused);
    let output = test.run(&["leads", "reopen", &id]);
    output.stdout_contains("1 delivery on the way");
    assert_eq!(exported(&[]).split(' ').count(), 2);
}

#[tokio::test]
async fn the_export_has_every_lead_once_in_each_format() {
    const LEADS: usize = 1200;
    let test = TestStore::new().await;
    let export = |format: &str| test.run(&["leads", "export", "--format", format]).stdout;
    assert_eq!((&*export("json"), &*export("ndjson")), ("[]\n", ""));
    let lead = |number| {
        format!("('{number}', 'N', 'a@b.org', 'a@b.org', 'Hi', '2026-01-01T00:00:00.000Z')")
    };
    let rows: Vec<_> = (0..LEADS).map(lead).collect();
    let columns = "id, name, email, email_key, message, created_at";
    let sql = format!("INSERT INTO contacts ({columns}) VALUES ");
    test.database.sql().run(&(sql + &rows.join(", ")));
    let csv = export("csv");
    let ids: HashSet<_> = csv
        .split("\r\n")
        .map(|line| line.split(',').next())
        .collect();
    // With the header and the empty rest after the last line.
    assert_eq!(ids.len(), LEADS + 2);
    assert_eq!(csv.matches("_at (UTC)\"").count(), 3);
    assert!(csv.contains(",\"2026-01-01 00:00:00\","));
    assert_eq!(export("ndjson").lines().count(), LEADS);
    let array: Value = serde_json::from_str(&export("json")).unwrap();
    let listed = test.json(&["leads", "list", "--limit", "5000", "--json"]);
    assert!(array == listed, "as they are listed");
}

#[tokio::test]
async fn deliveries_that_were_given_up_can_be_retried_unless_they_were_refused_for_good() {
    const BOTH: &[DeliveryKind] = &[DeliveryKind::AutoReply, DeliveryKind::LeadWebhook];
    let test = TestStore::new().await;
    test.add_with(ada(), BOTH, None).await;
    test.add_with(eve(), &[DeliveryKind::AutoReply], None).await;
    let now = Timestamp::now();
    for claim in test.claim(BOTH, now).await {
        let reason = "no such user".into();
        let given_up = DeliveryOutcome::GivenUp { reason };
        let recorded = test.store.record_delivery(&claim, given_up, now);
        recorded.await.unwrap();
    }
    // One of the two mails failed to the end of its schedule.
    let tried = "UPDATE deliveries SET attempts = 10 WHERE kind = 'auto_reply'
        AND contact_id = (SELECT id FROM contacts WHERE email_key = 'eve@example.org')";
    assert_eq!(test.database.sql().run(tried), 1);
    let listed = test.run(&["deliveries", "list", "--kind", "webhook"]);
    listed.stdout_has(&["given_up", "no such user", ada().name]);

    let output = test.run(&["deliveries", "retry", "--all"]);
    output.exits_with(
        0,
        "2 deliveries on the way again\n\
        Skipped 1 that the mail server refused for good; retry one with \
        `frontdoor deliveries retry ID`.\n",
    );
    let left = test.json(&["deliveries", "list", "--state", "given_up", "--json"]);
    let id = left[0]["id"].as_str().unwrap();
    test.run(&["deliveries", "retry", short(id)]).succeeds();
    assert_eq!(test.claim(BOTH, Timestamp::now()).await.len(), 3);
    let being_sent = test.run(&["deliveries", "retry", "--all"]);
    being_sent.exits_with(0, "0 deliveries on the way again\n");
}

/// As `\copy contacts to contacts.csv csv header` writes it.
const FILE: &str = "\
id,name,email,phone,message,form_location,created_at,note,utm_source,paid
7,Ada Lovelace,ada@example.org,+1 416 555 0142,\"Hello, \"\"you\"\"
there\",homepage,2026-03-01 12:00:00.123456+00,Called back,spring,t
8,Bob,bob@example.org,,=Hi,,2026-03-02T09:00:00+01:00,,,f
";

fn import(test: &TestStore, text: &str) -> CommandOutput {
    let file = test.write("contacts.csv", text);
    test.run(&["leads", "import", file.to_str().unwrap()])
}

fn leads(test: &TestStore) -> Vec<Value> {
    let leads = test.json(&["leads", "list", "--json"]);
    leads.as_array().unwrap().clone()
}

#[tokio::test]
async fn leads_are_taken_in_once_as_closed_with_their_time_and_wrong_lines_and_files_are_named() {
    let test = TestStore::new().await;
    let output = import(&test, FILE);
    output.exits_with(0, "Imported 2 leads as closed.\n");
    output.stderr_contains("These columns aren't used: id, paid\n");
    let [bob, ada] = &leads(&test)[..] else {
        panic!("two leads");
    };
    for (field, words) in [
        ("name", "Ada Lovelace"),
        ("email", "ada@example.org"),
        ("phone", "+1 416 555 0142"),
        ("message", "Hello, \"you\"\nthere"),
        ("form_location", "homepage"),
        ("created_at", "2026-03-01T12:00:00.123Z"),
        ("state", "closed"),
        ("note", "Called back"),
    ] {
        assert_eq!(ada[field], words, "{field}");
    }
    assert_eq!(ada["source"]["utm_source"], "spring");
    assert_eq!(bob["created_at"], "2026-03-02T08:00:00Z");
    assert_eq!(bob["form_location"], "contact");
    assert_eq!((&bob["phone"], &bob["note"]), (&Value::Null, &Value::Null));
    test.run(&["deliveries", "list", "--json"])
        .exits_with(0, "[]\n");
    test.run(&["leads", "due", "--json"]).exits_with(0, "[]\n");

    let again = import(&test, FILE);
    again.exits_with(0, "Imported 0 leads as closed.\n      2 known already\n");
    // Its times are in whole seconds, and an apostrophe guards the message.
    let for_spreadsheets = test.run(&["leads", "export"]).stdout;
    assert!(for_spreadsheets.contains("\"'=Hi\""), "{for_spreadsheets}");
    let exported = import(&test, &for_spreadsheets);
    exported.exits_with(0, "Imported 0 leads as closed.\n      2 known already\n");
    let later = "9,Bob,BOB@example.org,,Hi,,2026-03-03T09:00:00Z,,,f\n";
    let longer = import(&test, &format!("{FILE}{later}"));
    longer.exits_with(0, "Imported 1 lead as closed.\n      2 known already\n");

    for (file, complaint) in [
        (
            "name,email,message\nA,B,C\n",
            "must name the columns; created_at is missing",
        ),
        ("name,email\n\"A,a@b.org\n", "a quote is never closed"),
    ] {
        let output = import(&test, file);
        output.fails_with(2, complaint);
        output.stderr_contains("nothing was imported");
    }
    assert_eq!(leads(&test).len(), 3);
    let wrong = "9,,nobody,,Hi,,2026-03-03T09:00:00Z,,,\n\
        10,Eve,eve@example.org,,Hi,footer,2026-03-03T09:00:00Z,,,\n\
        11,Eve,eve@example.org,,Hi,,soon,,,\n\
        12,Eve,eve@example.org,,Hi, you,,2026-03-03T09:00:00Z,,,\n";
    let output = import(&test, &format!("{FILE}{wrong}"));
    output.exits_with(1, "Imported 0 leads as closed.\n      2 known already\n");
    assert_has(
        &output.stderr,
        &[
            "line 5: name: Please fill in all required fields; email: ",
            "line 6: form_location: ",
            "line 7: created_at: must be a time in the past",
            "line 8: has more cells than line 1 has columns",
            "4 lines were left out",
        ],
    );
    assert!(!output.stderr.contains("nobody"), "{}", output.stderr);
}
