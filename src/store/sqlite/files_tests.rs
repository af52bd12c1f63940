//! What stands at the path, and whether a journal belongs to it. No clock is
//! in these: a store that was not opened by the server folds nothing by itself.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::admission::Open;
use super::apart::Patience;
use super::files::Files;
use super::generation::{self, Kinship};
use super::journal::Emptied;
use super::tests::{fresh, lead, now, stored};
use super::{Sqlite, admission, backup, connection, forget, journal};
use crate::store::{OpenMode, Remains, StoreError};

/// As one of the owner's tools has it open.
async fn opened(path: &Path) -> Sqlite {
    let path = path.to_owned();
    Sqlite::open(path, OpenMode::Existing).await.unwrap()
}

/// A database that a server has left.
async fn left() -> (PathBuf, TempDir) {
    let (store, path, folder) = fresh().await;
    store.close().await.unwrap();
    (path, folder)
}

/// The files as a kill or a power cut leaves them.
fn as_after_a_kill(path: &Path) -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["", "-wal"] {
        let name = format!("leads.db{suffix}");
        fs::copy(path.with_file_name(&name), folder.path().join(&name)).unwrap();
    }
    (folder.path().join("leads.db"), folder)
}

fn write(db: &Connection, word: &str) {
    db.execute("UPDATE store_state SET probed_at = ?1", [word])
        .unwrap();
}

#[tokio::test]
async fn the_journal_is_looked_for_beside_the_file_that_a_link_leads_to() {
    let (path, folder) = left().await;
    let (other, _other_folder) = left().await;
    let link = folder.path().join("link.db");
    symlink(&path, &link).unwrap();
    let store = opened(&link).await;
    store.add_lead(lead(), now()).await.unwrap();
    fs::remove_file(path.with_extension("db-wal")).unwrap();
    while store.add_lead(lead(), now()).await.is_err() {}
    assert!(path.with_extension("db-wal").exists(), "in no file");

    fs::remove_file(&link).unwrap();
    symlink(&other, &link).unwrap();
    while store.add_lead(lead(), now()).await.is_err() {}
    fs::remove_file(other.with_extension("db-wal")).unwrap();
    while store.add_lead(lead(), now()).await.is_err() {}
    assert!(other.with_extension("db-wal").exists(), "in no file");
    assert!(stored(&store).await >= 2);
}

/// A copy, then a folding, then a journal. It stays there without the server, too.
fn outdated_copy(path: &Path) -> (PathBuf, Open) {
    let mut server = admission::admit(&Files::new(path)).unwrap();
    let tool = connection::open_writer(path).unwrap();
    generation::begin(&tool, None).unwrap();
    let copy = path.with_file_name("copy.db");
    backup::write_backup(path, &copy, &Patience::default()).unwrap();
    write(&server.db, "only in the file");
    assert!(journal::fold(&mut server, Emptied::GivenBack).unwrap());
    write(&server.db, "only in the journal");
    generation::settle(&server.db, server.folded.as_ref().unwrap()).unwrap();
    (copy, server)
}

#[tokio::test]
async fn a_copy_from_before_the_last_folding_is_not_taken_for_the_journals_file() {
    let (path, _folder) = left().await;
    let (copy, server) = outdated_copy(&path);
    let alone = generation::read_file_alone(&copy).unwrap();
    let together = generation::read(&server.db).unwrap();
    let kin = generation::kinship(alone.as_ref(), together.as_ref());
    assert_eq!(kin, Kinship::None);
}

#[tokio::test]
async fn nor_is_one_whose_second_half_arrives_while_it_is_looked_at() {
    let (path, _folder) = left().await;
    let (copy, server) = outdated_copy(&path);
    drop(server);
    let copy = fs::read(copy).unwrap();
    let (first, second) = copy.split_at(copy.len() / 2);
    for _ in 0..100 {
        fs::write(&path, first).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        std::thread::scope(|threads| {
            threads.spawn(move || file.write_all(second).unwrap());
            let found = admission::try_admit(&Files::new(&path));
            assert!(found.is_err(), "mixed");
        });
    }
}

#[tokio::test]
async fn a_database_that_a_tool_wrote_to_beside_the_server_survives_a_kill() {
    let (path, _folder) = left().await;
    let server = opened(&path).await;
    let tool = connection::open_writer(&path).unwrap();
    write(&tool, "a tool");
    generation::begin(&tool, None).unwrap();
    server.add_lead(lead(), now()).await.unwrap();
    let (killed, _killed_folder) = as_after_a_kill(&path);
    let found = admission::admit(&Files::new(&killed));
    assert!(found.is_ok(), "{:?}", found.err());
}

#[tokio::test]
async fn a_copy_moved_over_the_file_keeps_what_only_the_journal_has() {
    let (path, folder) = left().await;
    let server = opened(&path).await;
    server.add_lead(lead(), now()).await.unwrap();
    let copy = folder.path().join("copy.db");
    server.backup(copy.clone()).await.unwrap();
    server.add_lead(lead(), now()).await.unwrap();
    fs::rename(&copy, &path).unwrap();
    let mut thanked = 2;
    while thanked < 3 {
        match server.add_lead(lead(), now()).await {
            Ok(_) => thanked += 1,
            Err(error) => assert!(matches!(error, StoreError::Replaced { .. }), "{error}"),
        }
    }
    assert!(stored(&server).await >= thanked);
}

#[tokio::test]
async fn forgetting_copies_the_whole_file_only_where_pages_are_left_over() {
    let (store, path, _folder) = fresh().await;
    let many =
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT 500)
        INSERT INTO contacts (id, name, email, message, created_at, email_key)
        SELECT n, 'Ada', 'ada@example.org', 'Hello', '2026', 'ada@example.org' FROM number";
    store.writer.run(|db| db.execute_batch(many)).await.unwrap();
    store.close().await.unwrap();
    // Keeps what is written in the journal, where it can be counted.
    let reader = connection::open_reader(&path).unwrap();
    reader
        .execute_batch("BEGIN; SELECT 1 FROM contacts")
        .unwrap();
    let whole = fs::metadata(&path).unwrap().len();
    let files = Files::new(&path);
    assert!(!forget::scrub(&files, true, Duration::ZERO).unwrap());
    assert!(
        files.journal_bytes() < whole / 2,
        "{}",
        files.journal_bytes()
    );
    connection::open_writer(&path)
        .unwrap()
        .execute_batch("DELETE FROM contacts")
        .unwrap();
    let before = files.journal_bytes();
    assert!(!forget::scrub(&files, true, Duration::ZERO).unwrap());
    assert!(files.journal_bytes() > before + 16 * 1024);
}

#[tokio::test]
async fn forgetting_says_what_kept_it_from_overwriting_the_files() {
    let (path, _folder) = left().await;
    let server = opened(&path).await;
    server.add_lead(lead(), now()).await.unwrap();
    let wrong = server
        .writer
        .run(|db| db.execute_batch("DROP TABLE store_state"));
    wrong.await.unwrap();
    let forgotten = server.forget("ada@example.org".into()).await.unwrap();
    let Remains::InFiles(why) = forgotten.remains else {
        panic!("{:?}", forgotten.remains);
    };
    assert!(why.contains("store_state"), "{why}");
}
