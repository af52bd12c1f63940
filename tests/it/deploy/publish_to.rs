//! `make publish SERVER=…`: the release goes to a server and is published there.
//! The server is this machine, behind stand-ins for ssh, scp and sudo.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::support::database::Database;
use crate::support::process::{Said, frontdoor, in_the_world_of, run};
use crate::support::release::Draft;

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
fn publish(release: &Path, database: &Database, there: &Path) -> Said {
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
    let programs = [
        path("bin").display().to_string(),
        ours.display().to_string(),
    ];
    let programs = [&programs[..], &[std::env::var("PATH").unwrap()]].concat();
    let mut command = Command::new(path("scripts/publish-to"));
    in_the_world_of(&frontdoor(&[]), &mut command);
    run(command
        .arg("user@host")
        .env("PATH", programs.join(":"))
        .env("DATABASE_URL", database.url())
        .env("TMPDIR", there))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[tokio::test]
async fn a_release_is_published_on_a_server_and_no_file_of_it_is_left_there() {
    let (database, there, drafts) = (
        database().await,
        TempDir::new().unwrap(),
        Database::sqlite(),
    );
    let release = Draft::named("blue").write(&drafts, "site.pack");
    let said = publish(&release, &database, there.path());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.starts_with("Release 1 is published"),
        "{}",
        said.out
    );
    assert!(is_empty(there.path()));
}

#[tokio::test]
async fn a_release_that_the_server_refuses_is_a_failure_and_leaves_no_file_there() {
    let (database, there, drafts) = (
        database().await,
        TempDir::new().unwrap(),
        Database::sqlite(),
    );
    let release = drafts.path("site.pack");
    fs::write(&release, "no release").unwrap();
    let said = publish(&release, &database, there.path());
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    assert!(said.err.contains("is not published"), "{}", said.err);
    assert!(is_empty(there.path()));
}
