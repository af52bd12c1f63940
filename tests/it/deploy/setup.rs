//! `frontdoor setup` on a machine that is an empty folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;

use super::passes;
use crate::support::database::Database;
use crate::support::nginx::takes;
use crate::support::process::{Said, frontdoor, run};

const SMTP: &str = "smtps://mailer:hush@mail.example.org";
const SETTINGS: &str = "etc/frontdoor/frontdoor.env";

/// On a machine of the test's, with these flags beside.
pub fn setup(machine: &Path, flags: &[&str]) -> Said {
    let mut command = frontdoor(&["setup", "--domain", "www.shop.example"]);
    command.env("FRONTDOOR_SMTP_URL", SMTP);
    run(command.arg("--root").arg(machine).args(flags))
}

/// None for whoever may not make users and owners.
pub fn machine_of_root() -> Option<Database> {
    geteuid().is_root().then(Database::sqlite)
}

/// Every file with its content.
fn files(machine: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![machine.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(machine).unwrap().display().to_string();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

pub fn settings(machine: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(machine.join(SETTINGS)).unwrap();
    let set = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = set.filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn a_dry_run_shows_every_step_and_file_and_does_nothing() {
    let machine = Database::sqlite();
    let said = setup(machine.folder(), &["--dry-run"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for words in [
        "write /usr/local/bin/frontdoor (0755)",
        "write /etc/systemd/system/frontdoor.service (0644)",
        "write /etc/systemd/system/frontdoor.socket (0644)",
        "write /etc/frontdoor/frontdoor.env (0640)",
        "    FRONTDOOR_SMTP_URL=smtp",
        "    FRONTDOOR_BACKUP_DIR=/var/backups/frontdoor",
        "write /etc/caddy/Caddyfile (0644)",
        "run systemd-sysusers",
        "run systemd-tmpfiles",
        "shop.example.  A ",
        "_dmarc.",
        "v=spf1",
        "_domainkey.",
        "ufw allow 443/tcp",
        // Caddy's package would ask on a terminal, and fail without one.
        "--force-confold caddy",
        "frontdoor check --live",
    ] {
        assert!(said.out.contains(words), "{words} is not in {}", said.out);
    }
    assert!(!said.out.contains("hush"), "a password is shown");
    assert!(machine.files().is_empty(), "{:?}", machine.files());
}

#[test]
fn it_makes_user_folders_settings_units_and_proxy_and_once_more_changes_nothing() {
    let Some(machine) = machine_of_root() else {
        return setup(Path::new("/nowhere"), &[]).complains("as root");
    };
    let machine = machine.folder();
    let first = setup(machine, &[]);
    assert_eq!(first.code, 0, "{}", first.err);
    let users = fs::read_to_string(machine.join("etc/passwd")).unwrap();
    let user = users
        .lines()
        .find(|line| line.starts_with("frontdoor:"))
        .unwrap();
    let id: u32 = user.split(':').nth(2).unwrap().parse().unwrap();
    for (path, mode, owner) in [
        (SETTINGS, 0o640, 0),
        ("etc/frontdoor", 0o750, 0),
        ("var/lib/frontdoor", 0o750, id),
        ("var/backups/frontdoor", 0o700, id),
        ("usr/local/bin/frontdoor", 0o755, 0),
    ] {
        let facts = fs::metadata(machine.join(path)).unwrap();
        let is = (facts.permissions().mode() & 0o7777, facts.uid());
        assert_eq!(is, (mode, owner), "{path}");
    }
    let unit = fs::read_to_string(machine.join("etc/systemd/system/frontdoor.service")).unwrap();
    assert!(
        unit.contains("ExecStart=/usr/local/bin/frontdoor serve"),
        "{unit}"
    );

    let before = files(machine);
    let again = setup(machine, &[]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(
        !again.out.contains("written") && !again.out.contains("kept"),
        "{}",
        again.out
    );
    assert_eq!(files(machine), before);
}

#[test]
fn the_settings_file_has_every_setting_and_the_program_takes_it() {
    let Some(machine) = machine_of_root() else {
        return;
    };
    let machine = machine.folder();
    setup(
        machine,
        &["--webhook-url", "https://hooks.example.org/secret"],
    );
    let set = settings(machine);
    let names: Vec<_> = set.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "FRONTDOOR_TRUSTED_PROXIES",
        "DATABASE_URL",
        "FRONTDOOR_BACKUP_DIR",
        "FRONTDOOR_WEBHOOK_URL",
        "FRONTDOOR_SMTP_URL",
    ];
    assert_eq!(names, expected);
    let text = fs::read_to_string(machine.join(SETTINGS)).unwrap();
    let help = run(&mut frontdoor(&["serve", "--help"])).out;
    let variables = help.split("[env: ").skip(1);
    let variables = variables.map(|rest| rest.split(['=', ']']).next().unwrap());
    // Which file it is cannot stand in the file.
    for variable in variables.filter(|name| *name != "FRONTDOOR_SETTINGS") {
        let line = |line: &str| {
            let line = line.strip_prefix('#').unwrap_or(line);
            line.split('=').next() == Some(variable)
        };
        assert!(text.lines().any(line), "{variable} is missing");
    }
    let file = machine.join(SETTINGS);
    let checked = run(frontdoor(&["check"]).env("FRONTDOOR_SETTINGS", file));
    assert!(
        checked.out.contains("✓ settings"),
        "{} {}",
        checked.out,
        checked.err
    );
}

#[test]
fn the_proxies_take_what_is_written_for_them() {
    let Some(machine) = machine_of_root() else {
        return;
    };
    let machine = machine.folder();
    setup(machine, &["--proxy", "nginx"]);
    let site = fs::read_to_string(machine.join("etc/nginx/conf.d/frontdoor.conf")).unwrap();
    let names = vec!["www.shop.example".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let keys = "/etc/letsencrypt/live/www.shop.example";
    fs::write(machine.join("fullchain.pem"), made.cert.pem()).unwrap();
    fs::write(
        machine.join("privkey.pem"),
        made.signing_key.serialize_pem(),
    )
    .unwrap();
    takes(&site.replace(keys, machine.to_str().unwrap()));

    setup(machine, &["--proxy", "caddy"]);
    let config = machine.join("etc/caddy/Caddyfile");
    let mut caddy = Command::new("caddy");
    passes(
        caddy
            .args(["adapt", "--adapter", "caddyfile", "--config"])
            .arg(config),
    );
}

/// On a bare machine nginx cannot be installed before it: its package starts it.
#[test]
fn the_certificate_comes_before_the_nginx_that_needs_it() {
    let machine = Database::sqlite();
    let last_step = |step: &str| {
        let said = setup(machine.folder(), &["--dry-run", "--proxy", "nginx"]);
        let advice = said.out.split("In front of it:").nth(1).unwrap();
        let lines: Vec<_> = advice.lines().map(str::trim).skip(1).take(4).collect();
        assert_eq!(lines[0], "apt-get install certbot");
        assert!(lines[1].starts_with("certbot certonly "), "{lines:?}");
        assert_eq!(lines[2..], [step, ""]);
    };
    last_step("apt-get install nginx");
    fs::create_dir_all(machine.path("usr/sbin")).unwrap();
    fs::write(machine.path("usr/sbin/nginx"), "").unwrap();
    last_step("nginx -t && systemctl reload nginx");
}

#[test]
fn a_wrong_answer_is_one_line_and_nothing_is_written() {
    for (flags, words) in [
        (&["--domain", "https://shop.example"][..], "--domain"),
        (
            &["--domain", "a.example", "--smtp-url", "mail"],
            "FRONTDOOR_SMTP_URL",
        ),
        (
            &["--domain", "a.example", "--webhook-url", "x y"],
            "FRONTDOOR_WEBHOOK_URL",
        ),
        (&[], "add --domain"),
    ] {
        let machine = Database::sqlite();
        let mut command = frontdoor(&["setup", "--root"]);
        let said = run(command.arg(machine.folder()).args(flags));
        assert_eq!(said.code, 2, "{flags:?}");
        said.complains(words);
        assert!(machine.files().is_empty(), "{flags:?}");
    }
}
