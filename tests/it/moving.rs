//! `frontdoor move`: between a file and a server, in either direction.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::types::Value;

use crate::support::database::{Database, sqlite_url};
use crate::support::long;
use crate::support::past::Past;
use crate::support::process::{Said, frontdoor, run, serve};
use crate::support::wait::PATIENCE;

const TABLES: [&str; 12] = [
    "contacts",
    "subscribers",
    "deliveries",
    "past_consents",
    "mail_links",
    "newsletter_issues",
    "newsletter_sends",
    "contact_changes",
    "spam_words",
    "newsletter_schedules",
    "digests",
    "releases",
];

/// Of the rows that [`furnish`] adds beside the leads.
const OTHERS: usize = 20;

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

/// So many leads, and every table with what a cell can be: nothing, empty, long,
/// in any script, on many lines, and several rows that are all the same.
fn furnish(past: &Past, leads: usize) {
    for first in (0..leads).step_by(1000) {
        let rows = (first..leads.min(first + 1000)).map(lead);
        past.run(&format!(
            "INSERT INTO contacts (id, name, email, phone, message, created_at, email_key,
                idempotency_key)
            VALUES {}",
            rows.collect::<Vec<_>>().join(", ")
        ));
    }
    for sql in others() {
        past.run(&sql);
    }
}

fn lead(number: usize) -> String {
    let phone = ["NULL", "''", "'+1 416'"][number % 3];
    let key = ["NULL".to_owned(), format!("'key-{number}'")][number % 2].clone();
    format!(
        "('{number:08}', 'Zoë {number} 🍁', 'person{number}@example.org', {phone},
        'one''s line\n\ttwo \\ \"three\" {}', '2026-03-01T12:00:00.{:03}Z',
        'person{number}@example.org', {key})",
        "long ".repeat(number % 40),
        number % 1000
    )
}

fn others() -> Vec<String> {
    let (long, time) = ("ä".repeat(100_000), "'2026-03-01T12:00:00.123Z'");
    let subscribers = format!(
        "INSERT INTO subscribers (id, email, state, created_at, page, consent_version,
            consent_text, confirmed_at, invitations, email_key, hold_reason)
        VALUES ('s1', 'a@x.org', 'confirmed', {time}, NULL, 1, '{long}', {time}, 3, 'a@x.org', ''),
            ('s2', 'b@x.org', 'pending', '1970-01-01T00:00:00.000Z', '', 0, NULL, NULL, 0,
            'b@x.org', NULL)"
    );
    // A lease belongs to whoever works on the old database.
    let deliveries = format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, attempts, created_at, lease_token,
            lease_until, last_error, subscriber_id)
        VALUES ('d1', '00000000', 'webhook', 'pending', 7, {time}, 'token', {time}, NULL, NULL),
            ('d2', NULL, 'confirm', 'given_up', 0, {time}, NULL, NULL, '', 's1')"
    );
    let consent = format!("('s1', {time}, '/', 1, NULL, NULL, {time}, 'a.csv', NULL)");
    let consents = format!(
        "INSERT INTO past_consents VALUES {consent}, {consent}, ('s1', {time}, '', 1, '', NULL, NULL, NULL, NULL)"
    );
    let links = format!(
        "INSERT INTO mail_links VALUES ('h1', 's1', 'confirm', {time}, {time}, NULL),
            ('h2', 's2', 'unsubscribe', {time}, NULL, {time})"
    );
    let issues =
        format!("INSERT INTO newsletter_issues VALUES ('i1', '🎉', 'a b.md', {time}, NULL)");
    let sends = format!(
        "INSERT INTO newsletter_sends VALUES ('i1', 's1', 'sent', {time}, NULL),
            ('i1', 's2', 'deferred', {time}, '450 4.7.1')"
    );
    let schedules = format!(
        "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state,
            send_at, next_attempt_at, created_at, lease_token, lease_until)
        VALUES ('i2', '🎉', 'b.md', '{{}}', 10, 'scheduled', {time}, {time}, {time}, 'token', {time})"
    );
    let change = format!("('00000000', 'answered', {time})");
    let changes = format!("INSERT INTO contact_changes VALUES {change}, {change}");
    let words = "INSERT INTO spam_words VALUES (-1, 3, 4), (2147483647, 0, 1)".to_owned();
    let digests = format!("INSERT INTO digests VALUES ('2026-03-01', {time})");
    let releases = format!(
        "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
        VALUES (0, '', '', 0, 0, {time}, 3, '', NULL),
            (7, 'c', 'd', 21, 4, {time}, 2, '{{}}', 'YWJjZA==')"
    );
    let lists = vec![subscribers, deliveries, consents, links];
    [
        lists,
        vec![issues, sends, changes, words, schedules, digests, releases],
    ]
    .concat()
}

/// All cells of a file but for leases, read past the program.
fn cells(database: &Database, file: &str) -> Vec<Vec<Value>> {
    let db = rusqlite::Connection::open(database.path(file)).unwrap();
    let mut all = Vec::new();
    for table in TABLES {
        let sql = format!("SELECT * FROM {table}");
        let columns = db.prepare(&sql).unwrap().column_count();
        let order: Vec<_> = (1..=columns.min(3)).map(|n| n.to_string()).collect();
        let sql = format!("{sql} ORDER BY {}", order.join(", "));
        let mut query = db.prepare(&sql).unwrap();
        let names: Vec<_> = query.column_names().map(str::to_owned).collect();
        let kept = |column: &usize| !names[*column].starts_with("lease_");
        let kept: Vec<_> = (0..names.len()).filter(kept).collect();
        let rows = query.query_map([], |row| kept.iter().map(|&cell| row.get(cell)).collect());
        all.extend(rows.unwrap().map(Result::unwrap));
    }
    all
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
    let told: Vec<_> = rows[1..=TABLES.len()].iter().map(|row| row[0]).collect();
    assert_eq!(told, TABLES);
    assert!(
        said.out.ends_with("the target may be used now\n"),
        "{}",
        said.out
    );
}

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

fn start(command: &mut Command) -> Child {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    pipes.spawn().unwrap()
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

    for command in [&["leads", "list"][..], &["check"]] {
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
    for command in [&["leads", "list"][..], &["check"]] {
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

#[test]
fn a_target_with_rows_or_the_source_itself_is_refused_and_left_alone() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), 3);
    furnish(&migrated(&server), 2);
    let refused = run(&mut moving(&files.url(), &server.url()));
    assert_eq!((refused.code, &*refused.out), (1, ""));
    refused.complains("the target holds rows already: name an empty database");
    assert_eq!(server.past().number("SELECT count(*) FROM contacts"), 2);
    assert_eq!(run_on(&server.url(), &["check"]).code, 0);
    for url in [files.url(), server.url()] {
        run(&mut moving(&url, &url)).complains("both are the same database");
        assert_eq!(run_on(&url, &["check"]).code, 0);
    }
}

#[test]
fn a_wrong_address_is_one_line_without_its_password_and_exit_code_2() {
    let files = Database::sqlite();
    let missing = run(&mut moving(
        &files.url(),
        &sqlite_url(&files.path("new.db")),
    ));
    assert_eq!(missing.code, 1);
    missing.complains("there is no database");
    assert!(!files.path("new.db").exists(), "nothing is made for it");
    for (from, to, flag) in [
        ("mysql://me:secret@h/d", files.url().as_str(), "--from"),
        (files.url().as_str(), "mysql://me:secret@h/d", "--to"),
    ] {
        let said = run(&mut moving(from, to));
        assert_eq!(
            (said.code, said.err.lines().count()),
            (2, 1),
            "{}",
            said.err
        );
        said.complains(flag);
        assert!(!said.err.contains("secret"), "{}", said.err);
    }
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
