//! Faults on the machine itself: its disk, its files, its services.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};

use super::{NOWHERE, Proxy, SERVICE, Server, check, database_of_the_service, migrate, report};
use crate::support::{Database, SmallDisk, frontdoor, run, sqlite_url};

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
fn flags_of_the_live_check_are_refused_without_it() {
    let said = run(&mut frontdoor(&["check", "--url", "https://x.example"]));
    said.fails(2, "--live");
    let said = run(&mut frontdoor(&["check", "--live", "--url", "ftp://x"]));
    said.fails(2, "https://");
}

/// By `sudo frontdoor serve`, or a copy put back by hand.
#[test]
fn a_database_file_or_a_journal_of_roots_in_the_services_folder() {
    let Some(database) = database_of_the_service() else {
        return;
    };
    chown(database.file(), Some(0), Some(0)).unwrap();
    let found = check(&database.url(), &[]);
    let file = database.file().display().to_string();
    let what = format!("{file} belongs to user 0");
    let remedy = format!("chown {SERVICE}:{SERVICE} {file}");
    found.says("database owner", "bad", &[&what, &remedy, "restart"]);
    assert_eq!(found.of("database owner").lines().count(), 1);
    // As the service would find it, not as root does.
    found.says("write", "bad", &["every form fails"]);

    chown(database.file(), Some(SERVICE), Some(SERVICE)).unwrap();
    let journal = format!("{file}-wal");
    fs::write(&journal, "").unwrap();
    let remedy = format!("chown {SERVICE}:{SERVICE} {journal}");
    let found = check(&database.url(), &[]);
    found.says("database owner", "bad", &["belongs to user 0", &remedy]);
}

/// Systemd's tool, saying what it says of such a service in any of its versions.
#[tokio::test]
async fn a_service_that_does_not_run_or_runs_with_older_settings() {
    let server = Server::start();
    let site = server.behind(Proxy::default()).await;
    let tools = server.database.path("tools");
    fs::create_dir(&tools).unwrap();
    let systemctl = |state: &str| {
        let path = tools.join("systemctl");
        let script = format!(
            "#!/bin/sh
            [ \"$1 $3\" = 'show frontdoor.service' ] && [ \"$TZ $LC_ALL\" = 'UTC C' ] || exit 1
            echo LoadState=loaded
            echo ActiveState={state}
            echo SubState=x
            echo 'ActiveEnterTimestamp=Tue 2023-11-14 22:13:20 UTC'\n"
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let settings = server.database.path("settings.env");
    fs::write(&settings, "").unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let found = || {
        let mut command = site.check();
        report(
            command
                .env("PATH", &path)
                .env("FRONTDOOR_SETTINGS", &settings),
        )
    };
    systemctl("failed");
    found().says("service", "bad", &["isn't running: failed", "journalctl"]);
    systemctl("active");
    let words = ["settings file was changed", "systemctl restart frontdoor"];
    found().says("service", "unsure", &words);
}
