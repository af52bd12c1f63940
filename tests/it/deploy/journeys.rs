//! The guides in `docs/` work as written: every `sh` block is run, in the order of the page, with the
//! real program and a new database. Blocks that need root or the owner's computer (`sh root`,
//! `sh desk`) aren't run, but every command and flag in them must exist.

use std::path::Path;
use std::process::Command;

use clap::Parser as _;
use clap::error::ErrorKind;
use frontdoor::cli::Cli;
use frontdoor::domain::ContactForm;

use crate::support::{MailServer, TestStore, copy_environment, frontdoor, run, visitor};

const JOURNEYS: [&str; 6] = [
    "go-live",
    "a-day-with-leads",
    "write-an-issue",
    "something-is-wrong",
    "move-to-postgresql",
    "upgrade-and-roll-back",
];

/// The command or one of its flags isn't there.
const UNKNOWN: [ErrorKind; 2] = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument];

/// The id of the lead that the guides mention.
const LEAD: &str = "0193f000-0000-7000-8000-00003f9c01ab";

fn page(journey: &str) -> String {
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs"));
    std::fs::read_to_string(docs.join(journey).with_extension("md")).unwrap()
}

/// The code blocks with this info string.
fn blocks<'a>(page: &'a str, info: &str) -> Vec<&'a str> {
    let fenced = page.split("```").skip(1).step_by(2);
    let wanted = fenced.filter_map(|block| block.strip_prefix(info)?.strip_prefix('\n'));
    wanted.collect()
}

/// Our commands, word by word, without shell syntax.
fn commands(block: &str) -> Vec<Vec<&str>> {
    let lines = block.lines().map(|line| line.split(" #").next().unwrap());
    let parts = lines.flat_map(|line| line.split("&&").map(str::trim));
    let ours = parts.filter(|part| part.starts_with("frontdoor "));
    let mut commands = Vec::new();
    for part in ours {
        let pieces = part.split(" > ").next().unwrap().split('"');
        let words = pieces.enumerate().flat_map(|(nth, piece)| match nth % 2 {
            0 => piece.split_whitespace().collect(),
            // In quotes.
            _ => vec![piece],
        });
        commands.push(words.collect());
    }
    commands
}

#[test]
fn every_command_and_flag_of_the_journeys_and_the_example_of_a_setting_is_right() {
    let mut seen = 0;
    for journey in JOURNEYS {
        let page = page(journey);
        for info in ["sh", "sh root", "sh desk"] {
            for words in blocks(&page, info).iter().flat_map(|block| commands(block)) {
                if let Err(error) = Cli::try_parse_from(words) {
                    let is_unknown = UNKNOWN.contains(&error.kind());
                    assert!(!is_unknown, "{journey}: {error}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 25, "{seen}");

    // The mail server of the first one can be set as it stands there.
    let page = page("go-live");
    let (_, rest) = page.split_once("FRONTDOOR_SMTP_URL=").unwrap();
    let url = rest.lines().next().unwrap();
    run(frontdoor(&["settings"]).env("FRONTDOOR_SMTP_URL", url)).succeeds();
    assert!(url.contains("%40"), "an @ in a password: {url}");
}

/// A database with the lead that the guides mention.
async fn filled() -> TestStore {
    let test = TestStore::new().await;
    let form = ContactForm {
        email: "someone@example.com",
        ..visitor()
    };
    test.add_with(form, &[], None).await;
    let sql = test.database.sql();
    sql.run(&format!("UPDATE contacts SET id = '{LEAD}'"));
    test.store.close().await.unwrap();
    test
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journeys_lead_where_they_say() {
    let program = Path::new(env!("CARGO_BIN_EXE_frontdoor")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for journey in JOURNEYS {
        let (test, mail) = (filled().await, MailServer::start());
        for block in blocks(&page(journey), "sh") {
            let mut shell = Command::new("bash");
            copy_environment(&frontdoor(&[]), &mut shell);
            shell
                .args(["-euo", "pipefail", "-c", block])
                .current_dir(test.database.folder())
                .env("PATH", &path)
                .env("DATABASE_URL", test.database.url())
                .env("FRONTDOOR_SMTP_URL", &mail.url)
                .env("FRONTDOOR_DESK_LISTEN", "127.0.0.1:8081");
            let output = run(&mut shell);
            assert_eq!(
                output.code, 0,
                "{journey}\n{block}{}{}",
                output.stdout, output.stderr
            );
        }
    }
}

fn text_below(path: &Path) -> String {
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .map(|entry| text_below(&entry.unwrap().path()))
            .collect(),
        Err(_) => std::fs::read_to_string(path).unwrap_or_default(),
    }
}

#[test]
fn every_test_that_the_threats_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources: String = ["src", "tests", "e2e/tests", "e2e/engines"]
        .iter()
        .map(|folder| text_below(&root.join(folder)))
        .collect();
    let page = page("security");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let mut seen = 0;
    for cell in rows.filter_map(|row| row.trim_end_matches(" |").rsplit("| ").next()) {
        for name in cell.split('`').skip(1).step_by(2) {
            let is_there = sources.contains(&format!("fn {name}("));
            assert!(is_there, "no test is called {name}");
            seen += 1;
        }
        let quoted = cell.split('“').skip(1);
        for words in quoted.filter_map(|rest| rest.split('”').next()) {
            assert!(sources.contains(words), "no browser test is called {words}");
        }
    }
    assert!(seen > 30, "{seen}");
}
