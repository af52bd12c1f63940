//! The database's file is removed, moved, replaced or overwritten under the
//! running program. Nobody may read "Thank you" for words that are in no file
//! any more, nothing may be mixed, and a good file in its place is enough to
//! go on.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use tempfile::TempDir;

use crate::support::process::{Process, frontdoor, output, refusal};
use crate::support::visitors::{Sent, Visitors, acknowledged, client, ready, send, stored, until};

struct House {
    folder: TempDir,
    process: Process,
}

impl House {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = Process::start(&folder.path().join("leads.db"), &[OPS]);
        Self { folder, process }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn backup(&self, name: &str) -> PathBuf {
        let file = self.path(name);
        let url = format!("sqlite://{}", self.path("leads.db").display());
        let made = output(frontdoor(&["backup", file.to_str().unwrap()]).env("DATABASE_URL", url));
        assert!(made.status.success(), "{made:?}");
        file
    }

    async fn send(&self) -> Sent {
        send(&client(), self.process.address, "Hello").await
    }

    /// Until all is in the file itself: a copy made before is an older one then.
    async fn until_folded(&self) {
        let journal = self.path("leads.db-wal");
        until("folding", async || {
            fs::metadata(&journal).unwrap().len() == 0
        })
        .await;
    }

    async fn until_ready(&self, wanted: u16) -> String {
        let mut said = String::new();
        until("readiness", async || {
            let (status, text) = ready(self.process.ops).await;
            said = text;
            status == wanted
        })
        .await;
        said
    }

    /// Under load: what was answered before and after `change`.
    async fn change_under_load(&self, change: impl FnOnce()) -> (Vec<Sent>, Vec<Sent>) {
        let visitors = Visitors::start(self.process.address);
        until("load", async || stored(&self.path("leads.db")).len() > 50).await;
        change();
        let changed = Instant::now();
        until("refusal", async || self.send().await.status == 503).await;
        let (after, before) = visitors
            .stop()
            .await
            .into_iter()
            .partition(|each| each.began > changed);
        (before, after)
    }

    fn stop(self) -> (Vec<String>, TempDir) {
        let (log, status) = self.process.terminate();
        assert!(status.success());
        (log, self.folder)
    }
}

const TAKEN_OVER: &str = "the database file was replaced; checked and in use";
const OPS: (&str, &str) = ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0");

fn thanked(sent: &[Sent]) -> usize {
    acknowledged(sent).len()
}

fn lines_about(log: &[String], words: &str) -> usize {
    log.iter().filter(|line| line.contains(words)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_database_is_refused_until_a_good_one_is_there_again() {
    let house = House::start();
    assert_eq!(house.send().await.status, 201);
    let backup = house.backup("backup.db");
    let (before, after) = house
        .change_under_load(|| fs::remove_file(house.path("leads.db")).unwrap())
        .await;
    assert!(thanked(&before) > 50 && !after.is_empty());
    assert_eq!(thanked(&after), 0, "thanked for what is in no file");
    let said = house.until_ready(503).await;
    assert!(
        said.contains("leads.db") && said.contains("removed"),
        "{said}"
    );
    assert!(!house.path("leads.db").exists(), "made anew in silence");

    fs::copy(&backup, house.path("arriving.db")).unwrap();
    fs::rename(house.path("arriving.db"), house.path("leads.db")).unwrap();
    house.until_ready(200).await;
    let again = house.send().await.id.unwrap();
    let (log, folder) = house.stop();
    assert!(stored(&folder.path().join("leads.db")).contains(&again));
    assert_eq!(lines_about(&log, "\"level\":\"ERROR\""), 1, "{log:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_database_is_whole_where_it_is_and_goes_on_when_it_is_back() {
    let house = House::start();
    let (from, to) = (house.path("leads.db"), house.path("moved.db"));
    let (before, after) = house
        .change_under_load(|| fs::rename(&from, &to).unwrap())
        .await;
    assert_eq!(thanked(&after), 0);
    house.until_ready(503).await;
    // The file alone, as somebody would carry it away.
    fs::copy(&to, house.path("carried.db")).unwrap();
    assert!(stored(&house.path("carried.db")).is_superset(&acknowledged(&before)));
    fs::rename(&to, &from).unwrap();
    house.until_ready(200).await;
    let again = house.send().await.id.unwrap();
    let (_, folder) = house.stop();
    let stored = stored(&folder.path().join("leads.db"));
    assert!(stored.is_superset(&acknowledged(&before)) && stored.contains(&again));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_database_moved_over_it_is_used_and_never_mixed_with_the_old_one() {
    let house = House::start();
    let other = House::start();
    let theirs = other.send().await.id.unwrap();
    let (_, other) = other.stop();
    let visitors = Visitors::start(house.process.address);
    until("load", async || stored(&house.path("leads.db")).len() > 50).await;
    fs::rename(other.path().join("leads.db"), house.path("leads.db")).unwrap();
    let changed = Instant::now();
    until("use of the other", async || {
        house
            .send()
            .await
            .id
            .is_some_and(|id| stored(&house.path("leads.db")).contains(&id))
    })
    .await;
    let sent = visitors.stop().await;
    let (log, folder) = house.stop();
    assert_eq!(lines_about(&log, TAKEN_OVER), 1, "{log:#?}");
    let stored = stored(&folder.path().join("leads.db"));
    let after: Vec<_> = sent
        .into_iter()
        .filter(|each| each.began > changed)
        .collect();
    let lost = acknowledged(&after).difference(&stored).count();
    assert_eq!(lost, 0, "of {} thanked after the change", thanked(&after));
    assert!(stored.contains(&theirs));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_copy_written_over_it_is_refused_until_the_old_journal_is_gone() {
    let house = House::start();
    assert_eq!(house.send().await.status, 201);
    let backup = house.backup("backup.db");
    assert_eq!(house.send().await.status, 201);
    house.until_folded().await;
    let overwrite = || fs::write(house.path("leads.db"), fs::read(&backup).unwrap()).unwrap();
    let (_, after) = house.change_under_load(overwrite).await;
    assert_eq!(thanked(&after), 0);
    let said = house.until_ready(503).await;
    assert!(said.contains("leads.db-wal"), "{said}");
    for side in ["leads.db-wal", "leads.db-shm"] {
        fs::rename(house.path(side), house.path(&format!("old-{side}"))).unwrap();
    }
    house.until_ready(200).await;
    let again = house.send().await.id.unwrap();
    let (log, folder) = house.stop();
    assert_eq!(lines_about(&log, TAKEN_OVER), 1, "{log:#?}");
    assert!(stored(&folder.path().join("leads.db")).contains(&again));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_journal_costs_no_lead() {
    let house = House::start();
    let visitors = Visitors::start(house.process.address);
    until("load", async || stored(&house.path("leads.db")).len() > 50).await;
    fs::remove_file(house.path("leads.db-wal")).unwrap();
    until("recovery", async || house.send().await.status == 201).await;
    let sent = visitors.stop().await;
    house.until_ready(200).await;
    let (_, folder) = house.stop();
    let stored = stored(&folder.path().join("leads.db"));
    assert_eq!(acknowledged(&sent).difference(&stored).count(), 0);
}

/// A server with a backup that is killed under load, its journal in place.
async fn killed(folded_after_the_backup: bool) -> (TempDir, HashSet<String>) {
    let house = House::start();
    assert_eq!(house.send().await.status, 201);
    house.backup("backup.db");
    if folded_after_the_backup {
        assert_eq!(house.send().await.status, 201);
        house.until_folded().await;
    }
    for _ in 0..20 {
        assert_eq!(house.send().await.status, 201);
    }
    let there = stored(&house.path("leads.db"));
    let House { folder, process } = house;
    process.kill();
    assert!(
        fs::metadata(folder.path().join("leads.db-wal"))
            .unwrap()
            .len()
            > 0
    );
    (folder, there)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_beside_the_journal_of_a_killed_server_is_refused_with_the_remedy() {
    let (folder, _) = killed(true).await;
    let database = folder.path().join("leads.db");
    fs::copy(folder.path().join("backup.db"), &database).unwrap();
    let url = format!("sqlite://{}", database.display());
    let journal = fs::read(folder.path().join("leads.db-wal")).unwrap();
    for command in [&["serve"][..], &["leads", "list"], &["check"]] {
        let mut command = frontdoor(command);
        command.env("FRONTDOOR_LISTEN", "127.0.0.1:0");
        let refused = refusal(
            command
                .env("FRONTDOOR_OPS_LISTEN", "off")
                .env("DATABASE_URL", &url),
        );
        assert_eq!(refused.status.code(), Some(1), "{command:?}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains("leads.db-wal"), "{said}");
    }
    let untouched = fs::read(folder.path().join("leads.db-wal")).unwrap();
    assert!(journal == untouched, "a refusal changes nothing");
    fs::remove_file(folder.path().join("leads.db-wal")).unwrap();
    let process = Process::start(&database, &[]);
    assert!(process.terminate().1.success());
    assert_eq!(stored(&database).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_starts_again_with_all_it_thanked_for() {
    // Also on a copy that is as old as the journal: together they are whole.
    for copied in [false, true] {
        let (folder, there) = killed(false).await;
        let database = folder.path().join("leads.db");
        if copied {
            fs::copy(folder.path().join("backup.db"), &database).unwrap();
        }
        let process = Process::start(&database, &[]);
        assert!(process.terminate().1.success());
        assert_eq!(stored(&database), there, "copied: {copied}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owners_tools_work_beside_the_server_and_do_not_trip_it() {
    let house = House::start();
    let visitors = Visitors::start(house.process.address);
    until("load", async || stored(&house.path("leads.db")).len() > 50).await;
    let url = format!("sqlite://{}", house.path("leads.db").display());
    for _ in 0..3 {
        for command in [
            &["leads", "forget", "nobody@example.org", "--yes"][..],
            &["deliveries", "retry", "--all"],
            &["leads", "list"],
        ] {
            output(frontdoor(command).env("DATABASE_URL", &url));
        }
    }
    let sent = visitors.stop().await;
    house.until_ready(200).await;
    let (log, folder) = house.stop();
    let stored = stored(&folder.path().join("leads.db"));
    assert_eq!(acknowledged(&sent).difference(&stored).count(), 0);
    assert_eq!(acknowledged(&sent).len(), sent.len(), "all were thanked");
    assert_eq!(lines_about(&log, "\"level\":\"ERROR\""), 0, "{log:#?}");
    assert_eq!(lines_about(&log, TAKEN_OVER), 0, "{log:#?}");
}
