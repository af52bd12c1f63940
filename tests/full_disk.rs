//! What happens when the disk under the database is full: the visitor is
//! told, nothing is half stored, and all is well again once there is room.
//!
//! Needs a small file system of its own and so root; without, it says so.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop here.

mod process;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use frontdoor::store::{LeadFilter, OpenMode, Store};
use process::Process;
use reqwest::StatusCode;
use serde_json::{Value, json};

/// A file system in memory that is unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(folder.path())
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(folder))
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

struct Visitor {
    client: reqwest::Client,
    url: String,
}

impl Visitor {
    async fn post(&self, message: &str) -> (StatusCode, Value) {
        let body = json!({ "name": "Ada", "email": "ada@example.org", "message": message });
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json");
        let response = request.body(body.to_string()).send().await.unwrap();
        let status = response.status();
        (
            status,
            serde_json::from_slice(&response.bytes().await.unwrap()).unwrap(),
        )
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
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("SKIPPED: a small file system can be mounted by root only");
        return;
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let database = disk.path().join("leads.db");
    // A receiver that does not exist: deliveries are written, too.
    let process = Process::start(
        &database,
        &[("FRONTDOOR_WEBHOOK_URL", "http://127.0.0.1:9/")],
    );
    let visitor = Visitor {
        client: reqwest::Client::builder().no_proxy().build().unwrap(),
        url: format!("http://{}/api/contacts", process.address),
    };
    let mut acknowledged = Vec::new();
    let (status, _) = visitor.post("before").await;
    assert_eq!(status, 201);
    acknowledged.push("before".to_owned());

    let ballast = disk.path().join("ballast");
    let _ = fs::write(&ballast, vec![0; 2 * 1024 * 1024]);
    // What was set aside before may take a few more; then there is no room.
    let mut number = 0;
    let failure = loop {
        let message = format!("{number} {}", "x".repeat(4000));
        let (status, answer) = visitor.post(&message).await;
        match status.as_u16() {
            201 => acknowledged.push(message),
            _ => break (status, answer),
        }
        number += 1;
        assert!(number < 1000, "the disk never gets full");
    };
    assert_eq!(failure.0, 503);
    assert_eq!(
        failure.1["detail"],
        "Failed to send message. Please try again later."
    );
    let (status, _) = visitor.post(&"still no room ".repeat(300)).await;
    assert_eq!(status, 503);

    fs::remove_file(&ballast).unwrap();
    let start = Instant::now();
    loop {
        let (status, _) = visitor.post("after").await;
        acknowledged.extend((status == 201).then(|| "after".to_owned()));
        if status == 201 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "no recovery");
    }
    println!(
        "full after {number} more leads, well again {:?} after there was room",
        start.elapsed()
    );
    assert!(process.terminate().1.success());
    let mut stored = stored(&database).await;
    stored.sort();
    acknowledged.sort();
    assert_eq!(
        stored, acknowledged,
        "what was acknowledged, all of it and nothing else"
    );
}
