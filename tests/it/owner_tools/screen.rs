//! Lists as a terminal of some width shows them, and as a pipe gets them.

use std::process::Command;

use frontdoor::domain::{ContactForm, HoldReason};
use jiff::{SignedDuration, Timestamp};

use super::{ada, eve, short};
use crate::support::office::Office;

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

async fn office() -> (Office, [String; 3]) {
    let office = Office::open().await;
    let long = office.add(long(), None).await;
    let held = office.add(eve(), Some(HoldReason::TooFast)).await;
    let spam = office.add(ada(), None).await;
    office.run(&["leads", "spam", &spam]);
    let earlier = Timestamp::now() - SignedDuration::from_mins(90);
    office
        .database
        .past()
        .run(&format!("UPDATE contacts SET created_at = '{earlier:.3}'"));
    (office, [long, held, spam])
}

/// What the program writes to a terminal of this width.
fn on_terminal(office: &Office, width: usize, arguments: &str) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_frontdoor");
    let line = format!("stty cols {width} rows 24; '{program}' {arguments}");
    let said = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("DATABASE_URL", office.database.url())
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn state_name_age_and_first_words_are_seen_at_every_width() {
    let (office, [long, held, spam]) = office().await;
    for width in [60, 80, 120] {
        let lines = on_terminal(&office, width, "leads list");
        assert_eq!(lines.len(), 4, "{lines:#?}");
        for line in &lines {
            let cells = line.chars().count();
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
async fn deliveries_name_the_person_and_are_retried_by_the_end_of_their_id() {
    let (office, [lead, ..]) = office().await;
    office.subscribe("sue@example.org", None, true).await;
    for width in [60, 80, 120] {
        let lines = on_terminal(&office, width, "deliveries list");
        assert_eq!(lines.len(), 5, "{lines:#?}");
        for (line, name) in lines[1..]
            .iter()
            .zip(["sue@exa", "Ada Lov", "=HYPERL", "Maximil"])
        {
            assert!(line.contains(name), "{name} at {width}: {lines:#?}");
        }
    }
    let theirs = office.json(&["deliveries", "list", "--lead", short(&lead), "--json"]);
    assert_eq!(theirs[0]["person"], long().name);
    let id = theirs[0]["id"].as_str().unwrap();
    let said = office.run(&["deliveries", "retry", short(id)]);
    assert_eq!(said.code, 0, "{}", said.err);
}
