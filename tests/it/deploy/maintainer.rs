//! The package's scripts, run as dpkg runs them, on a machine whose systemd only
//! writes down what it is told.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::{passes, text};
use crate::support::Database;

/// Takes every call, and knows whether the socket is active.
const TOOL: &str = r#"#!/bin/sh
[ "$*" = "--quiet is-active frontdoor.socket" ] && exec test -e "$MACHINE/active"
echo "${0##*/} $*" >>"$MACHINE/calls"
"#;

/// Its folder `run` stands for `/run`.
struct Machine(Database);

impl Machine {
    /// While the site runs.
    fn new() -> Self {
        let machine = Self(Database::sqlite());
        fs::create_dir_all(machine.0.path("run/systemd/system")).unwrap();
        fs::create_dir(machine.0.path("tools")).unwrap();
        for tool in [
            "deb-systemd-helper",
            "deb-systemd-invoke",
            "systemctl",
            "systemd-sysusers",
            "systemd-tmpfiles",
        ] {
            let path = machine.0.path("tools").join(tool);
            fs::write(&path, TOOL).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
        machine.socket_is_active(true);
        machine
    }

    fn socket_is_active(&self, active: bool) {
        let path = self.0.path("active");
        match active {
            true => fs::write(path, "").unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }

    /// What the script told systemd.
    #[track_caller]
    fn runs(&self, script: &str, arguments: &[&str]) -> String {
        let run = self.0.path("run").display().to_string();
        let body = text(&format!("debian/{script}")).replace("/run/", &format!("{run}/"));
        let path = std::env::var("PATH").unwrap();
        let tools = self.0.path("tools").display().to_string();
        let mut command = Command::new("sh");
        command.args(["-c", &body, script]).args(arguments);
        command.env("PATH", format!("{tools}:{path}"));
        passes(command.env("MACHINE", self.0.folder()));
        let calls = self.0.path("calls");
        let told = fs::read_to_string(&calls).unwrap_or_default();
        let _ = fs::remove_file(calls);
        told
    }
}

const START: &str = "deb-systemd-invoke start frontdoor.socket\n\
    deb-systemd-invoke restart frontdoor.service\n";

#[test]
fn an_installation_makes_user_and_folders_and_starts_and_an_upgrade_restarts_unless_stopped() {
    let machine = Machine::new();
    let made = "systemd-sysusers frontdoor.conf\nsystemd-tmpfiles --create frontdoor.conf\n";
    let told = machine.runs("postinst", &["configure", ""]);
    assert!(told.starts_with(made) && told.ends_with(START), "{told}");
    assert_eq!(machine.runs("prerm", &["upgrade", "0.2.0-1"]), "");
    assert_eq!(machine.runs("postrm", &["upgrade", "0.2.0-1"]), "");
    let told = machine.runs("postinst", &["configure", "0.1.0-1"]);
    assert!(told.ends_with(START), "{told}");

    // Stopped by the owner: a database may be put back before the next start.
    machine.socket_is_active(false);
    machine.runs("prerm", &["upgrade", "0.2.0-1"]);
    let told = machine.runs("postinst", &["configure", "0.1.0-1"]);
    assert!(told.contains("systemctl --system daemon-reload"), "{told}");
    assert!(!told.contains("deb-systemd-invoke"), "{told}");

    // An upgrade that was cut off, and is started again while the site runs.
    machine.runs("prerm", &["upgrade", "0.3.0-1"]);
    machine.socket_is_active(true);
    machine.runs("prerm", &["upgrade", "0.3.0-1"]);
    let told = machine.runs("postinst", &["configure", "0.2.0-1"]);
    assert!(told.ends_with(START), "{told}");
}

#[test]
fn a_removal_stops_both_and_a_purge_forgets_the_units_if_there_is_systemd() {
    let machine = Machine::new();
    for (script, argument, told) in [
        (
            "prerm",
            "remove",
            "deb-systemd-invoke stop frontdoor.service frontdoor.socket\n",
        ),
        ("postrm", "remove", "systemctl --system daemon-reload\n"),
        (
            "postrm",
            "purge",
            "deb-systemd-helper purge frontdoor.socket frontdoor.service\n",
        ),
    ] {
        assert_eq!(machine.runs(script, &[argument]), told);
    }

    // Without systemd, as in an image that is being made.
    fs::remove_dir(machine.0.path("run/systemd/system")).unwrap();
    for (script, arguments) in [
        ("prerm", &["upgrade", "0.2.0-1"][..]),
        ("postinst", &["configure", "0.1.0-1"]),
        ("prerm", &["remove"]),
        ("postrm", &["remove"]),
    ] {
        let told = machine.runs(script, arguments);
        let acts = told.contains("systemctl") || told.contains("deb-systemd-invoke");
        assert!(!acts, "{script}: {told}");
    }
}
