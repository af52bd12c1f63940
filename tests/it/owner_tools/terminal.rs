//! What the owner's shell and tools get to see.

use std::io::{Read as _, pipe};
use std::process::Stdio;

use frontdoor::domain::{ContactForm, HoldReason};
use serde_json::Value;

use super::{ada, eve};
use crate::support::office::Office;
use crate::support::process::{frontdoor, run};

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

/// `frontdoor … | true`, and `2>&1` with it.
#[tokio::test]
async fn a_closed_pipe_is_no_error_for_any_command() {
    let office = Office::open().await;
    let id = office.add(ada(), None).await;
    office.add(eve(), None).await;
    office.subscribe("ada@example.org", None, false).await;
    let issue = office.write("issue.md", "# Hello\n\nWords");
    let issue = issue.to_str().unwrap();
    for command in [
        &["--help"][..],
        &["--version"],
        &["serve", "--help"],
        &["check"],
        &["check", "--json"],
        &["migrate"],
        &["completions", "bash"],
        &["man"],
        &["leads", "list", "--limit", "1"],
        &["leads", "list", "--json"],
        &["leads", "due"],
        &["leads", "show", &id],
        &["leads", "reply", &id, "--print"],
        &["leads", "export"],
        &["leads", "export", "--format", "json"],
        &["leads", "export", "--format", "ndjson"],
        &["leads", "answered", &id],
        &["leads", "note", &id, "noted"],
        &["deliveries", "list"],
        &["deliveries", "retry", "--all"],
        &["subscribers", "list"],
        &["subscribers", "export"],
        &["subscribers", "proof", "ada@example.org"],
        &["newsletter", "list"],
        &["newsletter", "send", issue, "--dry-run"],
        &["person", "ada@example.org"],
        &["prune", "--dry-run"],
        &["prune"],
        &["subscribers", "remove", "ada@example.org", "--yes"],
        &["leads", "forget", "ada@example.org", "--yes"],
    ] {
        let closed = || {
            let (reader, writer) = pipe().unwrap();
            drop(reader);
            writer
        };
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
        if command[0] == "subscribers" || command.contains(&"forget") {
            continue;
        }
        let mut both = office.command(command);
        both.env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:9");
        both.stdin(Stdio::null()).stdout(closed()).stderr(closed());
        assert_eq!(both.status().unwrap().code(), Some(0), "{command:?}");
    }
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
}

#[tokio::test]
async fn check_tells_programs_the_same_as_people() {
    let office = Office::open().await;
    let said = office.json(&["check", "--json"]);
    let found: Vec<_> = said.as_array().unwrap().iter().collect();
    assert_eq!(
        found[0],
        &serde_json::json!({"ok": true, "what": "settings"})
    );
    assert!(found.iter().any(|each| each["ok"] == Value::Null));
    let lines = office.run(&["check"]).out;
    assert_eq!(lines.lines().count(), found.len());
}
