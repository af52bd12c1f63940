//! `make publish SERVER=…`: the release goes to a server and is published there.
//! The server is this machine, behind stand-ins for ssh, scp and sudo.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::support::{CommandOutput, Database, Draft, copy_environment, frontdoor, run};

const PROGRAMS: [(&str, &str); 3] = [
    (
        "ssh",
        "while [ \"$1\" != -- ]; do shift; done; shift 2; exec sh -c \"$*\"",
    ),
    (
        "scp",
        "while [ \"$1\" != -- ]; do shift; done; exec cp \"$2\" \"${3#user@host:}\"",
    ),
    ("sudo", "exec \"$@\""),
];

/// A database of somebody else's, as that of the service is for root.
async fn database() -> Database {
    let database = Database::sqlite();
    database.create().await.close().await.unwrap();
    if geteuid().is_root() {
        for path in [vec![database.folder().to_owned()], database.files()].concat() {
            chown(path, Some(65534), None).unwrap();
        }
    }
    database
}

/// Publishes `release` from a copy of what the script needs; `there` is the server's folder
/// for temporary files.
fn publish(release: &Path, database: &Database, there: &Path) -> CommandOutput {
    let here = TempDir::new().unwrap();
    let path = |name: &str| here.path().join(name);
    for folder in ["scripts", "web/dist", "bin"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/publish-to");
    fs::copy(script, path("scripts/publish-to")).unwrap();
    fs::copy(release, path("web/dist/site.pack")).unwrap();
    for (name, text) in PROGRAMS {
        let program = path("bin").join(name);
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ours = Path::new(env!("CARGO_BIN_EXE_frontdoor")).parent().unwrap();
    let usual = std::env::var("PATH").unwrap();
    let programs = format!("{}:{}:{usual}", path("bin").display(), ours.display());
    let mut command = Command::new(path("scripts/publish-to"));
    copy_environment(&frontdoor(&[]), &mut command);
    run(command
        .arg("user@host")
        .env("PATH", programs)
        .env("DATABASE_URL", database.url())
        .env("TMPDIR", there))
}

#[tokio::test]
async fn a_release_is_published_on_a_server_or_refused_there_and_leaves_no_file() {
    let (database, there) = (database().await, TempDir::new().unwrap());
    let drafts = Database::sqlite();
    let release = drafts.path("bad.pack");
    fs::write(&release, "no release").unwrap();
    let refused = publish(&release, &database, there.path());
    refused.fails_with(1, "isn't published");
    let release = Draft::named("blue").write(&drafts, "site.pack");
    let output = publish(&release, &database, there.path()).succeeds();
    output.stdout_contains("Release 1 is published");
    let mut left = fs::read_dir(there.path()).unwrap();
    assert!(left.next().is_none());
}
