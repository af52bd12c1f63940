//! All of it arrives, in either direction.

use std::process::Command;
use std::time::{Duration, Instant};

use super::furniture::{OTHERS, TABLES, cells, furnish};
use super::{assert_whole, migrated, moving, run_on, start};
use crate::support::database::{Database, sqlite_url};
use crate::support::long;
use crate::support::process::run;

#[test]
fn everything_arrives_on_a_server_and_back_in_another_file() {
    const LEADS: usize = 1234;
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), LEADS);
    assert_whole(&run(&mut moving(&files.url(), &server.url())), LEADS);
    let back = sqlite_url(&files.path("new/back.db"));
    assert_whole(&run(&mut moving(&server.url(), &back)), LEADS);
    let elsewhere = sqlite_url(&files.path("elsewhere.db"));
    let json = run(moving(&back, &elsewhere).arg("--json")).json();
    let leads = serde_json::json!({
        "table": "contacts", "rows": LEADS, "moved": LEADS, "same": true,
    });
    assert_eq!(json[0], leads);
    assert_eq!(json.as_array().unwrap().len(), TABLES.len());
    let (old, new) = (cells(&files, "leads.db"), cells(&files, "new/back.db"));
    assert_eq!(old.len(), LEADS + OTHERS);
    assert!(old == new, "some cell differs");
    let leases = "SELECT count(*) FROM deliveries WHERE lease_token IS NOT NULL";
    assert_eq!(server.past().number(leases), 0);
    for url in [&server.url(), &back] {
        assert_eq!(run_on(url, &["check"]).code, 0);
    }
}

#[test]
fn between_two_of_the_same_kind_too() {
    const LEADS: usize = 600;
    let (files, servers) = (
        Database::sqlite(),
        [Database::postgres(), Database::postgres()],
    );
    furnish(&migrated(&servers[0]), LEADS);
    assert_whole(
        &run(&mut moving(&servers[0].url(), &servers[1].url())),
        LEADS,
    );
    assert_whole(&run(&mut moving(&servers[1].url(), &files.url())), LEADS);
    let copy = sqlite_url(&files.path("copy.db"));
    assert_whole(&run(&mut moving(&files.url(), &copy)), LEADS);
    assert!(cells(&files, "leads.db") == cells(&files, "copy.db"));
}

/// How long a move takes, and the most memory that it had.
fn measured(command: &mut Command, leads: usize) -> (Duration, String) {
    let begin = Instant::now();
    let mut child = start(command);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = String::new();
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        if let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak = line.trim().to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = begin.elapsed();
    assert_whole(&child.wait_with_output().unwrap().into(), leads);
    (took, peak)
}

#[test]
fn memory_does_not_grow_with_what_is_moved() {
    let leads = long::or_short(1_000_000, 20_000);
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), leads);
    let back = sqlite_url(&files.path("back.db"));
    for (from, to) in [(files.url(), server.url()), (server.url(), back)] {
        let (took, peak) = measured(&mut moving(&from, &to), leads);
        let kind = |url: &str| url.split(':').next().unwrap().to_owned();
        println!(
            "{} to {}: {leads} leads in {took:.1?}, {peak}",
            kind(&from),
            kind(&to)
        );
        let kilobytes: u64 = peak.split(' ').next().unwrap().parse().unwrap();
        assert!(kilobytes < 100_000, "{peak}");
    }
}
