//! What systemd's journal is told of how grave a line is: the file here stands for
//! its socket.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;

use crate::support::database::Database;
use crate::support::process::{ends_in_time, serve, terminate};
use crate::support::wait::until;

/// As systemd names it to whoever writes there.
fn name(file: &File) -> String {
    let facts = file.metadata().unwrap();
    format!("{}:{}", facts.dev(), facts.ino())
}

/// A server with a warning at its start, its lines in a file.
fn warned(folder: &Database) -> (File, Command) {
    let file = File::create(folder.path("journal")).unwrap();
    let mut command = serve(&folder.url());
    command
        .env("FRONTDOOR_KEEP_LEADS_DAYS", "0")
        .stdout(file.try_clone().unwrap());
    (file, command)
}

/// Its lines until it listens.
async fn lines(folder: &Database, command: &mut Command) -> Vec<String> {
    let mut child = command.spawn().unwrap();
    let read = || fs::read_to_string(folder.path("journal")).unwrap();
    until("it listens", async || read().contains("listening")).await;
    terminate(&child);
    assert!(ends_in_time(&mut child));
    read().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn warnings_carry_their_number_and_the_rest_none() {
    let folder = Database::sqlite();
    let (file, mut command) = warned(&folder);
    command.env("JOURNAL_STREAM", name(&file));
    let lines = lines(&folder, &mut command).await;
    let of = |words: &str| lines.iter().find(|line| line.contains(words)).unwrap();
    assert!(of("kept for longer").starts_with("<4>{"), "{lines:?}");
    assert!(of("listening").starts_with('{'), "{lines:?}");
}

/// Led on into a file, by a shell that the journal listens to.
#[tokio::test]
async fn whoever_else_reads_the_log_sees_no_number() {
    let folder = Database::sqlite();
    let (_, mut command) = warned(&folder);
    command.env("JOURNAL_STREAM", "8:1");
    let lines = lines(&folder, &mut command).await;
    assert!(lines.iter().all(|line| line.starts_with('{')), "{lines:?}");
}

#[test]
fn why_it_did_not_start_is_an_error() {
    let folder = Database::sqlite();
    let file = File::create(folder.path("journal")).unwrap();
    let mut command = serve("mysql://x");
    command
        .env("JOURNAL_STREAM", name(&file))
        .stderr(file.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    assert!(ends_in_time(&mut child));
    let said = fs::read_to_string(folder.path("journal")).unwrap();
    assert!(said.starts_with("<3>frontdoor: DATABASE_URL"), "{said}");
}
