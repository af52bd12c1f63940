//! Mistakes that an owner makes on the way to a live site: each is named, with
//! what puts it right.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};

use super::{House, Known, SERVICE, check, database_of_the_service, report};
use crate::support::receiver::{Answer, Receiver};

/// By `sudo frontdoor serve`, or a copy put back by hand.
#[test]
fn a_database_file_of_roots_in_the_services_folder() {
    let Some(database) = database_of_the_service() else {
        return;
    };
    chown(database.file(), Some(0), Some(0)).unwrap();
    let found = check(&database.url(), &[]);
    let file = database.file().display().to_string();
    let (what, remedy) = (
        format!("{file} belongs to user 0"),
        format!("chown {SERVICE}:{SERVICE} {file}"),
    );
    found.says("database owner", "bad", &[&what, &remedy, "restart"]);
    assert_eq!(found.of("database owner").lines().count(), 1);
    // As the service would find it, not as root does.
    found.says("write", "bad", &["every form fails"]);
}

#[tokio::test]
async fn a_site_that_answers_without_tls_too() {
    let house = House {
        plain: "return 200 \"welcome\";",
        ..House::default()
    };
    let found = report(&mut house.start().await.check());
    let words = ["answers with status 200", "redirect http:// to https://"];
    found.says("HTTP to HTTPS", "bad", &words);
}

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_with_another_secret() {
    let site = House::default().start().await;
    let webhook = Receiver::start(|_| Answer::Status(401)).await;
    let found = report(site.check().env("FRONTDOOR_WEBHOOK_URL", &webhook.url));
    found.says("webhook", "bad", &["401", "FRONTDOOR_WEBHOOK_SECRET"]);
}

#[tokio::test]
async fn a_mail_server_whose_port_is_closed() {
    let site = House::default().start().await;
    let found = report(site.check().env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:1"));
    found.says("mail", "bad", &["refuse", "port"]);
}

#[tokio::test]
async fn the_name_without_www_leads_nowhere_or_elsewhere() {
    let site = House::default().start().await;
    let found = report(&mut site.check());
    let words = ["maplewire.example has no address", "A and AAAA"];
    found.says("DNS", "unsure", &words);
    let elsewhere = ("maplewire.example", Known::Address([192, 0, 2, 9].into()));
    let house = House {
        records: vec![elsewhere],
        ..House::default()
    };
    let found = report(&mut house.start().await.check());
    found.says("DNS", "unsure", &["another machine than www."]);
}

/// Systemd's tool, saying what it says of such a service in any of its versions.
#[tokio::test]
async fn a_service_that_does_not_run_or_runs_with_older_settings() {
    let site = House::default().start().await;
    let tools = site.database.path("tools");
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
    let settings = site.database.path("settings.env");
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
    found().says("service", "bad", &["does not run: failed", "journalctl"]);
    systemctl("active");
    let words = ["settings file was changed", "systemctl restart frontdoor"];
    found().says("service", "unsure", &words);
}
