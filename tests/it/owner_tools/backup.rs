//! Copies of the database.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};

use super::{ada, rights};
use crate::support::data::lead;
use crate::support::database::sqlite_url;
use crate::support::process::{Said, frontdoor, run};
use crate::support::test_store::TestStore;

fn run_on(file: &Path, arguments: &[&str]) -> Said {
    run(frontdoor(arguments).env("DATABASE_URL", sqlite_url(file)))
}

#[tokio::test]
async fn a_backup_is_complete_private_and_never_overwrites() {
    let test = TestStore::on_file().await;
    let id = test.add(ada()).await;
    let file = test.database.path("copy.db");
    let name = file.to_str().unwrap();
    test.run(&["backup", name]).succeeds();
    assert_eq!(rights(&file), 0o600);
    test.run(&["backup", name]).fails(1, "exists already");
    run_on(&file, &["leads", "show", &id]).shows("ada@example.org");
    let left = test.database.path("copy.db.frontdoor-partial");
    assert!(!left.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_taken_while_leads_come_in_is_consistent() {
    let test = TestStore::on_file().await;
    let store = test.store.clone();
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
    for number in 0..3 {
        let file = test.database.path(&format!("copy{number}.db"));
        test.run(&["backup", file.to_str().unwrap()]).succeeds();
        let length = |list: &str| {
            let list = run_on(&file, &[list, "list", "--limit", "100000", "--json"]);
            list.json().as_array().unwrap().len()
        };
        assert_eq!(length("leads"), length("deliveries"));
    }
    stop.send(true).unwrap();
    writing.await.unwrap();
}

#[tokio::test]
async fn what_a_killed_backup_left_is_removed_by_the_next_unless_somebody_writes_one() {
    let test = TestStore::on_file().await;
    let left = test.database.path("killed.db.frontdoor-partial");
    fs::write(&left, "half a database").unwrap();
    // As a backup that is being written holds it.
    let folder = File::open(test.database.folder()).unwrap();
    flock(&folder, FlockOperation::LockShared).unwrap();
    for (name, is_there) in [("one.db", true), ("two.db", false)] {
        let file = test.database.path(name);
        test.run(&["backup", file.to_str().unwrap()]).succeeds();
        assert_eq!(left.exists(), is_there, "{name}");
        flock(&folder, FlockOperation::Unlock).unwrap();
    }
}
