//! A database of the test's own, in a folder that goes away with it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use frontdoor::store::{Delivery, DeliveryFilter, Lead, LeadFilter, OpenMode, Store};
use tempfile::TempDir;

pub struct Database {
    folder: TempDir,
}

impl Database {
    /// Nothing is there yet.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Of a file beside it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self) -> PathBuf {
        self.path("leads.db")
    }

    pub fn url(&self) -> String {
        sqlite_url(&self.file())
    }

    pub async fn create(&self) -> Store {
        open(&self.file(), OpenMode::Create).await
    }

    /// A way in past the program.
    pub fn connect(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }

    /// It and what stands beside it.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

pub fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

pub async fn open(file: &Path, mode: OpenMode) -> Store {
    let url = sqlite_url(file).parse().unwrap();
    Store::open(&url, mode).await.unwrap()
}

pub fn all() -> LeadFilter {
    LeadFilter {
        limit: 1_000_000,
        ..LeadFilter::default()
    }
}

pub async fn leads(store: &Store) -> Vec<Lead> {
    store.leads(all()).await.unwrap()
}

pub async fn deliveries(store: &Store) -> Vec<Delivery> {
    let filter = DeliveryFilter {
        limit: 1_000_000,
        ..DeliveryFilter::default()
    };
    store.deliveries(filter).await.unwrap()
}

/// The ids in a database file, read past the program.
pub fn stored(file: &Path) -> HashSet<String> {
    let db = rusqlite::Connection::open(file).unwrap();
    let verdict: String = db
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok", "{}", file.display());
    let mut query = db.prepare("SELECT id FROM contacts").unwrap();
    let ids = query.query_map([], |row| row.get(0)).unwrap();
    ids.map(Result::unwrap).collect()
}
