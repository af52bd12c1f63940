//! Copies of the database.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::{ada, file_office, rights};
use crate::support::data::lead;
use crate::support::database::sqlite_url;
use crate::support::process::{Said, frontdoor, run};

fn run_on(file: &Path, arguments: &[&str]) -> Said {
    run(frontdoor(arguments).env("DATABASE_URL", sqlite_url(file)))
}

#[tokio::test]
async fn a_backup_is_complete_private_and_never_overwrites() {
    let office = file_office().await;
    let id = office.add(ada(), None).await;
    let file = office.database.path("copy.db");
    let name = file.to_str().unwrap();
    let said = office.run(&["backup", name]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(rights(&file), 0o600);

    let again = office.run(&["backup", name]);
    assert_eq!(again.code, 1);
    again.complains("exists already");

    let copy = run_on(&file, &["leads", "show", &id, "--json"]);
    assert!(copy.out.contains("ada@example.org"));
    let left = office.database.path("copy.db.frontdoor-partial");
    assert!(!left.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_taken_while_leads_come_in_is_consistent() {
    let office = file_office().await;
    let store = office.store.clone();
    let (stop, mut stopped) = tokio::sync::watch::channel(false);
    let writing = tokio::spawn(async move {
        // Or a fast disk would have more to copy than a test should take.
        let mut pace = tokio::time::interval(Duration::from_millis(1));
        while !*stopped.borrow_and_update() {
            pace.tick().await;
            let added = store.add_lead(lead(ada()), Timestamp::now()).await;
            added.unwrap();
        }
    });
    for number in 0..5 {
        let file = office.database.path(&format!("copy{number}.db"));
        let said = office.run(&["backup", file.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.err);
        let length = |list: &str| {
            let said = run_on(&file, &[list, "list", "--limit", "100000", "--json"]);
            let list: Value = serde_json::from_str(&said.out).unwrap();
            list.as_array().unwrap().len()
        };
        assert_eq!(length("leads"), length("deliveries"));
    }
    stop.send(true).unwrap();
    writing.await.unwrap();
}

#[tokio::test]
async fn what_a_killed_backup_left_is_removed_by_the_next_unless_somebody_writes_one() {
    let office = file_office().await;
    let left = office.database.path("killed.db.frontdoor-partial");
    fs::write(&left, "half a database").unwrap();
    // As a backup that is being written holds it.
    let folder = File::open(office.database.folder()).unwrap();
    flock(&folder, FlockOperation::LockShared).unwrap();
    for (name, is_there) in [("one.db", true), ("two.db", false)] {
        let file = office.database.path(name);
        let said = office.run(&["backup", file.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert_eq!(left.exists(), is_there, "{name}");
        flock(&folder, FlockOperation::Unlock).unwrap();
    }
}
