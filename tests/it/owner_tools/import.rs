//! Leads from another table, by its export.

use serde_json::Value;

use crate::support::process::Said;
use crate::support::test_store::TestStore;

/// As `\copy contacts to contacts.csv csv header` writes it.
const FILE: &str = "\
id,name,email,phone,message,form_location,created_at,note,utm_source,paid
7,Ada Lovelace,ada@example.org,+1 416 555 0142,\"Hello, \"\"you\"\"
there\",homepage,2026-03-01 12:00:00.123456+00,Called back,spring,t
8,Bob,bob@example.org,,Hi,,2026-03-02T09:00:00+01:00,,,f
";

fn import(test: &TestStore, text: &str) -> Said {
    let file = test.write("contacts.csv", text);
    test.run(&["leads", "import", file.to_str().unwrap()])
}

fn leads(test: &TestStore) -> Vec<Value> {
    let leads = test.json(&["leads", "list", "--json"]);
    leads.as_array().unwrap().clone()
}

#[tokio::test]
async fn leads_are_taken_in_once_as_closed_with_their_time_and_nothing_is_sent() {
    let test = TestStore::new().await;
    let said = import(&test, FILE);
    said.assert(0, "Imported 2 leads as closed.\n");
    said.complains("These columns are not used: id, paid\n");
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
        .assert(0, "[]\n");
    test.run(&["leads", "due", "--json"]).assert(0, "[]\n");

    let again = import(&test, FILE);
    again.assert(0, "Imported 0 leads as closed.\n      2 known already\n");
    let later = "9,Bob,BOB@example.org,,Hi,,2026-03-03T09:00:00Z,,,f\n";
    let longer = import(&test, &format!("{FILE}{later}"));
    longer.assert(0, "Imported 1 lead as closed.\n      2 known already\n");
    assert_eq!(leads(&test).len(), 3);
}

#[tokio::test]
async fn a_wrong_line_is_named_without_its_words_and_a_wrong_file_is_refused_whole() {
    let test = TestStore::new().await;
    for (file, complaint) in [
        ("", "the file is empty"),
        (
            "name,email,message\nA,a@b.org,Hi\n",
            "one of them created_at",
        ),
        ("name,email\n\"A,a@b.org\n", "a quote is never closed"),
    ] {
        let said = import(&test, file);
        said.fails(2, complaint);
        said.complains("nothing was imported");
    }
    assert!(leads(&test).is_empty());
    let wrong = "9,,nobody,,Hi,,2026-03-03T09:00:00Z,,,\n\
        10,Eve,eve@example.org,,Hi,footer,2026-03-03T09:00:00Z,,,\n\
        11,Eve,eve@example.org,,Hi,,soon,,,\n\
        12,Eve,eve@example.org,,Hi, you,,2026-03-03T09:00:00Z,,,\n";
    let said = import(&test, &format!("{FILE}{wrong}"));
    said.assert(1, "Imported 2 leads as closed.\n");
    for line in [
        "line 5: name: Please fill in all required fields; email: ",
        "line 6: form_location: ",
        "line 7: created_at: no time that has been",
        "line 8: has more cells than line 1 has columns",
        "4 lines were left out",
    ] {
        said.complains(line);
    }
    assert!(!said.err.contains("nobody"), "{}", said.err);
}
