//! A database of the test's own, which goes away with it: a file, or one on the
//! PostgreSQL server of the run (`FRONTDOOR_TEST_DATABASE=postgres`, which
//! `scripts/rust-tests` sets for its second round).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use frontdoor::store::{Delivery, DeliveryFilter, Lead, LeadFilter, OpenMode, Store};
use tempfile::TempDir;

use super::past::Past;
use super::postgres::{OnServer, Session};

pub struct Database {
    /// For files of the test's; a database that is a file is among them.
    folder: TempDir,
    server: Option<OnServer>,
}

/// Whether this round of the tests is the one on PostgreSQL.
pub fn on_postgres() -> bool {
    match std::env::var("FRONTDOOR_TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("FRONTDOOR_TEST_DATABASE is sqlite or postgres, not {other}"),
    }
}

impl Database {
    /// Nothing is there yet.
    pub fn new() -> Self {
        Self {
            server: on_postgres().then(OnServer::new),
            ..Self::sqlite()
        }
    }

    /// For a test that is about files, in either round.
    pub fn sqlite() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            server: None,
        }
    }

    /// For a test that is about what only a server has, in either round.
    pub fn postgres() -> Self {
        Self {
            server: Some(OnServer::new()),
            ..Self::sqlite()
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Of a file beside it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    pub fn file(&self) -> PathBuf {
        assert!(self.server.is_none(), "no file: see Database::sqlite");
        self.path("leads.db")
    }

    pub fn url(&self) -> String {
        match &self.server {
            Some(server) => server.url(),
            None => sqlite_url(&self.file()),
        }
    }

    /// What people know it by.
    pub fn name(&self) -> String {
        match &self.server {
            Some(server) => server.name().to_owned(),
            None => self.file().display().to_string(),
        }
    }

    pub async fn create(&self) -> Store {
        self.open(OpenMode::Create).await
    }

    pub async fn open(&self, mode: OpenMode) -> Store {
        let url = self.url().parse().unwrap();
        Store::open(&url, mode).await.unwrap()
    }

    /// A way in past the program.
    pub fn past(&self) -> Past {
        match &self.server {
            Some(server) => Past::Server(Session::new(&server.url())),
            None => {
                let db = rusqlite::Connection::open(self.file()).unwrap();
                // A checkpoint that is not the program's own closes its store.
                db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
                Past::File(db)
            }
        }
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
