//! `frontdoor move`: between a file and a server, in either direction.

mod furniture;
mod halves;
mod refusals;
mod whole;

use std::process::{Child, Command, Stdio};

use crate::support::database::Database;
use crate::support::past::Past;
use crate::support::process::{Said, frontdoor, run};

fn moving(from: &str, to: &str) -> Command {
    frontdoor(&["move", "--from", from, "--to", to])
}

fn run_on(url: &str, arguments: &[&str]) -> Said {
    run(frontdoor(arguments).env("DATABASE_URL", url))
}

fn migrated(database: &Database) -> Past {
    let said = run_on(&database.url(), &["migrate"]);
    assert_eq!(said.code, 0, "{}", said.err);
    database.past()
}

fn assert_whole(said: &Said, leads: usize) {
    assert_eq!(said.code, 0, "{}\n{}", said.out, said.err);
    let rows: Vec<Vec<&str>> = said
        .out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let number = leads.to_string();
    assert_eq!(rows[1], ["contacts", &number, &number, "yes"]);
    assert_eq!(rows[4], ["past_consents", "3", "3", "yes"]);
    let told: Vec<_> = rows[1..=furniture::TABLES.len()]
        .iter()
        .map(|row| row[0])
        .collect();
    assert_eq!(told, furniture::TABLES);
    assert!(
        said.out.ends_with("the target may be used now\n"),
        "{}",
        said.out
    );
}

fn start(command: &mut Command) -> Child {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    pipes.spawn().unwrap()
}
