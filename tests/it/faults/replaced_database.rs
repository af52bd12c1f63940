//! The database file is removed, moved, replaced or overwritten while the program runs. Nobody may
//! read "Thank you" for a message that is in no file, and two databases must never be mixed. A start
//! checks carefully what is there.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::support::{
    Database, Process, Sent, Visitors, acknowledged, refusal, send, serve, stored, until,
    until_ready,
};

struct Site {
    database: Database,
    process: Process,
}

impl Site {
    fn start() -> Self {
        let database = Database::sqlite();
        let process = Process::start(&database.url(), &[]);
        Self { database, process }
    }

    fn backup(&self, name: &str) -> PathBuf {
        let file = self.database.path(name);
        let backup = ["backup", file.to_str().unwrap()];
        self.database.run(&backup).succeeds();
        file
    }

    async fn send(&self) -> Sent {
        send(self.process.address, "Hello").await
    }

    /// Waits until everything is in the database file, so that earlier copies are out of date.
    async fn until_checkpointed(&self) {
        let journal = self.database.path("leads.db-wal");
        let is_empty = async || fs::metadata(&journal).unwrap().len() == 0;
        until("a checkpoint", is_empty).await;
    }

    /// Makes the change under load; returns the answers before and after it.
    async fn change_under_load(&self, change: impl FnOnce()) -> (Vec<Sent>, Vec<Sent>) {
        let visitors = self.load().await;
        change();
        let changed = Instant::now();
        until("refusal", async || self.send().await.status == 503).await;
        let sent = visitors.stop().await.into_iter();
        let (after, before): (Vec<_>, Vec<_>) = sent.partition(|each| each.begun > changed);
        (before, after)
    }

    /// Visitors under way: some leads are stored, and some not yet acknowledged.
    async fn load(&self) -> Visitors {
        let visitors = Visitors::start(self.process.address);
        visitors.until_acknowledged(20).await;
        visitors
    }

    fn stop(self) -> (Vec<String>, Database) {
        let (log, status) = self.process.terminate();
        assert!(status.success());
        (log, self.database)
    }
}

fn errors(log: &[String]) -> usize {
    let error = |line: &&String| line.contains("\"level\":\"ERROR\"");
    log.iter().filter(error).count()
}

/// What a server that starts there takes, and leaves behind.
async fn restart(database: &Database) -> HashSet<String> {
    let process = Process::start(&database.url(), &[]);
    let new = send(process.address, "Hello").await.id.unwrap();
    assert!(process.terminate().1.success());
    let stored = stored(&database.file());
    assert!(stored.contains(&new));
    stored
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_database_is_whole_where_it_is_and_refused_until_a_restart_when_it_is_back() {
    let site = Site::start();
    let (from, to) = (site.database.file(), site.database.path("moved.db"));
    let rename = || fs::rename(&from, &to).unwrap();
    let (before, after) = site.change_under_load(rename).await;
    assert!(!acknowledged(&before).is_empty());
    let lost = acknowledged(&after);
    assert!(lost.is_empty(), "thanked for what is in no file");
    let said = until_ready(site.process.ops, 503).await;
    assert!(said.contains("leads.db") && said.contains("removed"));
    assert!(!from.exists(), "made anew in silence");
    // The file alone, as somebody would carry it away.
    fs::copy(&to, site.database.path("carried.db")).unwrap();
    assert!(stored(&site.database.path("carried.db")).is_superset(&acknowledged(&before)));

    fs::rename(&to, &from).unwrap();
    assert_eq!(site.send().await.status, 503, "it is looked at by a start");
    let (log, database) = site.stop();
    assert_eq!(errors(&log), 1, "{log:#?}");
    assert!(restart(&database).await.is_superset(&acknowledged(&before)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_database_is_refused_until_the_old_journal_is_moved_away() {
    let other = Site::start();
    other.send().await;
    let (_, another) = other.stop();
    for is_moved in [true, false] {
        let site = Site::start();
        assert_eq!(site.send().await.status, 201);
        let older = site.backup("backup.db");
        assert_eq!(site.send().await.status, 201);
        site.until_checkpointed().await;
        let change = || match is_moved {
            true => fs::rename(another.file(), site.database.file()).unwrap(),
            false => fs::write(site.database.file(), fs::read(&older).unwrap()).unwrap(),
        };
        let (_, after) = site.change_under_load(change).await;
        assert!(acknowledged(&after).is_empty());
        until_ready(site.process.ops, 503).await;
        let (_, database) = site.stop();
        refusal(&mut serve(&database.url())).fails_with(1, "leads.db-wal");
        for side in ["leads.db-wal", "leads.db-shm"] {
            let aside = database.path(&format!("old-{side}"));
            fs::rename(database.path(side), aside).unwrap();
        }
        assert_eq!(restart(&database).await.len(), 2, "nothing is mixed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_journal_costs_no_lead() {
    let site = Site::start();
    let remove = || fs::remove_file(site.database.path("leads.db-wal")).unwrap();
    let (before, after) = site.change_under_load(remove).await;
    let (_, database) = site.stop();
    let sent = &acknowledged(&before) | &acknowledged(&after);
    let stored = restart(&database).await;
    assert_eq!(sent.difference(&stored).count(), 0);
}

/// A server with a backup that is killed under load, its journal in place.
async fn killed(checkpointed_after_the_backup: bool) -> (Database, HashSet<String>) {
    let site = Site::start();
    assert_eq!(site.send().await.status, 201);
    site.backup("backup.db");
    if checkpointed_after_the_backup {
        assert_eq!(site.send().await.status, 201);
        site.until_checkpointed().await;
    }
    for _ in 0..5 {
        assert_eq!(site.send().await.status, 201);
    }
    let there = stored(&site.database.file());
    let Site { database, process } = site;
    process.kill();
    let journal = fs::metadata(database.path("leads.db-wal")).unwrap();
    assert!(journal.len() > 0);
    (database, there)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_beside_the_journal_of_a_killed_server_is_refused_with_the_remedy() {
    let (database, _) = killed(true).await;
    fs::copy(database.path("backup.db"), database.file()).unwrap();
    let journal = database.path("leads.db-wal");
    let before = fs::read(&journal).unwrap();
    for command in [&["serve"][..], &["leads", "list"]] {
        refusal(&mut database.command(command)).fails_with(1, "leads.db-wal");
    }
    let after = fs::read(&journal).unwrap();
    assert!(after == before, "a refusal changes nothing");
    fs::remove_file(journal).unwrap();
    let process = Process::start(&database.url(), &[]);
    assert!(process.terminate().1.success());
    assert_eq!(stored(&database.file()).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_is_as_old_as_the_journal_of_a_killed_server_is_whole_with_it() {
    let (database, there) = killed(false).await;
    fs::copy(database.path("backup.db"), database.file()).unwrap();
    let process = Process::start(&database.url(), &[]);
    assert!(process.terminate().1.success());
    assert_eq!(stored(&database.file()), there);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owners_tools_work_beside_the_server_and_do_not_trip_it() {
    let site = Site::start();
    let visitors = site.load().await;
    for command in [
        &["leads", "forget", "nobody@example.org", "--yes"][..],
        &["deliveries", "retry", "--all"],
        &["leads", "list"],
    ] {
        site.database.run(command);
    }
    let sent = visitors.stop().await;
    until_ready(site.process.ops, 200).await;
    let (log, database) = site.stop();
    let stored = stored(&database.file());
    assert_eq!(acknowledged(&sent).difference(&stored).count(), 0);
    assert!(
        sent.iter().all(|each| each.status == 201),
        "all were thanked"
    );
    assert_eq!(errors(&log), 0, "{log:#?}");
}
