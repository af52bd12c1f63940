//! `frontdoor setup` beside a proxy that its own package has brought, with an
//! example where the site belongs.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;

use super::passes;
use super::setup::setup;
use crate::support::database::Database;

const CONFIG: &str = "etc/caddy/Caddyfile";
const CONTROL: &str = "\
Package: caddy
Version: 1
Architecture: all
Maintainer: A test <test@example.com>
Description: a proxy with an example
";

/// By dpkg itself, into a machine that is a folder.
fn install_caddy(machine: &Path) {
    let package = Database::sqlite();
    for (path, text) in [
        ("DEBIAN/control", CONTROL),
        ("DEBIAN/conffiles", "/etc/caddy/Caddyfile\n"),
        (CONFIG, "the example\n"),
        ("usr/bin/caddy", ""),
    ] {
        let path = package.path("package").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let file = package.path("caddy.deb");
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group", "--build"]);
    passes(build.arg(package.path("package")).arg(&file));
    for folder in ["info", "updates"] {
        fs::create_dir_all(machine.join("var/lib/dpkg").join(folder)).unwrap();
    }
    fs::write(machine.join("var/lib/dpkg/status"), "").unwrap();
    let mut install = Command::new("dpkg");
    passes(
        install
            .arg("--root")
            .arg(machine)
            .arg("--install")
            .arg(file),
    );
}

#[test]
fn the_example_is_replaced_and_what_the_owner_wrote_is_not() {
    if !geteuid().is_root() {
        return;
    }
    let machine = Database::sqlite();
    let machine = machine.folder();
    let config = machine.join(CONFIG);
    install_caddy(machine);
    let said = setup(machine, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    let line = "written    /etc/caddy/Caddyfile, over the example of caddy";
    assert!(said.out.contains(line), "{}", said.out);
    // It is installed: to be reloaded, no more.
    let advice = said.out.split("In front of it:").nth(1).unwrap();
    assert!(advice.starts_with("\n  systemctl reload caddy"), "{advice}");
    let written = fs::read_to_string(&config).unwrap();
    assert!(written.contains("www.shop.example {"), "{written}");

    fs::write(&config, "mine").unwrap();
    let said = setup(machine, &[]);
    said.shows("kept       /etc/caddy/Caddyfile; the new one is /etc/caddy/Caddyfile.new");
    assert_eq!(fs::read_to_string(&config).unwrap(), "mine");
    let new = fs::read_to_string(config.with_extension("new")).unwrap();
    assert!(new == written && !new.contains("example.com"), "{new}");
}
