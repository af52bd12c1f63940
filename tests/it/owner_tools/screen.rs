//! Lists as a terminal of some width shows them, and as a pipe gets them.

use std::process::Command;

use frontdoor::domain::ContactForm;
use jiff::{SignedDuration, Timestamp};

use super::{ada, eve, short};
use crate::support::test_store::TestStore;

const LONG: &str = "We run three clinics in Ontario and would like a website with a chat \
    assistant that answers our patients at night; what would that cost and how soon could you start?";

fn long() -> ContactForm<'static> {
    ContactForm {
        name: "Maximiliane Wolkenstein-Trostburg",
        email: "maximiliane.wolkenstein-trostburg@clinics.example",
        message: LONG,
        ..ada()
    }
}

async fn filled() -> (TestStore, [String; 3]) {
    let test = TestStore::new().await;
    let long = test.add(long()).await;
    let held = test.add_held(eve()).await;
    let spam = test.add(ada()).await;
    test.run(&["leads", "spam", &spam]);
    let earlier = Timestamp::now() - SignedDuration::from_mins(90);
    let sql = format!("UPDATE contacts SET created_at = '{earlier:.3}'");
    test.database.sql().run(&sql);
    (test, [long, held, spam])
}

/// What the program writes to a terminal of this width.
fn on_terminal(test: &TestStore, width: usize, arguments: &str, settings: &str) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_frontdoor");
    let line = format!("stty cols {width} rows 24; {settings} '{program}' {arguments}");
    let said = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("DATABASE_URL", test.database.url())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Without its colours.
fn plain(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap().to_owned();
    let rest = parts.map(|part| part.split_once('m').unwrap().1);
    first + &rest.collect::<String>()
}

#[tokio::test]
async fn state_name_age_and_first_words_are_seen_at_every_width() {
    let (test, [long, held, spam]) = filled().await;
    for width in [60, 120] {
        let lines = on_terminal(&test, width, "leads list", "");
        assert_eq!(lines.len(), 4, "{lines:#?}");
        for line in &lines {
            let cells = plain(line).chars().count();
            assert!(cells <= width, "{cells} of {width}: {line}");
        }
        let of = |id: &str| lines.iter().find(|line| line.contains(short(id))).unwrap();
        for (id, words) in [
            (&long, ["new", "1h", "Maximil", "We run three clinics"]),
            (&held, ["held", "1h", "=HYPER", "Quote \""]),
            (&spam, ["spam", "1h", "Ada Lov", "Hello there"]),
        ] {
            for word in words {
                assert!(of(id).contains(word), "{word} at {width}: {lines:#?}");
            }
        }
    }
}

#[tokio::test]
async fn held_leads_and_spam_are_dim_on_a_terminal_that_has_colours() {
    let (test, [long, held, spam]) = filled().await;
    let dim = |lines: &[String], id: &str| {
        let line = lines.iter().find(|line| line.contains(short(id))).unwrap();
        line.starts_with("\x1b[2m")
    };
    let lines = on_terminal(&test, 80, "leads list", "");
    assert!(!dim(&lines, &long) && dim(&lines, &held) && dim(&lines, &spam));
    for settings in ["NO_COLOR=1", "TERM=dumb"] {
        let lines = on_terminal(&test, 80, "leads list", settings);
        assert!(!lines.concat().contains('\x1b'), "{lines:#?}");
    }
    let piped = test.run(&["leads", "list"]).out;
    assert!(!piped.contains('\x1b'), "{piped}");
}

#[tokio::test]
async fn deliveries_name_the_person_and_are_retried_by_the_end_of_their_id() {
    let (test, [lead, ..]) = filled().await;
    test.subscribe("sue@example.org").await;
    let lines = on_terminal(&test, 60, "deliveries list", "");
    assert_eq!(lines.len(), 5, "{lines:#?}");
    let names = ["sue@exa", "Ada Lov", "=HYPERL", "Maximil"];
    for (line, name) in lines[1..].iter().zip(names) {
        assert!(line.contains(name), "{name}: {lines:#?}");
    }
    let theirs = test.json(&["deliveries", "list", "--lead", short(&lead), "--json"]);
    assert_eq!(theirs[0]["person"], long().name);
    let id = theirs[0]["id"].as_str().unwrap();
    test.run(&["deliveries", "retry", short(id)]).succeeds();
}
