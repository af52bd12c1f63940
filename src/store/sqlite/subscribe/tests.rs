//! What a request costs must not tell who is subscribed.

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::domain::{Consent, HoldReason, subscriber_email};
use crate::store::sqlite::{connection, creation, migrate};

fn open(directory: &TempDir) -> Connection {
    let file = directory.path().join("test.db");
    creation::create_file(&file).unwrap();
    let mut db = connection::open_writer(&file).unwrap();
    migrate::run(&mut db).unwrap();
    db
}

fn request(email: &str, hold: Option<HoldReason>) -> Subscription {
    Subscription {
        email: subscriber_email(email).unwrap(),
        page: None,
        consent: Consent {
            version: 1,
            wording: None,
        },
        hold,
    }
}

/// Asks, committed as the writer does it, and returns how many rows changed.
fn changes(db: &Connection, request: &Subscription, by_mail: bool) -> u64 {
    let before = db.total_changes();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    subscribe(db, request, by_mail, Timestamp::now()).unwrap();
    db.execute_batch("COMMIT").unwrap();
    db.total_changes() - before
}

#[test]
fn every_request_changes_and_commits_as_much_whoever_asks() {
    let directory = tempfile::tempdir().unwrap();
    let db = open(&directory);
    let observer = open(&directory);
    let version = || -> i64 {
        let read = observer.query_row("PRAGMA data_version", [], |row| row.get(0));
        read.unwrap()
    };
    let set = |email: &str, change: &str| {
        let sql = format!("UPDATE subscribers SET {change} WHERE email = ?1");
        assert_eq!(db.execute(&sql, [email]).unwrap(), 1);
    };
    let fail = |state: &str| {
        let sql = "UPDATE deliveries SET attempts = 1, state = ?1";
        db.execute(sql, [state]).unwrap();
    };
    for by_mail in [true, false] {
        let address = format!("ada{by_mail}@example.org");
        let (ada, robot) = (
            request(&address, None),
            request(&address, Some(HoldReason::Decoy)),
        );
        let ask = |who: &str, request: &Subscription| {
            let before = version();
            let changed = changes(&db, request, by_mail);
            assert_eq!(changed, CHANGES_OF_A_REQUEST, "{who}, by mail: {by_mail}");
            assert_ne!(version(), before, "a commit for {who}");
        };
        ask("a new address", &ada);
        ask("one that waits", &ada);
        fail("pending");
        ask("one whose mail failed", &ada);
        fail("given_up");
        ask("one whose mail was given up", &ada);
        set(&address, "state = 'confirmed'");
        ask("a subscriber", &ada);
        ask("a robot with a known address", &robot);
        set(&address, "state = 'unsubscribed'");
        ask("one who had left", &ada);
        let other = format!("robot{by_mail}@example.org");
        ask("a robot", &request(&other, Some(HoldReason::Decoy)));
    }
}
