//! What the owner's shell and tools get to see.

use std::io::{PipeWriter, Read as _, pipe};
use std::process::Command;

use frontdoor::domain::ContactForm;

use super::{ada, eve, short};
use crate::support::{TestStore, frontdoor, run};

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
fn the_manual_has_a_page_for_every_command_and_no_value_of_this_machine() {
    let said = run(frontdoor(&["man"]).env("FRONTDOOR_LISTEN", "hush"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.out.contains("hush"));
    for line in [
        ".TH frontdoor 1",
        ".TH frontdoor-leads-export 1",
        ".TH frontdoor-restore 1",
        ".TH frontdoor-newsletter-send 1",
        "FRONTDOOR_BACKUP_DIR",
    ] {
        assert!(said.out.contains(line), "{line}");
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

/// That nothing prints by another way: see the lint in `cli/mod.rs`.
#[tokio::test]
async fn a_closed_pipe_is_no_error() {
    let test = TestStore::new().await;
    let id = test.add(ada()).await;
    let issue = test.write("issue.md", "# Hello\n\nWords");
    let issue = issue.to_str().unwrap();
    for (command, with_errors) in [
        (&["leads", "list", "--limit", "1"][..], true),
        (&["leads", "show", &id], false),
        (&["leads", "reply", &id], true),
        (&["leads", "export"], false),
        (&["leads", "export", "--format", "json"], true),
        (&["check", "--json"], false),
        (&["newsletter", "send", issue, "--dry-run"], true),
        (&["man"], true),
        (&["--help"], false),
        (&["--version"], false),
        (&["serve", "--help"], true),
    ] {
        into_nothing(&test, command, with_errors);
    }
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
        (&new, ["new", "Ada Lov", "Hello"]),
        (&held, ["held", "=HYPER", "Quote \""]),
        (&spam, ["spam", "Ada Lov", "Hello"]),
    ] {
        let line = lines.iter().find(|line| line.contains(short(id))).unwrap();
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
    }
    let lines = on_terminal(&test, "deliveries list");
    assert_eq!(lines.len(), 5, "{lines:#?}");
    for (line, name) in lines[1..].iter().zip(["sue@exa", "Ada", "=HYPER", "Ada"]) {
        assert!(line.contains(name), "{name}: {lines:#?}");
    }
    let theirs = test.json(&["leads", "show", short(&new), "--json"])["deliveries"].clone();
    assert_eq!(theirs[0]["person"], ada().name);
    let id = theirs[0]["id"].as_str().unwrap();
    test.run(&["deliveries", "retry", short(id)]).succeeds();
}
