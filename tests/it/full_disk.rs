//! What happens when the disk under the database is full: the visitor is
//! told, nothing is half stored, and all is well again once there is room.
//!
//! Needs a small file system of its own and so root: without, it fails.

use std::fs;
use std::path::Path;
use std::process::Command;

use frontdoor::store::{LeadFilter, OpenMode, Store};

use crate::support::process::Process;
use crate::support::visitors::{client, ready, send, until};

/// A file system in memory that is unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output()
            .unwrap();
        assert!(
            mounted.status.success(),
            "a small file system can be mounted by root only: {mounted:?}"
        );
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

async fn stored(database: &Path) -> Vec<String> {
    let url = format!("sqlite://{}", database.display()).parse().unwrap();
    let store = Store::open(&url, OpenMode::Existing).await.unwrap();
    let filter = LeadFilter {
        limit: 100_000,
        ..LeadFilter::default()
    };
    let leads = store.leads(filter).await.unwrap();
    let counts = store.delivery_counts().await.unwrap();
    assert_eq!(
        counts.pending + counts.delivered,
        leads.len() as u64,
        "each lead has its delivery"
    );
    leads.into_iter().map(|lead| lead.message).collect()
}

#[tokio::test]
async fn a_full_disk_is_a_503_with_nothing_half_stored_and_recovers_without_a_restart() {
    let disk = SmallDisk::mount("2m");
    let database = disk.path().join("leads.db");
    // A receiver that does not exist: deliveries are written, too.
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", "http://127.0.0.1:9/"),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let process = Process::start(&database, &settings);
    let client = client();
    let post = async |message: &str| send(&client, process.address, message).await.status;
    let ballast = disk.path().join("ballast");
    fs::write(&ballast, vec![0; 256 * 1024]).unwrap();

    let mut acknowledged = Vec::new();
    loop {
        let message = format!("{} {}", acknowledged.len(), "x".repeat(1000));
        match post(&message).await {
            201 => acknowledged.push(message),
            status => break assert_eq!(status, 503),
        }
        assert!(acknowledged.len() < 2000, "the disk never gets full");
    }
    let room_for = acknowledged.len();
    // The file itself takes about 3 kB for each; the journal must not take
    // what it needs.
    assert!(room_for > 300, "full after {room_for} leads");
    let (status, why) = ready(process.ops).await;
    assert_eq!(status, 503);
    assert!(why.contains("the disk is full"), "{why}");

    fs::remove_file(&ballast).unwrap();
    until("recovery", async || post("after").await == 201).await;
    acknowledged.push("after".to_owned());
    until("readiness", async || ready(process.ops).await.0 == 200).await;
    for number in 0..20 {
        let message = format!("after {number} {}", "x".repeat(1000));
        assert_eq!(post(&message).await, 201);
        acknowledged.push(message);
    }
    println!("2 MB were full after {room_for} leads of 1 kB");
    assert!(process.terminate().1.success());
    let mut stored = stored(&database).await;
    stored.sort();
    acknowledged.sort();
    assert!(
        stored == acknowledged,
        "what was acknowledged, all of it and nothing else"
    );
}
