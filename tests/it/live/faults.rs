//! Faults on the machine itself.

use std::fs;
use std::io::Write as _;

use super::{NOWHERE, SERVICE, check, database_of_the_service, migrate, report};
use crate::support::database::{Database, sqlite_url};
use crate::support::process::{frontdoor, run};
use crate::support::small_disk::SmallDisk;

#[test]
fn a_database_that_is_not_there_and_one_that_depends_on_the_folder() {
    let folder = Database::sqlite();
    let missing = check(&folder.url(), &[]);
    missing.says("database", "bad", &["frontdoor migrate"]);
    assert!(!folder.file().exists(), "nothing is created");

    let mut command = frontdoor(&["check", "--live", "--json", "--url", NOWHERE]);
    command
        .env("DATABASE_URL", "sqlite://here.db")
        .current_dir(folder.folder());
    report(&mut command).says("database path", "unsure", &["here.db", "sqlite:///"]);
}

#[test]
fn a_journal_that_root_left_behind() {
    let Some(database) = database_of_the_service() else {
        return;
    };
    fs::write(database.path("leads.db-wal"), "").unwrap();
    let found = check(&database.url(), &[]);
    let path = database.path("leads.db-wal").display().to_string();
    let remedy = format!("chown {SERVICE}:{SERVICE} {path}");
    found.says("database owner", "bad", &["belongs to user 0", &remedy]);
}

#[test]
fn a_disk_that_is_nearly_full() {
    let Some(disk) = SmallDisk::mount("40m") else {
        return;
    };
    let url = sqlite_url(&disk.path().join("leads.db"));
    migrate(&url);
    let found = check(&url, &[]);
    found.says("disk", "bad", &["MiB are left", "make room"]);
    found.says("write", "good", &[]);
}

#[test]
fn a_disk_that_is_full() {
    let Some(disk) = SmallDisk::mount("2m") else {
        return;
    };
    let url = sqlite_url(&disk.path().join("leads.db"));
    migrate(&url);
    // Until nothing more fits.
    let mut ballast = fs::File::create(disk.path().join("ballast")).unwrap();
    let block = [0; 4096];
    while ballast.write_all(&block).is_ok() {}
    let found = check(&url, &[]);
    found.says("disk", "bad", &["0 MiB are left", "make room"]);
    found.says("write", "bad", &["the disk is full", "every form fails"]);
    ballast.set_len(0).unwrap();
    check(&url, &[]).says("write", "good", &[]);
}

#[test]
fn backups_that_are_missing_or_too_old() {
    let database = Database::sqlite();
    migrate(&database.url());
    check(&database.url(), &[]).says("backup", "unsure", &["FRONTDOOR_BACKUP_DIR"]);
    let folder = database.path("backups");
    fs::create_dir(&folder).unwrap();
    let setting = [("FRONTDOOR_BACKUP_DIR", folder.to_str().unwrap())];
    check(&database.url(), &setting).says("backup", "unsure", &["none yet"]);
    fs::write(folder.join("leads-20250101T080000Z.db"), "").unwrap();
    check(&database.url(), &setting).says("backup", "bad", &["old", "journalctl"]);
}

#[test]
fn flags_of_the_live_check_are_refused_without_it() {
    let said = run(&mut frontdoor(&["check", "--url", "https://x.example"]));
    assert_eq!(said.code, 2);
    said.complains("--live");
    let said = run(&mut frontdoor(&["check", "--live", "--url", "ftp://x"]));
    assert_eq!(said.code, 2);
    said.complains("https://");
}
