//! `frontdoor setup` on a machine that is an empty folder: what it writes, what it asks whoever
//! sits at the terminal, and what it leaves alone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use super::passes;
use crate::support::{
    CommandOutput, Database, END, Terminal, assert_nginx_accepts, frontdoor, is_root, run,
};

const SMTP: &str = "smtps://mailer:hush@mail.example.org";
const SETTINGS: &str = "etc/frontdoor/frontdoor.env";

fn setup(machine: &Path, flags: &[&str]) -> CommandOutput {
    let mut command = frontdoor(&["setup", "--domain", "www.shop.example"]);
    command.args(["--desk", "desk.shop.example"]);
    command.env_remove("FRONTDOOR_DESK_LISTEN");
    command.env("FRONTDOOR_SMTP_URL", SMTP);
    command.env("FRONTDOOR_WEBHOOK_URL", "https://hooks.example.org/secret");
    run(command.arg("--root").arg(machine).args(flags))
}

/// `None` without root's rights to create users and change owners.
fn machine_if_root() -> Option<Database> {
    is_root("make users and owners").then(Database::sqlite)
}

fn settings(machine: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(machine.join(SETTINGS)).unwrap();
    let set = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = set.filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn a_dry_run_shows_every_step_and_file_in_order_and_does_nothing() {
    let machine = Database::sqlite();
    let output = setup(machine.folder(), &["--dry-run"]).succeeds();
    output.stdout_has(&[
        "write /usr/local/bin/frontdoor (0755)",
        "write /etc/systemd/system/frontdoor.service (0644)",
        "write /etc/systemd/system/frontdoor.socket (0644)",
        "write /etc/frontdoor/frontdoor.env (0640)",
        "write /etc/caddy/Caddyfile (0644)",
        "run systemd-sysusers",
        "run systemd-tmpfiles",
        "shop.example.  A ",
        "desk.shop.example.  A ",
        "ufw allow 443/tcp",
        // Caddy's package would ask on a terminal, and fail without one.
        "--force-confold caddy",
        "frontdoor check --live",
    ]);
    assert!(!output.stdout.contains("hush"), "a password is shown");
    // On a bare machine nginx can't be installed before its certificate: its package starts it.
    let output = setup(machine.folder(), &["--dry-run", "--proxy", "nginx"]);
    let advice = output.stdout.split("In front of it:").nth(1).unwrap();
    let lines: Vec<_> = advice.lines().map(str::trim).skip(1).take(4).collect();
    assert!(lines[1].starts_with("certbot certonly "), "{lines:?}");
    assert!(
        lines[1].ends_with(" -d shop.example -d desk.shop.example"),
        "{lines:?}"
    );
    let [first, _, others @ ..] = &lines[..] else {
        panic!("{advice}");
    };
    assert_eq!(*first, "apt-get install certbot");
    assert_eq!(others, ["apt-get install nginx", ""]);
    assert!(machine.files().is_empty(), "{:?}", machine.files());
}

#[test]
fn it_makes_user_folders_settings_units_and_proxy_and_once_more_changes_nothing() {
    let Some(machine) = machine_if_root() else {
        return setup(Path::new("/nowhere"), &[]).stderr_contains("as root");
    };
    let machine = machine.folder();
    setup(machine, &[]).succeeds();
    let users = fs::read_to_string(machine.join("etc/passwd")).unwrap();
    let mut users = users.lines();
    let user = users.find(|line| line.starts_with("frontdoor:")).unwrap();
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
    let start = "ExecStart=/usr/local/bin/frontdoor serve";
    assert!(unit.contains(start), "{unit}");
    assert_settings(machine);

    let again = setup(machine, &[]).succeeds();
    let is_changed = again.stdout.contains("written") || again.stdout.contains("kept");
    assert!(!is_changed, "{}", again.stdout);
    let mut caddy = Command::new("caddy");
    caddy.args(["adapt", "--adapter", "caddyfile", "--config"]);
    passes(caddy.arg(machine.join("etc/caddy/Caddyfile")));
    let proxy = fs::read_to_string(machine.join("etc/caddy/Caddyfile")).unwrap();
    let desk = "desk.shop.example {\n\treverse_proxy 127.0.0.1:8081";
    assert!(proxy.contains(desk), "{proxy}");

    setup(machine, &["--proxy", "nginx"]);
    let site = fs::read_to_string(machine.join("etc/nginx/conf.d/frontdoor.conf")).unwrap();
    let keys = "/etc/letsencrypt/live/www.shop.example";
    let [certificate, key] = ["fullchain", "privkey"].map(|name| format!("{keys}/{name}.pem"));
    assert_nginx_accepts(&site, &certificate, &key);
}

/// What is set stands in the settings file, and the program takes it.
fn assert_settings(machine: &Path) {
    let set = settings(machine);
    let names: Vec<_> = set.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "FRONTDOOR_TRUSTED_PROXIES",
        "FRONTDOOR_DESK_URL",
        "DATABASE_URL",
        "FRONTDOOR_BACKUP_DIR",
        "FRONTDOOR_WEBHOOK_URL",
        "FRONTDOOR_SMTP_URL",
    ];
    assert_eq!(names, expected);
    let file = machine.join(SETTINGS);
    run(frontdoor(&["check"]).env("FRONTDOOR_SETTINGS", file)).stdout_contains("✓ settings");
}

#[test]
fn a_wrong_answer_is_one_line_and_nothing_is_written() {
    let machine = Database::sqlite();
    for (domain, setting, words) in [
        ("https://shop.example", "FRONTDOOR_SMTP_URL", "--domain"),
        ("a.example", "FRONTDOOR_SMTP_URL", "FRONTDOOR_SMTP_URL"),
        ("a.example", "FRONTDOOR_RATE_LIMIT", "FRONTDOOR_RATE_LIMIT"),
    ] {
        let mut command = frontdoor(&["setup", "--domain", domain, "--root"]);
        run(command.arg(machine.folder()).env(setting, "mail")).fails_with(2, words);
    }
    run(frontdoor(&["setup", "--root"]).arg(machine.folder())).fails_with(2, "add --domain");
    for desk in ["https://desk.a.example", "www.a.example"] {
        let mut command = frontdoor(&["setup", "--domain", "a.example", "--desk", desk, "--root"]);
        run(command.arg(machine.folder())).fails_with(2, "--desk");
    }
    assert!(machine.files().is_empty());
}

const DOMAIN: &str = "Name of the site, like www.example.com: ";
const DESK: &str = "Name of your desk, like desk.example.com (empty: only on this machine): ";
const MAIL: &str = "Mail server, smtps://USER@HOST (empty: no mail): ";
const NOTIFY: &str = "Who is notified of new leads (empty: the site's address): ";
const PASSWORD: &str = "Its password (not shown while you type): ";

#[test]
fn at_a_terminal_it_asks_for_name_mail_server_and_addressees_and_hides_the_password() {
    let Some(machine) = machine_if_root() else {
        return;
    };
    let mut command = frontdoor(&["setup", "--domain", "www.shop.example", "--root"]);
    let mut terminal = Terminal::open(command.arg(machine.folder()));
    terminal.answer(DESK, "\n");
    let said = terminal.answer(MAIL, END);
    assert!(!said.contains(DOMAIN), "it is known: {said}");
    let (said, code) = terminal.end();
    assert!(code == 1 && said.contains("nothing was set up"), "{said}");

    let (secrets, mut command) = (Database::sqlite(), frontdoor(&["setup", "--root"]));
    let secret = secrets.path("cal");
    fs::write(&secret, "long enough to sign with").unwrap();
    command.env("FRONTDOOR_CAL_SECRET_FILE", &secret);
    let mut terminal = Terminal::open(command.arg(machine.folder()));
    terminal.answer(DOMAIN, "  www.shop.example \n");
    terminal.answer(DESK, " desk.shop.example\n");
    terminal.answer(MAIL, "smtps://mailer@mail.example.org\n");
    assert!(machine.files().is_empty(), "nothing is written before");
    terminal.answer(PASSWORD, " h@sh:50%\n");
    terminal.answer(NOTIFY, "\"Doe, Jo\" <jo@shop.example>\n");
    let (said, code) = terminal.end();
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("h@sh"), "the password is shown: {said}");
    assert!(said.contains("www.shop.example.  A "), "{said}");
    let set: BTreeMap<_, _> = settings(machine.folder()).into_iter().collect();
    let url = "smtps://mailer:%20h%40sh%3A50%25@mail.example.org";
    assert_eq!(set["FRONTDOOR_SMTP_URL"], url);
    assert_eq!(set["FRONTDOOR_DESK_URL"], "https://desk.shop.example");
    let notified = "'\"Doe, Jo\" <jo@shop.example>'";
    assert_eq!(set["FRONTDOOR_NOTIFY_EMAIL"], notified);
    assert_eq!(set["FRONTDOOR_CAL_SECRET_FILE"], secret.to_str().unwrap());
    let file = machine.folder().join(SETTINGS);
    run(frontdoor(&["check"]).env("FRONTDOOR_SETTINGS", file)).stdout_contains("✓ settings");
    assert!(!set.contains_key("FRONTDOOR_WEBHOOK_URL"));
}

const CONFIG: &str = "etc/caddy/Caddyfile";
const STATUS: &str = "\
Package: caddy
Status: install ok installed
Version: 1
Architecture: all
Maintainer: A test <test@example.com>
Description: a proxy with an example
Conffiles:
 /etc/caddy/Caddyfile f5c4e467b1345d3c6aa4abb99dd4732c
";

/// As dpkg leaves it.
fn install_caddy(machine: &Path) {
    for (path, text) in [
        (CONFIG, "the example\n"),
        ("usr/bin/caddy", ""),
        ("var/lib/dpkg/status", STATUS),
        ("var/lib/dpkg/info/caddy.list", "/etc/caddy/Caddyfile\n"),
        ("var/lib/dpkg/updates/none", ""),
    ] {
        let path = machine.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_proxys_default_configuration_is_replaced_but_not_the_owners_own() {
    let Some(machine) = machine_if_root() else {
        return;
    };
    let machine = machine.folder();
    let config = machine.join(CONFIG);
    install_caddy(machine);
    let output = setup(machine, &[]).succeeds();
    output.stdout_contains("written    /etc/caddy/Caddyfile, over the example of caddy");
    // It is installed: to be reloaded, no more.
    let advice = output.stdout.split("In front of it:").nth(1).unwrap();
    assert!(advice.starts_with("\n  systemctl reload caddy"), "{advice}");
    let written = fs::read_to_string(&config).unwrap();
    assert!(written.contains("www.shop.example {"), "{written}");

    fs::write(&config, "mine").unwrap();
    let output = setup(machine, &[]);
    output.stdout_contains(
        "kept       /etc/caddy/Caddyfile; the new one is /etc/caddy/Caddyfile.new",
    );
    assert_eq!(fs::read_to_string(&config).unwrap(), "mine");
    let new = fs::read_to_string(config.with_extension("new")).unwrap();
    assert!(new == written && !new.contains("example.com"), "{new}");
}
