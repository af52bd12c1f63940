//! A move that was cut off, or whose rows changed under it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::furniture::furnish;
use super::{assert_whole, migrated, moving, run_on, start};
use crate::support::database::{Database, sqlite_url};
use crate::support::past::Past;
use crate::support::process::{Said, run, serve};
use crate::support::wait::PATIENCE;

const LEADS: usize = 1100;

/// Lets a move come to one of its last tables and no further.
fn start_and_hold(gate: &Past, command: &mut Command) -> Child {
    gate.run("BEGIN");
    gate.run("LOCK TABLE newsletter_sends IN SHARE MODE");
    let child = start(command);
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted
        AND relation = 'newsletter_sends'::regclass";
    let begin = Instant::now();
    while gate.number(waiting) == 0 {
        assert!(begin.elapsed() < PATIENCE, "it never comes that far");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// By every command, by a server, and as the source of another move.
fn assert_refused_by_everybody(half: &Database) {
    let url = half.url();
    for command in [&["leads", "list"][..], &["check"], &["migrate"]] {
        let refused = run_on(&url, command);
        assert_eq!(refused.code, 1, "{command:?}: {}", refused.out);
        refused.complains("is not whole yet: finish `frontdoor move` to it");
    }
    let elsewhere = sqlite_url(&half.path("elsewhere.db"));
    for mut command in [serve(&url), moving(&url, &elsewhere)] {
        let refused = run(command.stdout(Stdio::null()));
        assert_eq!(refused.code, 1);
        refused.complains("is not whole yet");
    }
}

#[test]
fn a_move_that_was_killed_or_whose_source_changes_meanwhile_is_not_used_and_starts_over() {
    let files = Database::sqlite();
    let source = migrated(&files);
    furnish(&source, LEADS);
    for is_killed in [true, false] {
        let server = Database::postgres();
        let gate = migrated(&server);
        let to_server = || moving(&files.url(), &server.url());
        let mut child = start_and_hold(&gate, &mut to_server());
        if is_killed {
            child.kill().unwrap();
        } else {
            let change = "UPDATE contacts SET phone = 'x' WHERE id = '00000000'";
            assert_eq!(source.run(change), 1);
        }
        gate.let_go();
        let ended = child.wait_with_output().unwrap();
        if !is_killed {
            let said = Said::from(ended);
            assert_eq!(said.code, 1, "{}", said.out);
            said.complains("differs from its source");
            let mut same = said.out.lines().skip(1).map(|line| line.ends_with("yes"));
            assert_eq!((same.next(), same.next()), (Some(false), Some(true)));
        }
        assert_refused_by_everybody(&server);
        assert_whole(&run(&mut to_server()), LEADS, &server.url());
    }
}

#[test]
fn a_file_that_was_filled_half_is_not_used_and_filled_anew() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&server), LEADS);
    let past = migrated(&files);
    past.run(
        "CREATE TRIGGER stumble BEFORE INSERT ON contacts WHEN NEW.id = '00000777'
        BEGIN SELECT RAISE(ABORT, 'stumbled'); END",
    );
    let to_file = || moving(&server.url(), &files.url());
    assert_eq!(run(&mut to_file()).code, 1);
    assert_refused_by_everybody(&files);
    past.run("DROP TRIGGER stumble");
    assert_whole(&run(&mut to_file()), LEADS, &files.url());
}
