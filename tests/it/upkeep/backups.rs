//! Daily backups.

use std::fs;
use std::path::{Path, PathBuf};

use frontdoor::config::{BackupSettings, RetentionArgs};
use frontdoor::store::{Digest, Store};
use frontdoor::upkeep::{Backups, DailyMaintenance};
use jiff::{SignedDuration, Timestamp};

use crate::support::{Database, Process, SmallDisk, lead, metrics, stored, until, visitor};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

struct Server {
    database: Database,
    store: Store,
    now: Timestamp,
    backups: Backups,
    maintenance: DailyMaintenance,
}

impl Server {
    /// It is noon in Toronto.
    async fn with(folder: PathBuf, keep: usize) -> Self {
        let database = Database::sqlite();
        let store = database.create().await;
        let settings = BackupSettings { folder, keep };
        let url = database.url().parse().unwrap();
        let backups = Backups::new(Some(&settings), &url).unwrap();
        let retention = RetentionArgs::default().load().unwrap();
        let backed_up = Some(backups.clone());
        Self {
            maintenance: DailyMaintenance::new(store.clone(), backed_up, retention),
            now: "2026-11-15T17:00:00Z".parse().unwrap(),
            database,
            store,
            backups,
        }
    }

    async fn maintain(&mut self, time: SignedDuration) {
        self.now += time;
        self.maintenance.run_once(self.now).await;
    }
}

const AT_ONCE: SignedDuration = SignedDuration::ZERO;

fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_backup_is_made_at_once_then_each_night_and_the_oldest_of_ours_go() {
    let folder = tempfile::tempdir().unwrap();
    // The folder itself isn't there yet.
    let folder = folder.path().join("a/b");
    let mut server = Server::with(folder.clone(), 3).await;
    let added = server.store.add_lead(lead(visitor()), server.now);
    let id = added.await.unwrap().id;
    server.maintain(AT_ONCE).await;
    let made = "leads-20261115T170000Z.db";
    assert_eq!(files(&folder), [made]);
    assert!(stored(&folder.join(made)).contains(&id));
    let strangers = [
        "download.db.partial",
        "leads-2020-01-01T00:00:00Z.db",
        "leads-20200101T000000Z.db.txt",
        "other-20200101T000000Z.db",
    ];
    let left_by_a_killed_one = [
        "leads-20261115T165900Z.db.frontdoor-partial",
        "leads-20261115T165900Z.db.frontdoor-partial-journal",
    ];
    for name in strangers.iter().chain(&left_by_a_killed_one) {
        fs::write(folder.join(name), "").unwrap();
    }
    for _ in 0..24 * 5 {
        server.maintain(HOUR).await;
    }
    let nights = [18, 19, 20].map(|day| format!("leads-202611{day}T080000Z.db"));
    let mut expected = [strangers.map(str::to_owned).to_vec(), nights.to_vec()].concat();
    expected.sort_unstable();
    assert_eq!(files(&folder), expected);
}

#[tokio::test]
async fn a_failure_is_known_and_tried_again_in_an_hour() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("backups");
    fs::write(&place, "not a folder").unwrap();
    let mut server = Server::with(place.clone(), 3).await;
    server.maintain(AT_ONCE).await;
    let why = server.backups.failure().unwrap();
    assert!(why.contains("backups"), "{why}");
    let mut digest = Digest::default();
    server.backups.add_to_digest(&mut digest);
    assert!(digest.backup_failure.is_some() && digest.has_something_to_say());
    fs::remove_file(&place).unwrap();
    server.maintain(HOUR / 2).await;
    assert!(server.backups.failure().is_some() && files(&place).is_empty());
    server.maintain(HOUR / 2).await;
    assert_eq!(server.backups.failure(), None);
    assert_eq!(files(&place).len(), 1);
}

#[tokio::test]
async fn a_full_disk_leaves_no_half_backup_and_says_so() {
    let Some(disk) = SmallDisk::mount("64k") else {
        return;
    };
    let mut server = Server::with(disk.path().to_owned(), 3).await;
    server.maintain(AT_ONCE).await;
    let why = server.backups.failure().unwrap();
    assert!(why.contains("the disk is full"), "{why}");
    assert_eq!(files(disk.path()), [""; 0]);
    let file = disk.path().join("by-hand.db");
    let output = server.database.run(&["backup", file.to_str().unwrap()]);
    output.fails_with(1, "the disk is full");
    assert_eq!(files(disk.path()), [""; 0]);
}

/// The real program, on the real clock.
#[tokio::test]
async fn metrics_and_check_tell_whether_backups_can_be_made_and_how_old_the_last_is() {
    let database = Database::sqlite();
    let folder = database.path("backups");
    fs::write(&folder, "not a folder").unwrap();
    let settings = [("FRONTDOOR_BACKUP_DIR", folder.to_str().unwrap())];
    let process = Process::start(&database.url(), &settings);
    let told = async |line: &str| metrics(process.ops).await.contains(line);
    until("a failure", async || told("frontdoor_backup_up 0\n").await).await;
    assert!(!told("frontdoor_backup_age_seconds").await);
    drop(process);
    fs::remove_file(&folder).unwrap();
    let process = Process::start(&database.url(), &settings);
    let told = async |line: &str| metrics(process.ops).await.contains(line);
    until("a backup", async || {
        told("frontdoor_backup_age_seconds ").await
    })
    .await;
    assert!(told("frontdoor_backup_up 1\n").await);
    let made = files(&folder);
    assert_eq!(made.len(), 1, "{made:?}");
    let check = || database.run(&["check", "--backup-dir", folder.to_str().unwrap()]);
    check().succeeds().stdout_contains("\n✓ backup: ");
    let old = folder.join("leads-20200101T000000Z.db");
    fs::rename(folder.join(&made[0]), old).unwrap();
    let output = check();
    output.fails_with(1, "the last one is");
    output.stdout_contains("\n✗ backup: ");
    let (log, status) = process.terminate();
    assert!(status.success());
    assert!(log.concat().contains("a backup was written"), "{log:?}");
}
