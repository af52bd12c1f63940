//! `frontdoor move`: between a file and a server, in either direction.

use std::process::{Child, Command, Stdio};

use crate::support::{CommandOutput, Database, Sql, frontdoor, run, serve, sqlite_url, until};

fn moving(from: &str, to: &str) -> Command {
    frontdoor(&["move", "--from", from, "--to", to])
}

fn run_on(url: &str, arguments: &[&str]) -> CommandOutput {
    run(frontdoor(arguments).env("DATABASE_URL", url))
}

fn migrated(database: &Database) -> Sql {
    database.run(&["migrate"]).succeeds();
    database.sql()
}

/// As many rows on both sides, nothing different, and whoever likes may use the
/// new database. Returns the tables, none of which is empty.
fn assert_whole(output: CommandOutput, leads: usize, to: &str) -> Vec<String> {
    let output = output.succeeds();
    let (mut tables, mut rows) = (Vec::new(), 0);
    let lines = output
        .stdout
        .lines()
        .skip(1)
        .take_while(|line| line.ends_with("yes"));
    for line in lines {
        let cells: Vec<_> = line.split_whitespace().collect();
        assert!(cells[1] == cells[2] && cells[2] != "0", "{line}");
        rows += cells[2].parse::<usize>().unwrap();
        tables.push(cells[0].to_owned());
    }
    assert_eq!(rows, leads + OTHERS, "{}", output.stdout);
    assert!(output.stdout.ends_with("You can use the target now.\n"));
    run_on(to, &["check"]).succeeds();
    tables
}

#[test]
fn a_move_copies_everything_between_any_two_databases() {
    /// More than a page.
    const LEADS: usize = 620;
    let (files, one, other) = (
        Database::sqlite(),
        Database::postgres(),
        Database::postgres(),
    );
    fill(&migrated(&files), LEADS);
    let [back, copy] = ["new/back.db", "copy.db"].map(|name| files.path(name));
    let stations = [files.url(), one.url(), other.url(), sqlite_url(&back)];
    let mut tables = Vec::new();
    for hop in stations.windows(2) {
        let output = run(&mut moving(&hop[0], &hop[1]));
        tables = assert_whole(output, LEADS, &hop[1]);
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
        files.sql(),
        Sql::File(rusqlite::Connection::open(copy).unwrap()),
    );
    for table in ["deliveries", "newsletter_schedules"] {
        let end = format!("UPDATE {table} SET lease_token = NULL, lease_until = NULL");
        old.run(&end);
    }
    for table in tables {
        let sorted = |sql: &Sql| {
            let mut rows = sql.rows(&format!("SELECT * FROM {table}"));
            rows.sort_unstable();
            rows
        };
        assert!(sorted(&old) == sorted(&new), "a cell of {table} differs");
    }
}

#[test]
fn a_target_with_rows_or_the_source_itself_is_refused_and_left_alone() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    fill(&migrated(&files), 3);
    fill(&migrated(&server), 2);
    let refused = run(&mut moving(&files.url(), &server.url()));
    refused.exits_with(1, "");
    refused.stderr_contains("the target holds rows already: name an empty database");
    assert_eq!(server.sql().number("SELECT count(*) FROM contacts"), 2);
    for url in [files.url(), server.url()] {
        run(&mut moving(&url, &url)).stderr_contains("both are the same database");
        run_on(&url, &["check"]).succeeds();
    }
    let nothing = sqlite_url(&files.path("nothing.db"));
    run(&mut moving(&nothing, &server.url())).fails_with(1, "look at --from");
}

/// Lets a move come to one of its last tables and no further.
async fn start_and_hold(gate: &Sql, command: &mut Command) -> Child {
    gate.run("BEGIN");
    gate.run("LOCK TABLE newsletter_sends IN SHARE MODE");
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = pipes.spawn().unwrap();
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted
        AND relation = 'newsletter_sends'::regclass";
    until("it comes that far", async || gate.number(waiting) > 0).await;
    child
}

/// By every command, by a server, and as the source of another move.
fn assert_refused_by_everybody(half: &Database) {
    let url = half.url();
    for command in [&["leads", "list"][..], &["check"], &["migrate"]] {
        let refused = run_on(&url, command);
        refused.fails_with(
            1,
            "is incomplete: run the interrupted `frontdoor move` to it",
        );
    }
    let elsewhere = sqlite_url(&half.path("elsewhere.db"));
    for mut command in [serve(&url), moving(&url, &elsewhere)] {
        let refused = run(command.stdout(Stdio::null()));
        refused.fails_with(1, "is incomplete");
    }
}

#[tokio::test]
async fn a_move_that_was_killed_or_whose_source_changes_meanwhile_is_not_used_and_starts_over() {
    let files = Database::sqlite();
    let source = migrated(&files);
    fill(&source, 520);
    for is_killed in [true, false] {
        let server = Database::postgres();
        let gate = migrated(&server);
        let to_server = || moving(&files.url(), &server.url());
        let mut child = start_and_hold(&gate, &mut to_server()).await;
        if is_killed {
            child.kill().unwrap();
        } else {
            let change = "UPDATE contacts SET phone = 'x' WHERE id = '00000000'";
            assert_eq!(source.run(change), 1);
        }
        gate.unlock();
        let ended = child.wait_with_output().unwrap();
        if !is_killed {
            let output = CommandOutput::from(ended);
            output.fails_with(1, "the copy differs from the source");
            let mut same = output
                .stdout
                .lines()
                .skip(1)
                .map(|line| line.ends_with("yes"));
            assert_eq!((same.next(), same.next()), (Some(false), Some(true)));
        }
        assert_refused_by_everybody(&server);
        assert_whole(run(&mut to_server()), 520, &server.url());
    }
}

#[test]
fn a_file_from_an_interrupted_move_is_refused_and_the_move_starts_over() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    fill(&migrated(&server), 520);
    let sql = migrated(&files);
    sql.refuse("INSERT ON contacts", "NEW.id = '00000507'");
    let to_file = || moving(&server.url(), &files.url());
    assert_eq!(run(&mut to_file()).code, 1);
    assert_refused_by_everybody(&files);
    sql.refuse_no_more("contacts");
    assert_whole(run(&mut to_file()), 520, &files.url());
}

/// Of the rows that [`fill`] adds beside the leads.
const OTHERS: usize = 28;

/// So many leads, and every table with what a cell can be: nothing, empty, long,
/// in any script, on many lines.
fn fill(sql: &Sql, leads: usize) {
    let numbers: Vec<_> = (0..leads).collect();
    for numbers in numbers.chunks(1000) {
        let rows: Vec<_> = numbers.iter().map(|number| lead(*number)).collect();
        sql.run(&format!(
            "INSERT INTO contacts (id, name, email, phone, message, created_at, email_key,
                idempotency_key)
            VALUES {}",
            rows.join(", ")
        ));
    }
    let bytes = match sql {
        Sql::File(_) => "X'00FF61'",
        Sql::Server(_) => "'\\x00ff61'",
    };
    let others = OTHER_ROWS.replace("TIME", "'2026-03-01T12:00:00.123Z'");
    let others = others.replace("LONG", &"ä".repeat(100_000));
    for statement in others.replace("BYTES", bytes).split(';') {
        sql.run(statement);
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

const OTHER_ROWS: &str = "
INSERT INTO subscribers (id, email, email_key, state, created_at, page, consent_version,
        consent_text, confirmed_at, invitations, hold_reason)
    VALUES ('s1', 'a@x.org', 'a@x.org', 'confirmed', TIME, NULL, 1, 'LONG', TIME, 3, ''),
        ('s2', 'b@x.org', 'b@x.org', 'pending', TIME, '', 0, NULL, NULL, 0, NULL);
INSERT INTO deliveries (id, contact_id, kind, state, attempts, created_at, lease_token,
        lease_until, last_error, subscriber_id)
    VALUES ('d1', '00000000', 'webhook', 'pending', 7, TIME, 'token', TIME, NULL, NULL),
        ('d2', NULL, 'confirm', 'given_up', 0, TIME, NULL, NULL, '', 's1');
INSERT INTO past_consents VALUES ('s1', 1, TIME, '/', 1, NULL, NULL, TIME, 'a.csv', NULL),
    ('s1', 2, TIME, '/', 1, NULL, NULL, TIME, 'a.csv', NULL),
    ('s1', 3, TIME, '', 1, '', NULL, NULL, NULL, NULL);
INSERT INTO mail_links VALUES ('h1', 's1', 'confirm', TIME, TIME, NULL),
    ('h2', 's2', 'unsubscribe', TIME, NULL, TIME);
INSERT INTO newsletter_issues VALUES ('i1', '🎉', 'a b.md', TIME, NULL);
INSERT INTO newsletter_sends VALUES ('i1', 's1', 'sent', TIME, NULL),
    ('i1', 's2', 'deferred', TIME, '450 4.7.1');
INSERT INTO contact_changes VALUES ('00000000', 1, 'answered', TIME, 'Anna', NULL, '{}');
INSERT INTO replies VALUES ('d1', '00000000', 'Anna', 'Hello', 1, 0, TIME);
INSERT INTO bookings VALUES ('cal', 'b1', '00000000', 'token', TIME, TIME, NULL, NULL, TIME),
    ('calendly', 'b1', NULL, NULL, NULL, NULL, TIME, '', TIME);
INSERT INTO booking_services VALUES ('cal', TIME, NULL, 'time');
INSERT INTO reply_drafts VALUES ('00000000', 'Hello', TIME);
INSERT INTO issue_draft VALUES (1, '# News', TIME, 'i1', TIME);
INSERT INTO spam_words VALUES (-1, 3, 4), (2147483647, 0, 1);
INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state, send_at,
        next_attempt_at, created_at, lease_token, lease_until)
    VALUES ('i2', '🎉', 'b.md', '{}', 10, 'scheduled', TIME, TIME, TIME, 'token', TIME);
INSERT INTO visits VALUES ('2026-03-01', '/', 'search.example', '', 5, 3, 1, 0);
INSERT INTO link_key VALUES (1, BYTES);
INSERT INTO digests VALUES ('2026-03-01', TIME);
INSERT INTO sending_pause VALUES (TIME);
INSERT INTO releases VALUES (0, '', '', 0, 0, TIME, '', 3, NULL, NULL, NULL),
    (7, 'c', 'd', 21, 3, TIME, '{}', 2, BYTES, '{}', 'anna')";
