//! Everything stored about a person is shown, and forgotten, also in the files.

use std::collections::BTreeSet;
use std::fs;

use frontdoor::domain::{ContactForm, SecretToken};
use frontdoor::store::{LeadState, LinkPurpose, Recipient, Reply};
use jiff::Timestamp;

use super::{ada, eve};
use crate::support::{Sql, TestStore, WEBHOOK, on_postgres};

/// What a column that is about a person is called.
fn is_about_a_person(column: &str) -> bool {
    let words = ["email", "phone", "address", "person"];
    let refers = ["contact_id", "lead_id", "subscriber_id"];
    words.iter().any(|word| column.contains(word)) || refers.contains(&column)
}

/// Every table with such a column, as the database itself says.
fn personal_tables(sql: &Sql) -> BTreeSet<String> {
    let columns = sql.rows(match sql {
        Sql::File(_) => {
            "SELECT tables.name, columns.name FROM pragma_table_list AS tables,
                pragma_table_info(tables.name) AS columns
            WHERE tables.schema = 'main' AND tables.type = 'table'"
        }
        Sql::Server(_) => {
            "SELECT table_name::text, column_name::text FROM information_schema.columns
            WHERE table_schema = 'public'"
        }
    });
    let personal = columns.into_iter().filter(|row| is_about_a_person(&row[1]));
    personal.map(|row| row[0].clone()).collect()
}

const SECRET: &str = "Xylophone-4711 private words";

/// Stores something about a person in every table that can contain it.
async fn store_in_every_table(test: &TestStore) {
    let store = &test.store;
    let lead = test.add(ada()).await;
    let again = ContactForm {
        email: "ADA@example.org",
        message: SECRET,
        ..ada()
    };
    let again = test.add(again).await;
    test.run(&["leads", "note", &lead, SECRET]).succeeds();
    test.add(eve()).await;
    test.mark(&lead, LeadState::Answered).await;
    let now = Timestamp::now();
    let reply = Reply {
        who: "Anna".into(),
        text: SECRET.into(),
        booking: false,
        quote: true,
    };
    store.add_reply(&lead, reply, now).await.unwrap().unwrap();
    let kept = store.keep_reply_draft(&again, SECRET, None, now);
    kept.await.unwrap().unwrap();
    test.database.sql().run(&format!(
        "INSERT INTO bookings (service, id, contact_id, created_at)
        VALUES ('cal', 'uid', '{lead}', '{now:.3}')"
    ));
    // Words that were searched for are in an index too.
    test.run(&["leads", "list", "--search", "xylophone"])
        .stdout_contains("Ada");
    for email in [ada().email, eve().email] {
        test.subscribe(email).await;
    }
    test.confirm_all().await;
    let ada = store.subscriber(ada().email).await.unwrap().unwrap();
    let person = Recipient {
        issue: "issue".into(),
        id: ada.id,
        email: ada.email,
    };
    let token = SecretToken::random();
    let offered = store.offer(&person, &token, Timestamp::now());
    offered.await.unwrap();
    let refused = store.record_refusal(&person, "550 5.7.1", false, Timestamp::now());
    refused.await.unwrap();
    // Withdrawn, and asked for once more: the earlier consent is proof.
    let left = store.follow_link(&token, LinkPurpose::Unsubscribe, Timestamp::now());
    left.await.unwrap();
    test.subscribe(&person.email).await;
    test.claim(WEBHOOK, Timestamp::now()).await;
}

#[tokio::test]
async fn every_table_with_a_word_about_a_person_is_shown_and_forgotten() {
    let test = TestStore::new().await;
    store_in_every_table(&test).await;
    let sql = test.database.sql();
    let mut personal = personal_tables(&sql);
    assert!(personal.len() > 6, "{personal:?}");

    let shown = test.json(&["person", "ADA@example.org", "--json"]);
    let tables: BTreeSet<_> = shown.as_object().unwrap().keys().cloned().collect();
    assert_eq!(tables, personal, "missing in src/store/person.rs");
    let leads = shown["contacts"].as_array().unwrap();
    let lead = leads
        .iter()
        .find(|lead| lead["state"] == "answered")
        .unwrap();
    assert_eq!(
        (leads.len(), lead["message"].as_str()),
        (2, Some("Hello\nthere"))
    );
    let created = lead["created_at"].as_str().unwrap();
    assert!(created.parse::<Timestamp>().is_ok(), "{created}");
    assert_eq!(shown["contact_changes"][1]["state"], "answered");
    assert_eq!(shown["newsletter_sends"][0]["state"], "offered");
    assert!(!shown.to_string().contains("eve@"), "{shown}");

    let ids = |table: &str, id: &str| -> Vec<String> {
        let rows = shown[table].as_array().unwrap().iter();
        rows.map(|row| row[id].as_str().unwrap().to_owned())
            .collect()
    };
    let theirs = [ids("contacts", "id"), ids("subscribers", "id")].concat();
    let refused = test.run(&["leads", "forget", "ada@example.org"]);
    refused.fails_with(2, "2 leads and the newsletter subscription");
    let output = test
        .run(&["leads", "forget", &theirs[0], "--yes"])
        .succeeds();
    output.stdout_contains("Backups");
    assert_eq!(
        output.stdout.contains("VACUUM"),
        on_postgres(),
        "{}",
        output.stdout
    );
    let gone = test.run(&["person", "ada@example.org"]);
    gone.fails_with(1, "nothing is stored about ada@example.org");
    personal.insert("spam_words".into());
    for table in personal {
        for row in sql.rows(&format!("SELECT * FROM {table}")) {
            let row = row.join(" ");
            let is_theirs = theirs.iter().any(|id| row.contains(id.as_str()));
            assert!(!is_theirs && !row.contains("ada@"), "{table}: {row}");
        }
    }
    for path in test.database.files() {
        let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
        for trace in ["ada lovelace", "xylophone", "ada@example.org"] {
            let mut parts = bytes.windows(trace.len());
            let found = parts.any(|part| part == trace.as_bytes());
            assert!(!found, "{trace} is still in {}", path.display());
        }
    }
    assert_eq!(sql.number("SELECT count(*) FROM spam_words"), 0);
    let eve = test.run(&["person", "eve@example.org"]).succeeds();
    eve.stdout_has(&["contacts\n", "\ndeliveries\n", "  email: eve@example.org\n"]);
    // Nothing that could change a terminal, and no empty fields.
    assert!(!eve.stdout.contains('\u{202e}') && !eve.stdout.contains("phone"));
}
