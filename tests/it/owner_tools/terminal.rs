//! What the owner's shell and tools get to see.

use std::collections::BTreeSet;
use std::io::{PipeWriter, Read as _, pipe};
use std::process::Command;

use clap::CommandFactory as _;
use frontdoor::cli::Cli;
use frontdoor::domain::ContactForm;
use jiff::{SignedDuration, Timestamp};

use super::{ada, eve, short};
use crate::support::{Draft, TestStore, frontdoor, run, sqlite_url};

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = run(frontdoor(&["completions", shell]).env("DATABASE_URL", "hush"));
        assert_eq!(said.code, 0, "{shell}: {}", said.err);
        for word in ["frontdoor", "newsletter", "dry-run", "keep-leads-days"] {
            assert!(said.out.contains(word), "{word} for {shell}");
        }
        assert!(!said.out.contains("hush"), "{shell}");
    }
    assert_eq!(run(&mut frontdoor(&["completions", "tcsh"])).code, 2);
}

#[test]
fn the_manual_page_has_every_command_and_no_value_of_this_machine() {
    let said = run(frontdoor(&["man"]).env("FRONTDOOR_LISTEN", "hush"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.out.contains("hush"));
    for line in [
        ".TH frontdoor 1",
        ".SH \"FRONTDOOR LEADS EXPORT\"",
        ".SH \"FRONTDOOR RESTORE\"",
        ".SH \"FRONTDOOR NEWSLETTER SEND\"",
        "FRONTDOOR_BACKUP_DIR",
    ] {
        assert!(said.out.contains(line), "{line}");
    }
    let is_command = |line: &&str| line.starts_with('.') || line.starts_with('\'');
    let known = [
        ".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".nf", ".fi", ".br", ".ie", ".el",
    ];
    for line in said.out.lines().filter(is_command) {
        assert!(known.iter().any(|known| line.starts_with(known)), "{line}");
    }
}

/// The end of a pipe that nobody reads.
fn closed() -> PipeWriter {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    writer
}

/// `frontdoor … | true`, or with `2>&1` before the pipe.
fn into_nothing(test: &TestStore, command: &[&str], with_errors: bool) {
    let mut command_line = test.command(command);
    command_line.env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:9");
    let (mut words, err) = pipe().unwrap();
    let err = if with_errors {
        drop(err);
        closed()
    } else {
        err
    };
    let child = command_line.stdout(closed()).stderr(err).spawn();
    let status = child.unwrap().wait().unwrap();
    drop(command_line);
    let mut said = String::new();
    words.read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(0), "{command:?}: {said}");
    assert!(
        !said.contains("panicked") && !said.contains("cannot"),
        "{said}"
    );
}

/// Every command, `leads list` for example.
fn all_commands() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let inner: Vec<_> = command
            .get_subcommands()
            .map(|inner| inner.get_name())
            .collect();
        match inner.is_empty() {
            true => all.insert(name.to_owned()),
            false => {
                all.extend(inner.iter().map(|inner| format!("{name} {inner}")));
                true
            }
        };
    }
    all
}

/// A server runs until it is stopped; the others are about files, and below.
const ELSEWHERE: [&str; 4] = ["backup", "move", "restore", "serve"];

#[tokio::test]
async fn a_closed_pipe_is_no_error_for_any_command() {
    let test = TestStore::new().await;
    let id = test.add(ada()).await;
    let held = test.add_held(eve()).await;
    for email in ["ada@example.org", "eve@example.org"] {
        test.subscribe(email).await;
    }
    test.confirm_all().await;
    let sql = test.database.sql();
    sql.run("UPDATE subscribers SET suspended_at = '2026-01-01T00:00:00Z'");
    let issue = test.write("issue.md", "# Hello\n\nWords");
    let issue = issue.to_str().unwrap();
    let tomorrow = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let people = test.write("people.csv", "email\nbob@example.org\n");
    let people = people.to_str().unwrap();
    let lead = "name,email,message,created_at\nBob,bob@example.org,Hi,2026-01-01\n";
    let contacts = test.write("contacts.csv", lead);
    let contacts = contacts.to_str().unwrap();
    let site = Draft::built().write(&test.database, "site.pack");
    let site = site.to_str().unwrap();
    let commands = [
        &["check"][..],
        &["publish", site],
        &["releases", "list"],
        &["releases", "rollback", "built-in"],
        &["migrate"],
        &["completions", "bash"],
        &["man"],
        &["settings"],
        &["setup", "--dry-run", "--domain", "www.example.com"],
        &["leads", "list", "--limit", "1"],
        &["leads", "due"],
        &["leads", "show", &id],
        &["leads", "reply", &id],
        &["leads", "export"],
        &["leads", "export", "--format", "ndjson"],
        &["leads", "answered", &id],
        &["leads", "booked", &id],
        &["leads", "close", &id],
        &["leads", "spam", &id],
        &["leads", "reopen", &id],
        &["leads", "note", &id, "noted"],
        &["leads", "import", contacts],
        &["deliveries", "list"],
        &["deliveries", "retry", "--all"],
        &["deliveries", "resume"],
        &["subscribers", "list"],
        &["subscribers", "export"],
        &["subscribers", "proof", "ada@example.org"],
        &["newsletter", "list"],
        &["newsletter", "preview", issue],
        &["newsletter", "send", issue, "--dry-run"],
        &["person", "ada@example.org"],
        &["prune", "--dry-run"],
        &["prune"],
        &["leads", "release", &held],
        &["newsletter", "send", issue, "--at", &tomorrow, "--yes"],
        &["newsletter", "cancel"],
        &["subscribers", "resume", "ada@example.org"],
        &["subscribers", "import", people, "--consent", "Yes"],
        &["subscribers", "remove", "eve@example.org", "--yes"],
        &["leads", "forget", "ada@example.org", "--yes"],
    ];
    let mut left = all_commands();
    for (number, command) in commands.iter().enumerate() {
        into_nothing(&test, command, number % 2 == 0);
        let name = command[..2.min(command.len())].join(" ");
        left.retain(|left| *left != name && left != command[0]);
    }
    assert_eq!(left, ELSEWHERE.map(str::to_owned).into(), "these too");
    for command in [&["--help"][..], &["--version"], &["serve", "--help"]] {
        into_nothing(&test, command, false);
    }
}

#[tokio::test]
async fn a_closed_pipe_is_no_error_where_files_are_written() {
    let test = TestStore::on_file().await;
    test.add(ada()).await;
    test.store.close().await.unwrap();
    let copies = ["one.db", "two.db"].map(|name| test.database.path(name));
    let targets = ["three.db", "four.db"].map(|name| sqlite_url(&test.database.path(name)));
    let from = test.database.url();
    for (number, with_errors) in [false, true].into_iter().enumerate() {
        let copy = copies[number].to_str().unwrap();
        into_nothing(&test, &["backup", copy], with_errors);
        into_nothing(&test, &["restore", copy, "--yes"], with_errors);
        let to = &targets[number];
        into_nothing(&test, &["move", "--from", &from, "--to", to], with_errors);
    }
    assert!(copies.iter().all(|copy| copy.exists()));
}

/// Read by a library that spreadsheets' makers would use, not by ours.
#[tokio::test]
async fn what_is_exported_opens_in_a_spreadsheet_without_a_formula() {
    let test = TestStore::new().await;
    for words in ["=1+1", "@SUM(A1)", "\r=1", "a\"b,c\r\nd"] {
        let form = ContactForm {
            name: words,
            message: words,
            ..ada()
        };
        test.add(form).await;
    }
    test.subscribe("=cmd@example.org").await;
    test.subscribe("+plus@example.org").await;
    for command in [
        &["leads", "export", "--all"][..],
        &["subscribers", "export"],
    ] {
        let said = test.run(command);
        let text = said.out.strip_prefix('\u{feff}');
        let text = text.expect("a byte order mark");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert!(
            reader
                .headers()
                .unwrap()
                .iter()
                .any(|name| name == "created_at (UTC)")
        );
        let mut lines = 0;
        for line in reader.records() {
            lines += 1;
            for cell in &line.unwrap() {
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(!is_formula, "{cell:?}");
            }
        }
        assert!(lines >= 2, "{lines}");
    }
    let raw = test.run(&["subscribers", "export", "--raw"]).out;
    assert!(raw.starts_with("\"email\",\"state\",\"created_at\"") && raw.contains("\"=cmd@"));
    let listed = test.json(&["subscribers", "list", "--json"]);
    let array = test.json(&["subscribers", "export", "--format", "json"]);
    assert_eq!(array, listed);
    let raw = test.run(&["leads", "export", "--raw"]).out;
    assert!(raw.starts_with("\"id\",\"created_at\",\"name\"") && raw.contains("\"=1+1\""));
}

#[tokio::test]
async fn check_tells_programs_the_same_as_people() {
    let test = TestStore::new().await;
    let said = test.json(&["check", "--json"]);
    let found: Vec<_> = said.as_array().unwrap().iter().collect();
    assert_eq!(found[0]["check"], "settings");
    assert_eq!(found[0]["state"], "good");
    assert!(found.iter().any(|each| each["state"] == "unsure"));
    let lines = test.run(&["check"]).out;
    assert_eq!(lines.lines().count(), found.len());
}

/// What the program writes to a terminal of 60 columns.
fn on_terminal(test: &TestStore, arguments: &str) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_frontdoor");
    let line = format!("stty cols 60 rows 24; '{program}' {arguments}");
    let said = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("DATABASE_URL", test.database.url())
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// How columns are cut: see `cli::lists`.
#[tokio::test]
async fn a_narrow_terminal_shows_what_matters() {
    let test = TestStore::new().await;
    let new = test.add(ada()).await;
    let held = test.add_held(eve()).await;
    let spam = test.add(ada()).await;
    test.run(&["leads", "spam", &spam]).succeeds();
    test.subscribe("sue@example.org").await;
    let lines = on_terminal(&test, "leads list");
    assert_eq!(lines.len(), 4, "{lines:#?}");
    for (id, words) in [
        (&new, ["new", "Ada Lov", "Hello there"]),
        (&held, ["held", "=HYPER", "Quote \""]),
        (&spam, ["spam", "Ada Lov", "Hello there"]),
    ] {
        let line = lines.iter().find(|line| line.contains(short(id))).unwrap();
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
    }
    let lines = on_terminal(&test, "deliveries list");
    assert_eq!(lines.len(), 5, "{lines:#?}");
    for (line, name) in lines[1..].iter().zip(["sue@exa", "Ada", "=HYPER", "Ada"]) {
        assert!(line.contains(name), "{name}: {lines:#?}");
    }
    let theirs = test.json(&["deliveries", "list", "--lead", short(&new), "--json"]);
    assert_eq!(theirs[0]["person"], ada().name);
    let id = theirs[0]["id"].as_str().unwrap();
    test.run(&["deliveries", "retry", short(id)]).succeeds();
}
