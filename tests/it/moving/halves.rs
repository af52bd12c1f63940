//! A move that was cut off, or whose source changed under it.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::furniture::{OTHERS, furnish};
use super::{assert_whole, migrated, moving, run_on, start};
use crate::support::database::{Database, sqlite_url};
use crate::support::past::Past;
use crate::support::process::{Said, run, serve};
use crate::support::wait::PATIENCE;

/// The last table is not filled before [`Gate::open`].
struct Gate(Past);

impl Gate {
    fn close(server: &Database) -> Self {
        migrated(server).run(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
            CREATE TRIGGER wait BEFORE INSERT ON newsletter_sends
            FOR EACH ROW EXECUTE FUNCTION wait()",
        );
        let past = server.past();
        past.run("SELECT pg_advisory_lock(42)");
        Self(past)
    }

    fn until_reached(&self) {
        let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        let begin = Instant::now();
        while self.0.number(waiting) == 0 {
            assert!(begin.elapsed() < PATIENCE, "nothing came to the gate");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn open(self) {
        self.0.run("SELECT pg_advisory_unlock(42)");
    }
}

#[test]
fn a_move_that_was_killed_goes_on_and_nobody_uses_the_half_of_it() {
    const LEADS: usize = 1600;
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), LEADS);
    let gate = Gate::close(&server);
    let mut child = start(&mut moving(&files.url(), &server.url()));
    gate.until_reached();
    child.kill().unwrap();
    child.wait().unwrap();
    gate.open();

    for command in [&["leads", "list"][..], &["check"], &["migrate"]] {
        let refused = run_on(&server.url(), command);
        assert_eq!(refused.code, 1, "{}", refused.out);
        refused.complains("is not whole yet: finish `frontdoor move` to it");
    }
    let refused = run(serve(&server.url()).stdout(Stdio::null()));
    assert_eq!(refused.code, 1);
    refused.complains("is not whole yet");
    let refused = run(&mut moving(
        &server.url(),
        &sqlite_url(&files.path("other.db")),
    ));
    refused.complains("is not whole yet");

    let other = Database::sqlite();
    furnish(&migrated(&other), 1);
    let refused = run(&mut moving(&other.url(), &server.url()));
    assert_eq!(refused.code, 1);
    refused.complains("being filled from another database");

    let said = run(&mut moving(&files.url(), &server.url()));
    assert_whole(&said, LEADS);
    said.complains(&format!("Going on after {} rows", LEADS + OTHERS - 10));
    assert_eq!(run_on(&server.url(), &["check"]).code, 0);
}

#[test]
fn a_file_that_was_filled_half_is_refused_and_filled_up() {
    const LEADS: usize = 1600;
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&server), LEADS);
    migrated(&files).run(
        "CREATE TRIGGER stumble BEFORE INSERT ON contacts WHEN NEW.id = '00001234'
        BEGIN SELECT RAISE(ABORT, 'stumbled'); END",
    );
    let said = run(&mut moving(&server.url(), &files.url()));
    assert_eq!(said.code, 1, "{}", said.out);
    for command in [&["leads", "list"][..], &["check"], &["migrate"]] {
        let refused = run_on(&files.url(), command);
        assert_eq!(refused.code, 1);
        refused.complains("is not whole yet");
    }
    files.past().run("DROP TRIGGER stumble");
    let said = run(&mut moving(&server.url(), &files.url()));
    assert_whole(&said, LEADS);
    said.complains("Going on after 1000 rows");
    assert_eq!(run_on(&files.url(), &["check"]).code, 0);
}

#[test]
fn a_source_that_changes_meanwhile_is_noticed_and_the_next_run_begins_anew() {
    const LEADS: usize = 600;
    let (files, server) = (Database::sqlite(), Database::postgres());
    let source = migrated(&files);
    furnish(&source, LEADS);
    let gate = Gate::close(&server);
    let child = start(&mut moving(&files.url(), &server.url()));
    gate.until_reached();
    assert_eq!(
        source.run("UPDATE contacts SET phone = '' WHERE id = '00000000'"),
        1
    );
    gate.open();
    let said: Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, 1, "{}", said.out);
    let line = |table: &str| {
        said.out
            .lines()
            .find(|line| line.starts_with(table))
            .unwrap()
    };
    assert!(line("contacts").ends_with("NO"), "{}", said.out);
    assert!(line("deliveries").ends_with("yes"), "{}", said.out);
    said.complains("differs from its source");
    run_on(&server.url(), &["leads", "list"]).complains("is not whole yet");
    assert_whole(&run(&mut moving(&files.url(), &server.url())), LEADS);
}

#[test]
fn a_row_that_arrives_changed_is_noticed_in_a_file_too() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&server), 1100);
    migrated(&files).run(
        "CREATE TRIGGER spoil AFTER INSERT ON contacts WHEN NEW.id = '00000007'
        BEGIN UPDATE contacts SET phone = NULL WHERE id = NEW.id AND phone = '';
        UPDATE contacts SET phone = '' WHERE id = NEW.id AND phone IS NOT NULL; END",
    );
    let said = run(&mut moving(&server.url(), &files.url()));
    assert_eq!(said.code, 1, "{}", said.out);
    said.complains("differs from its source");
    files.past().run("DROP TRIGGER spoil");
    assert_whole(&run(&mut moving(&server.url(), &files.url())), 1100);
}
