//! `frontdoor move`: between a file and a server, in either direction.

mod furniture;
mod halves;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use furniture::{OTHERS, furnish};

use crate::support::database::{Database, sqlite_url};
use crate::support::long;
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

fn start(command: &mut Command) -> Child {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    pipes.spawn().unwrap()
}

/// As many rows on both sides, nothing different, and whoever likes may use the
/// new database. Returns the tables, none of which is empty.
fn assert_whole(said: &Said, leads: usize, to: &str) -> Vec<String> {
    assert_eq!(said.code, 0, "{}\n{}", said.out, said.err);
    let (mut tables, mut rows) = (Vec::new(), 0);
    let lines = said
        .out
        .lines()
        .skip(1)
        .take_while(|line| line.ends_with("yes"));
    for line in lines {
        let cells: Vec<_> = line.split_whitespace().collect();
        assert!(cells[1] == cells[2] && cells[2] != "0", "{line}");
        rows += cells[2].parse::<usize>().unwrap();
        tables.push(cells[0].to_owned());
    }
    assert_eq!(rows, leads + OTHERS, "{}", said.out);
    assert!(said.out.ends_with("the target may be used now\n"));
    assert_eq!(run_on(to, &["check"]).code, 0);
    tables
}

#[test]
fn everything_arrives_whichever_of_both_kinds_is_the_source_and_the_target() {
    const LEADS: usize = 1234;
    let (files, one, other) = (
        Database::sqlite(),
        Database::postgres(),
        Database::postgres(),
    );
    furnish(&migrated(&files), LEADS);
    let [back, copy] = ["new/back.db", "copy.db"].map(|name| files.path(name));
    let stations = [files.url(), one.url(), other.url(), sqlite_url(&back)];
    let mut tables = Vec::new();
    for hop in stations.windows(2) {
        let said = run(&mut moving(&hop[0], &hop[1]));
        tables = assert_whole(&said, LEADS, &hop[1]);
    }
    let to_copy = &mut moving(&stations[3], &sqlite_url(&copy));
    let json = run(to_copy.arg("--json")).json();
    let leads = serde_json::json!({
        "table": "contacts", "rows": LEADS, "moved": LEADS, "same": true,
    });
    assert_eq!(json[0], leads);
    assert_eq!(json.as_array().unwrap().len(), tables.len());

    // A lease belongs to whoever works on the old database.
    let (old, new) = (
        files.past(),
        Past::File(rusqlite::Connection::open(copy).unwrap()),
    );
    for table in ["deliveries", "newsletter_schedules"] {
        let end = format!("UPDATE {table} SET lease_token = NULL, lease_until = NULL");
        old.run(&end);
    }
    for table in tables {
        let sorted = |past: &Past| {
            let mut rows = past.rows(&format!("SELECT * FROM {table}"));
            rows.sort_unstable();
            rows
        };
        assert!(sorted(&old) == sorted(&new), "a cell of {table} differs");
    }
}

#[test]
fn memory_does_not_grow_with_what_is_moved() {
    let leads = long::or_short(1_000_000, 20_000);
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), leads);
    let back = sqlite_url(&files.path("back.db"));
    for (from, to) in [(files.url(), server.url()), (server.url(), back)] {
        let mut child = start(&mut moving(&from, &to));
        let status = format!("/proc/{}/status", child.id());
        let mut peak = String::new();
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(&status).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            peak = line.map_or(peak, |line| line.trim().to_owned());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_whole(&child.wait_with_output().unwrap().into(), leads, &to);
        println!("{leads} leads to {}: {peak}", to.split(':').next().unwrap());
        let kilobytes: u64 = peak.split(' ').next().unwrap().parse().unwrap();
        assert!(kilobytes < 100_000, "{peak}");
    }
}

#[test]
fn a_target_with_rows_or_the_source_itself_is_refused_and_left_alone() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), 3);
    furnish(&migrated(&server), 2);
    let refused = run(&mut moving(&files.url(), &server.url()));
    assert_eq!((refused.code, &*refused.out), (1, ""));
    refused.complains("the target holds rows already: name an empty database");
    assert_eq!(server.past().number("SELECT count(*) FROM contacts"), 2);
    for url in [files.url(), server.url()] {
        run(&mut moving(&url, &url)).complains("both are the same database");
        assert_eq!(run_on(&url, &["check"]).code, 0);
    }
}
