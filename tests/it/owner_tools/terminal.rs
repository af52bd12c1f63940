//! The output of the owner's commands, in a terminal, a pipe and a file.

use std::io::{PipeWriter, pipe};
use std::process::Command;

use frontdoor::domain::ContactForm;
use frontdoor::store::short_id;

use super::{ada, eve};
use crate::support::{TestStore, run};

/// The end of a pipe that nobody reads.
fn closed() -> PipeWriter {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    writer
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
        let mut command = test.command(command);
        command.env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:9");
        // `frontdoor … | true`, or with `2>&1` before the pipe.
        command.stdout(closed());
        if with_errors {
            command.stderr(closed());
        }
        let output = run(&mut command).succeeds();
        let is_silent = !output.stderr.contains("panicked") && !output.stderr.contains("can't");
        assert!(is_silent, "{}", output.stderr);
    }
}

/// Read by a library that spreadsheets' makers would use, not by ours.
#[tokio::test]
async fn an_export_opens_in_a_spreadsheet_without_running_a_formula() {
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
        let output = test.run(command);
        let text = output.stdout.strip_prefix('\u{feff}');
        let text = text.expect("a byte order mark");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers().unwrap();
        assert!(columns.iter().any(|name| name == "created_at (UTC)"));
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
    let raw = test.run(&["subscribers", "export", "--raw"]);
    raw.stdout_contains("\"=cmd@");
    let listed = test.json(&["subscribers", "list", "--json"]);
    let array = test.json(&["subscribers", "export", "--format", "json"]);
    assert_eq!(array, listed);
    let raw = test.run(&["leads", "export", "--raw"]).stdout;
    assert!(raw.starts_with("\"id\",\"created_at\",\"name\"") && raw.contains("\"=1+1\""));
}

/// How columns are cut: see `cli::lists`.
#[tokio::test]
async fn a_list_is_as_wide_as_the_terminal() {
    let test = TestStore::new().await;
    let id = test.add(eve()).await;
    let program = env!("CARGO_BIN_EXE_frontdoor");
    let line = format!("stty cols 60 rows 24; '{program}' leads list");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let output = run(script.env("DATABASE_URL", test.database.url())).succeeds();
    output.stdout_has(&[short_id(&id), "new", "=HYPER", "Quote \""]);
    let widest = output.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(60), "{}", output.stdout);
}
