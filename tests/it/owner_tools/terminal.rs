//! What the owner's shell and tools get to see.

use std::collections::BTreeSet;
use std::io::{PipeWriter, Read as _, pipe};
use std::process::Stdio;

use clap::CommandFactory as _;
use frontdoor::cli::Cli;
use frontdoor::domain::{ContactForm, HoldReason};
use jiff::{SignedDuration, Timestamp};

use super::{ada, eve, file_office};
use crate::support::database::sqlite_url;
use crate::support::office::Office;
use crate::support::process::{frontdoor, run};
use crate::support::release::Draft;

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

/// `frontdoor … | true`
fn into_nothing(office: &Office, command: &[&str]) {
    let mut command_line = office.command(command);
    command_line.env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:9");
    let (mut words, err) = pipe().unwrap();
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

/// The same with `2>&1` before it.
fn all_into_nothing(office: &Office, command: &[&str]) {
    let mut both = office.command(command);
    both.env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:9");
    both.stdin(Stdio::null()).stdout(closed()).stderr(closed());
    assert_eq!(both.status().unwrap().code(), Some(0), "{command:?}");
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
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    let held = office.add(eve(), Some(HoldReason::Decoy)).await;
    for email in ["ada@example.org", "eve@example.org"] {
        office.subscribe(email, None, true).await;
    }
    office.confirm_all().await;
    let past = office.database.past();
    past.run("UPDATE subscribers SET suspended_at = '2026-01-01T00:00:00Z'");
    let issue = office.write("issue.md", "# Hello\n\nWords");
    let issue = issue.to_str().unwrap();
    let tomorrow = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let people = office.write("people.csv", "email\nbob@example.org\n");
    let people = people.to_str().unwrap();
    let lead = "name,email,message,created_at\nBob,bob@example.org,Hi,2026-01-01\n";
    let contacts = office.write("contacts.csv", lead);
    let contacts = contacts.to_str().unwrap();
    let site = Draft::built().write(&office.database, "site.pack");
    let site = site.to_str().unwrap();
    let often = [
        &["check"][..],
        &["check", "--json"],
        &["publish", site],
        &["releases", "list"],
        &["releases", "list", "--json"],
        &["releases", "rollback", "built-in"],
        &["migrate"],
        &["completions", "bash"],
        &["man"],
        &["settings"],
        &["setup", "--dry-run", "--domain", "www.example.com"],
        &["leads", "list", "--limit", "1"],
        &["leads", "list", "--json"],
        &["leads", "due"],
        &["leads", "show", &id],
        &["leads", "reply", &id],
        &["leads", "export"],
        &["leads", "export", "--format", "json"],
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
        &["subscribers", "export", "--format", "json"],
        &["subscribers", "proof", "ada@example.org"],
        &["newsletter", "list"],
        &["newsletter", "preview", issue],
        &["newsletter", "send", issue, "--dry-run"],
        &["person", "ada@example.org"],
        &["prune", "--dry-run"],
        &["prune"],
    ];
    let once = [
        &["leads", "release", &held][..],
        &["newsletter", "send", issue, "--at", &tomorrow, "--yes"],
        &["newsletter", "cancel"],
        &["subscribers", "resume", "ada@example.org"],
        &["subscribers", "import", people, "--consent", "Yes"],
        &["subscribers", "remove", "eve@example.org", "--yes"],
        &["leads", "forget", "ada@example.org", "--yes"],
    ];
    for command in often {
        all_into_nothing(&office, command);
    }
    let mut left = all_commands();
    for command in often.iter().chain(&once) {
        into_nothing(&office, command);
        left.retain(|name| {
            *name != command[..2.min(command.len())].join(" ") && name != command[0]
        });
    }
    assert_eq!(left, ELSEWHERE.map(str::to_owned).into(), "these too");
    for command in [&["--help"][..], &["--version"], &["serve", "--help"]] {
        into_nothing(&office, command);
    }
}

#[tokio::test]
async fn a_closed_pipe_is_no_error_where_files_are_written() {
    let office = file_office().await;
    office.add(ada(), None).await;
    office.store.close().await.unwrap();
    let copies = ["one.db", "two.db"].map(|name| office.database.path(name));
    let [one, two] = copies.each_ref().map(|path| path.to_str().unwrap());
    into_nothing(&office, &["backup", one]);
    all_into_nothing(&office, &["backup", two]);
    for into_nothing in [into_nothing, all_into_nothing] {
        into_nothing(&office, &["restore", one, "--yes"]);
    }
    let targets = ["three.db", "four.db"].map(|name| sqlite_url(&office.database.path(name)));
    let from = office.database.url();
    into_nothing(&office, &["move", "--from", &from, "--to", &targets[0]]);
    all_into_nothing(&office, &["move", "--from", &from, "--to", &targets[1]]);
    assert!(copies.iter().all(|copy| copy.exists()));
}

/// Read by a library that spreadsheets' makers would use, not by ours.
#[tokio::test]
async fn what_is_exported_opens_in_a_spreadsheet_without_a_formula() {
    let office = Office::open().await;
    let dangerous = [
        "=1+1",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "a\"b,c\r\nd",
    ];
    for words in dangerous {
        let form = ContactForm {
            name: words,
            message: words,
            ..ada()
        };
        let hold = words.starts_with('@').then_some(HoldReason::Decoy);
        office.add(form, hold).await;
    }
    office.subscribe("=cmd@example.org", None, false).await;
    office.subscribe("+plus@example.org", None, false).await;
    for command in [
        &["leads", "export", "--all"][..],
        &["subscribers", "export"],
    ] {
        let said = office.run(command);
        let text = said
            .out
            .strip_prefix('\u{feff}')
            .expect("a byte order mark");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let times: Vec<_> = (0..header.len())
            .filter(|place| header[*place].ends_with("_at (UTC)"))
            .collect();
        assert!(!times.is_empty(), "{header:?}");
        let mut lines = 0;
        for line in reader.records() {
            let line = line.unwrap();
            lines += 1;
            for cell in &line {
                assert!(
                    !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']),
                    "{cell:?}"
                );
            }
            for place in &times {
                let time = &line[*place];
                assert!(
                    time.is_empty() || time.len() == "2026-01-31 09:05:07".len(),
                    "{time}"
                );
            }
        }
        assert!(lines >= 2, "{lines}");
    }
    let raw = office.run(&["subscribers", "export", "--raw"]).out;
    assert!(raw.starts_with("\"email\",\"state\",\"created_at\"") && raw.contains("\"=cmd@"));
    let listed = office.json(&["subscribers", "list", "--json"]);
    let array = office.json(&["subscribers", "export", "--format", "json"]);
    assert_eq!(array, listed);
    let raw = office.run(&["leads", "export", "--raw"]).out;
    assert!(raw.starts_with("\"id\",\"created_at\",\"name\"") && raw.contains("\"=1+1\""));
}

#[tokio::test]
async fn check_tells_programs_the_same_as_people() {
    let office = Office::open().await;
    let said = office.json(&["check", "--json"]);
    let found: Vec<_> = said.as_array().unwrap().iter().collect();
    assert_eq!(found[0]["check"], "settings");
    assert_eq!(found[0]["state"], "good");
    assert!(found.iter().any(|each| each["state"] == "unsure"));
    let lines = office.run(&["check"]).out;
    assert_eq!(lines.lines().count(), found.len());
}
