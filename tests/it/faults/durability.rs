//! What was acknowledged is in the files at that very moment, and not only in
//! the memory of the program.

use std::fs;

use crate::support::database::{Database, stored};
use crate::support::process::Process;
use crate::support::visitors::{acknowledged, send};

/// The files as whoever pulls the plug now finds them. The journal first: what
/// is folded meanwhile is then in the file.
fn copied(database: &Database) -> Database {
    let copy = Database::sqlite();
    for name in ["leads.db-wal", "leads.db"] {
        fs::copy(database.path(name), copy.path(name)).unwrap();
    }
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_files_has_every_lead_that_was_acknowledged_before_it_was_taken() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let mut sent = Vec::new();
    for _ in 0..30 {
        sent.push(send(process.address, "Hello").await);
        let copy = copied(&database);
        let missing = &acknowledged(&sent) - &stored(&copy.file());
        assert!(missing.is_empty(), "{missing:?} of {}", sent.len());
    }
}
