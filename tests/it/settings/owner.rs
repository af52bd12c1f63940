//! Root's commands leave files as the service needs them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Folder;
use crate::support::{Process, copy_environment, is_root, post_lead, serve};

/// Whoever the service is.
const SERVICE: u32 = 65534;

/// A folder of the service's, with a settings file that root alone may read; `None` without
/// root's rights.
fn service() -> Option<Folder> {
    if !is_root("work as somebody else") {
        return None;
    }
    let folder = Folder::with("");
    let data = folder.path("data");
    fs::create_dir(&data).unwrap();
    give_to_service(&data);
    fs::set_permissions(folder.path("."), Permissions::from_mode(0o755)).unwrap();
    let settings = format!("DATABASE_URL=sqlite://{}/site.db\n", data.display());
    folder.write("frontdoor.env", &settings);
    Some(folder)
}

fn give_to_service(path: &Path) {
    chown(path, Some(SERVICE), Some(SERVICE)).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[track_caller]
fn assert_owned_by_service(folder: &Folder) {
    for file in files(&folder.path("data")) {
        let facts = fs::metadata(&file).unwrap();
        assert_eq!((facts.uid(), facts.gid()), (SERVICE, SERVICE), "{file:?}");
    }
}

#[test]
fn files_that_a_command_run_by_root_leaves_belong_to_the_service() {
    let Some(folder) = service() else { return };
    let data = folder.path("data");
    let copy = data.join("copy.db");
    let copy = copy.to_str().unwrap();
    let run = |arguments: &[&str]| {
        folder.run(arguments).succeeds();
        assert_owned_by_service(&folder);
    };
    run(&["migrate"]);
    run(&["backup", copy]);
    run(&["restore", copy, "--yes"]);
    run(&["prune"]);
    let moved = format!("sqlite://{}/moved/other.db", data.display());
    let from = format!("sqlite://{}/site.db", data.display());
    run(&["move", "--from", &from, "--to", &moved]);
    let moved = fs::metadata(data.join("moved/other.db")).unwrap();
    assert_eq!(moved.uid(), SERVICE);
    assert_eq!(files(&data).len(), 4, "site, copy, what was before, moved");

    // What the owner of the database may not use is refused with the reason.
    fs::create_dir(folder.path("of-root")).unwrap();
    let copy = folder.path("of-root/copy.db");
    let output = folder.run(&["backup", copy.to_str().unwrap()]);
    output.fails_with(1, &format!("as user {SERVICE}, who owns the database"));
    assert!(!copy.exists());
    // By `sudo frontdoor serve`, or a copy put back by hand: the service could not use it either.
    chown(folder.path("data/site.db"), Some(0), Some(0)).unwrap();
    let output = folder.run(&["leads", "list"]);
    output.fails_with(
        1,
        &format!("to make the file readable: chown {SERVICE} FILE"),
    );
}

/// While a server runs as that user; a third user has no rights to it.
#[test]
fn a_command_run_beside_the_server_keeps_its_journal_usable_and_other_users_are_told_who_owns_it() {
    let Some(folder) = service() else { return };
    // Where other users can reach it, which the build's own folder need not be, and where programs
    // may be run, which need not be so where the database is.
    let reachable = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(reachable.path(), Permissions::from_mode(0o755)).unwrap();
    let program = reachable.path().join("frontdoor");
    fs::copy(env!("CARGO_BIN_EXE_frontdoor"), &program).unwrap();
    let url = format!("sqlite://{}/site.db", folder.path("data").display());
    folder.run(&["migrate"]).succeeds();
    let of_a_third = Command::new(&program)
        .args(["leads", "list"])
        .env("DATABASE_URL", &url)
        .uid(SERVICE - 1)
        .output();
    let said = String::from_utf8(of_a_third.unwrap().stderr).unwrap();
    for word in [
        format!("user {SERVICE} with rights"),
        format!("as user {}", SERVICE - 1),
    ] {
        assert!(said.contains(&word), "{said}");
    }
    let ordinary = serve(&url);
    let mut command = Command::new(&program);
    command.args(ordinary.get_args()).uid(SERVICE).gid(SERVICE);
    copy_environment(&ordinary, &mut command);
    command.stdout(Stdio::piped());
    let server = Process::spawn(command, &[]);
    post_lead(server.address, &[]);
    for command in [
        &["leads", "list"][..],
        &["deliveries", "retry", "--all"],
        &["check"],
    ] {
        folder.run(command).succeeds();
        assert_owned_by_service(&folder);
    }
    post_lead(server.address, &[("message", "Once more")]);
    assert!(server.terminate().1.success());
    assert_owned_by_service(&folder);
}
