//! The owner's commands, run as the owner runs them: the real program on a
//! real database, which a store of the test's keeps open like a server would.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use frontdoor::domain::{Contact, ContactForm, HoldReason, Source};
use frontdoor::store::{DeliveryKind, NewLead, OpenMode, Outcome, Retry, Store};
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

const WEBHOOK: &[DeliveryKind] = &[DeliveryKind::Webhook];

struct Office {
    directory: TempDir,
    store: Store,
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Office {
    async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("leads.db");
        let url = format!("sqlite://{}", path.display()).parse().unwrap();
        let store = Store::open(&url, OpenMode::Create).await.unwrap();
        Self { directory, store }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn add(&self, form: ContactForm<'_>, hold: Option<HoldReason>) -> String {
        let lead = NewLead {
            contact: Contact::parse(form).unwrap(),
            source: Source::default(),
            hold,
            idempotency_key: None,
            deliveries: WEBHOOK.to_vec(),
        };
        self.store
            .add_lead(lead, Timestamp::now())
            .await
            .unwrap()
            .id
    }

    fn run(&self, arguments: &[&str]) -> Said {
        let url = format!("sqlite://{}", self.path("leads.db").display());
        run(arguments, &url)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    }
}

fn run(arguments: &[&str], database_url: &str) -> Said {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_frontdoor"))
        .args(arguments)
        .env("DATABASE_URL", database_url)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Said {
        code: status.code().unwrap(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

const ADA: ContactForm<'_> = ContactForm {
    name: "Ada Lovelace",
    email: "ada@example.org",
    phone: "+1 (416) 555-0142",
    message: "Hello\nthere",
    form_location: "homepage",
};
const EVE: ContactForm<'_> = ContactForm {
    name: "=HYPERLINK(\"http://evil.example\")",
    email: "eve@example.org",
    phone: "",
    message: "Quote \" and \u{202e}turn",
    form_location: "contact",
};

#[tokio::test]
async fn leads_are_listed_as_a_table_and_as_json() {
    let office = Office::open().await;
    let none = format!("in {}.\n", office.path("leads.db").display());
    for list in ["leads", "deliveries", "subscribers"] {
        assert_eq!(office.run(&[list, "list"]).out, format!("No {list} {none}"));
    }
    let ada = office.add(ADA, None).await;
    let eve = office.add(EVE, Some(HoldReason::Decoy)).await;

    let table = office.run(&["leads", "list"]).out;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("ID"));
    assert!(lines[1].starts_with(&eve) && lines[1].contains("decoy"));
    assert!(lines[2].starts_with(&ada) && lines[2].ends_with("Hello there"));
    assert!(!table.contains('\u{202e}'));

    let json = office.json(&["leads", "list", "--json"]);
    assert_eq!(json[1]["id"], Value::from(ada));
    assert_eq!(json[1]["phone"], "+1 (416) 555-0142");
    assert_eq!(json[1]["held"], false);
    assert_eq!(json[0]["message"], EVE.message);
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
    let id = office.add(ADA, Some(HoldReason::TooFast)).await;
    let said = office.run(&["leads", "show", &id]);
    assert!(said.out.contains("Ada Lovelace") && said.out.contains("Hello\nthere"));
    assert!(said.out.contains("too_fast, waits for a release"));
    assert!(said.out.contains("webhook") && said.out.contains("held"));
    let json = office.json(&["leads", "show", &id, "--json"]);
    assert_eq!(json["deliveries"][0]["state"], "held");
    let theirs = office.json(&["leads", "show", "ADA@example.org", "--json"]);
    assert_eq!(theirs[0]["id"], Value::from(id));
}

#[tokio::test]
async fn an_unknown_id_ends_with_one_clear_line_and_code_1() {
    let office = Office::open().await;
    for command in [
        &["leads", "show", "nobody"][..],
        &["leads", "release", "nobody"],
        &["leads", "forget", "nobody", "--yes"],
        &["leads", "forget", "nobody@example.org", "--yes"],
        &["deliveries", "retry", "nobody"],
    ] {
        let said = office.run(command);
        assert_eq!(said.code, 1, "{command:?}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert!(said.err.contains("nobody"), "{}", said.err);
        assert_eq!(said.out, "");
    }
}

#[tokio::test]
async fn wrong_usage_ends_with_code_2() {
    let office = Office::open().await;
    for command in [
        &["leads"][..],
        &["leads", "show"],
        &["leads", "list", "--since", "someday"],
        &["leads", "list", "--limit", "0"],
        &["deliveries", "list", "--state", "lost"],
        &["deliveries", "retry"],
        &["backup"],
    ] {
        assert_eq!(office.run(command).code, 2, "{command:?}");
    }
    assert_eq!(run(&["leads", "list"], "mysql://here").code, 2);
}

#[test]
fn a_missing_database_is_named_and_not_created() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("absent/leads.db");
    let said = run(&["leads", "list"], &format!("sqlite://{}", path.display()));
    assert_eq!(said.code, 1);
    assert!(said.err.contains("absent/leads.db"), "{}", said.err);
    assert!(said.err.contains("`frontdoor migrate`"), "{}", said.err);
    assert!(!directory.path().join("absent").exists());
}

#[tokio::test]
async fn a_tool_changes_no_database_of_another_version() {
    let office = Office::open().await;
    office.store.close().await.unwrap();
    let path = office.path("leads.db");
    let version = |sql: &str| {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(sql).unwrap();
    };
    for (sql, remedy) in [
        (
            "UPDATE schema_migrations SET version = version + 9000",
            "use a newer one",
        ),
        (
            "UPDATE schema_migrations SET version = version - 9001",
            "`frontdoor migrate`",
        ),
    ] {
        version(sql);
        let before = fs::read(&path).unwrap();
        for command in [
            &["leads", "list"][..],
            &["leads", "forget", "ada@example.org", "--yes"],
            &["deliveries", "retry", "--all"],
            &["subscribers", "list"],
            &["backup", "copy.db"],
            &["check"],
        ] {
            let said = office.run(command);
            assert_eq!(said.code, 1, "{command:?}");
            assert!(said.err.contains(remedy), "{}", said.err);
        }
        assert!(fs::read(&path).unwrap() == before, "left as it was");
    }
}

#[tokio::test]
async fn a_tool_that_wrote_leaves_one_whole_file_and_one_that_read_leaves_all_as_it_was() {
    let office = Office::open().await;
    let id = office.add(ADA, Some(HoldReason::Decoy)).await;
    office.store.close().await.unwrap();
    for command in [
        &["leads", "list"][..],
        &["leads", "release", &id],
        &["check"],
    ] {
        assert_eq!(office.run(command).code, 0, "{command:?}");
        assert_eq!(
            fs::read_dir(office.directory.path()).unwrap().count(),
            1,
            "{command:?}"
        );
    }
}

/// Root may have put it there, and the service is somebody else.
#[tokio::test]
async fn a_database_that_may_not_be_opened_is_refused_with_its_owner_and_rights() {
    let office = Office::open().await;
    office.store.close().await.unwrap();
    let folder = fs::Permissions::from_mode(0o755);
    fs::set_permissions(office.directory.path(), folder).unwrap();
    // Where its user can reach it, which the build's own folder need not be.
    let program = office.path("frontdoor");
    fs::copy(env!("CARGO_BIN_EXE_frontdoor"), &program).unwrap();
    let nobody = Command::new(&program)
        .args(["leads", "list"])
        .env(
            "DATABASE_URL",
            format!("sqlite://{}", office.path("leads.db").display()),
        )
        .uid(65534)
        .output()
        .unwrap();
    let said = String::from_utf8(nobody.stderr).unwrap();
    let owner = fs::metadata(office.path("leads.db")).unwrap().uid();
    for word in [format!("user {owner} with rights"), "as user 65534".into()] {
        assert!(said.contains(&word), "{said}");
    }
}

/// The service runs as somebody else than root, who runs the tools.
#[tokio::test]
async fn side_files_belong_to_the_owner_of_the_database() {
    let office = Office::open().await;
    office.store.close().await.unwrap();
    let path = office.path("leads.db");
    let owner = fs::metadata(&path).unwrap().uid();
    let another = if owner == 0 { 65534 } else { owner };
    std::os::unix::fs::chown(&path, Some(another), None).unwrap();
    let url = format!("sqlite://{}", path.display()).parse().unwrap();
    let store = Store::open(&url, OpenMode::Existing).await.unwrap();
    store.retry(Retry::All, Timestamp::now()).await.unwrap();
    store.probe().await.unwrap();
    let mut seen = 0;
    for entry in fs::read_dir(office.directory.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().uid(),
            another,
            "{:?}",
            entry.path()
        );
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[tokio::test]
async fn the_export_is_safe_for_a_spreadsheet_and_raw_on_request() {
    let office = Office::open().await;
    office.add(ADA, None).await;
    office.add(EVE, None).await;
    let safe = office.run(&["leads", "export"]).out;
    assert!(safe.starts_with("\"id\",\"created_at\",\"name\",\"email\",\"phone\",\"message\","));
    assert!(safe.contains("\"'=HYPERLINK(\"\"http://evil.example\"\")\""));
    assert!(safe.contains("\"'+1 (416) 555-0142\"") && safe.contains("\"Hello\nthere\""));
    let raw = office.run(&["leads", "export", "--raw"]).out;
    assert!(raw.contains("\"=HYPERLINK(\"\"http://evil.example\"\")\""));
    assert!(raw.contains("\"+1 (416) 555-0142\""));
}

#[tokio::test]
async fn the_export_has_every_lead_once_however_many_there_are() {
    let office = Office::open().await;
    for _ in 0..1200 {
        office.add(ADA, None).await;
    }
    let lines = office.run(&["leads", "export"]).out;
    let ids: std::collections::HashSet<_> = lines
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
        ..ADA
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
    let eve = office.add(EVE, None).await;

    let refused = office.run(&["leads", "forget", "ada@example.org"]);
    assert_eq!(refused.code, 2, "no terminal to ask on");
    assert!(refused.err.contains("2 leads"), "{}", refused.err);

    let said = office.run(&["leads", "forget", &id, "--yes"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("2 leads and 2 deliveries"),
        "{}",
        said.out
    );
    let rest = office.json(&["leads", "list", "--json"]);
    assert_eq!(rest.as_array().unwrap().len(), 1);
    assert_eq!(rest[0]["id"], Value::from(eve));
    for entry in fs::read_dir(office.directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for trace in [
            "Zanzibar",
            "Xylophone-4711",
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
    let held = office.add(ADA, Some(HoldReason::Decoy)).await;
    let said = office.run(&["leads", "release", &held]);
    assert!(said.out.contains("1 delivery on the way"), "{}", said.out);
    assert!(
        office
            .run(&["leads", "release", &held])
            .out
            .contains("not held")
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
async fn a_backup_is_complete_private_and_never_overwrites() {
    let office = Office::open().await;
    let id = office.add(ADA, None).await;
    let file = office.path("copy.db");
    let name = file.to_str().unwrap();
    let said = office.run(&["backup", name]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );

    let again = office.run(&["backup", name]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("exists already"), "{}", again.err);

    let copy = run(
        &["leads", "show", &id, "--json"],
        &format!("sqlite://{name}"),
    );
    assert!(copy.out.contains("ada@example.org"));
    assert!(!office.path("copy.db.partial").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_taken_while_leads_come_in_is_consistent() {
    let office = Office::open().await;
    let store = office.store.clone();
    let (stop, mut stopped) = tokio::sync::watch::channel(false);
    let writing = tokio::spawn(async move {
        while !*stopped.borrow_and_update() {
            let lead = NewLead {
                contact: Contact::parse(ADA).unwrap(),
                source: Source::default(),
                hold: None,
                idempotency_key: None,
                deliveries: WEBHOOK.to_vec(),
            };
            store.add_lead(lead, Timestamp::now()).await.unwrap();
        }
    });
    for number in 0..5 {
        let file = office.path(&format!("copy{number}.db"));
        let said = office.run(&["backup", file.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.err);
        let url = format!("sqlite://{}", file.display());
        let all = ["--limit", "100000", "--json"];
        let leads = run(&[&["leads", "list"][..], &all].concat(), &url).out;
        let deliveries = run(&[&["deliveries", "list"][..], &all].concat(), &url).out;
        let length = |json: &str| {
            let list: Value = serde_json::from_str(json).unwrap();
            list.as_array().unwrap().len()
        };
        assert_eq!(length(&leads), length(&deliveries));
    }
    stop.send(true).unwrap();
    writing.await.unwrap();
}

#[tokio::test]
async fn the_database_and_its_side_files_are_for_their_owner_only() {
    let office = Office::open().await;
    office.add(ADA, None).await;
    let mut seen = 0;
    for entry in fs::read_dir(office.directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
        seen += 1;
    }
    assert_eq!(seen, 3, "the database, its log and its index");
}
