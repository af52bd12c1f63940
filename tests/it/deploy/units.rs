//! The units, as systemd itself judges them.

use std::process::Command;

use super::{passes, text};
use crate::support::database::Database;

const UNITS: [&str; 2] = ["frontdoor.service", "frontdoor.socket"];
/// In tenths; 10.0 is a service that may do everything.
const MOST_EXPOSURE: &str = "--threshold=20";

/// The units in a folder of their own, for a program that is there.
fn units() -> Database {
    let folder = Database::sqlite();
    for unit in UNITS {
        let program = env!("CARGO_BIN_EXE_frontdoor");
        let unit_text = text(unit).replace("/usr/bin/frontdoor", program);
        std::fs::write(folder.path(unit), unit_text).unwrap();
    }
    folder
}

fn analyze(arguments: &[&str], folder: &Database) -> Command {
    let mut command = Command::new("systemd-analyze");
    command.args(arguments).current_dir(folder.folder());
    command
}

#[test]
fn systemd_finds_nothing_wrong_with_them() {
    let folder = units();
    let verify = [&["verify", "--man=no"], &UNITS[..]].concat();
    let output = analyze(&verify, &folder).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    // It warns about other units of the machine, too.
    assert!(!said.contains("frontdoor"), "{said}");
}

#[test]
fn the_service_may_do_little() {
    let folder = units();
    let security = ["security", "--offline=true", MOST_EXPOSURE, UNITS[0]];
    passes(&mut analyze(&security, &folder));
}
