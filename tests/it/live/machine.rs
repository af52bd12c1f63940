//! Faults on the machine itself: its disk and its service. Files of somebody else: see
//! `settings::owner`.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use super::{Server, report};
use crate::support::{SmallDisk, frontdoor, run, sqlite_url};

#[test]
fn flags_of_the_live_check_are_refused_without_it() {
    let output = run(&mut frontdoor(&["check", "--url", "https://x.example"]));
    output.fails_with(2, "--live");
    let output = run(&mut frontdoor(&["check", "--live", "--url", "ftp://x"]));
    output.fails_with(2, "https://");
}

#[test]
fn a_disk_that_is_full() {
    let Some(disk) = SmallDisk::mount("2m") else {
        return;
    };
    let url = sqlite_url(&disk.path().join("leads.db"));
    run(frontdoor(&["migrate"]).env("DATABASE_URL", &url)).succeeds();
    // Until nothing more fits.
    let mut ballast = fs::File::create(disk.path().join("ballast")).unwrap();
    let block = [0; 4096];
    while ballast.write_all(&block).is_ok() {}
    // Nothing is served.
    let nowhere = ["check", "--live", "--json", "--url", "http://127.0.0.1:1"];
    let check = || report(frontdoor(&nowhere).env("DATABASE_URL", &url));
    let found = check();
    found.says("disk", "bad", &["0 MiB are left", "make room"]);
    found.says("write", "bad", &["the disk is full", "every form fails"]);
    ballast.set_len(0).unwrap();
    check().says("write", "good", &[]);
}

/// Systemd's tool, saying what it says of such a service in any of its versions.
#[tokio::test]
async fn a_service_that_does_not_run_or_runs_with_older_settings() {
    let server = Server::start();
    let site = server.behind(|_| {}).await;
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
