//! The files of a SQLite database: whose they are, and how much room is left.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::verdict::{Verdict, bad, good, unsure};
use crate::cli::owner;
use crate::config::Settings;
use crate::store::DatabaseUrl;

/// Less, and soon no lead can be stored.
const LEAST_ROOM: u64 = 100 << 20;
/// Less, and an upgrade or a restore, which need a copy, may fail.
const ENOUGH_ROOM: u64 = 1 << 30;

/// Nothing to say of a database that is a server.
pub fn look(settings: &Settings) -> Vec<Verdict> {
    let DatabaseUrl::Sqlite(file) = &settings.database else {
        return Vec::new();
    };
    let mut verdicts = owners(file);
    let backups = settings
        .backup
        .as_ref()
        .map(|backup| backup.folder.as_path());
    let folders = [Some(folder_of(file)), backups];
    verdicts.extend(folders.into_iter().flatten().filter_map(room));
    if file.is_relative() {
        verdicts.push(unsure(
            "database path",
            format!(
                "{} depends on the folder a command is started in",
                file.display()
            ),
            "write it from the root on: DATABASE_URL=sqlite:///var/lib/frontdoor/frontdoor.db",
        ));
    }
    verdicts
}

/// All are the same user's, or the service cannot write.
fn owners(file: &Path) -> Vec<Verdict> {
    let Some(service) = owner::of(file).filter(|_| file.exists()) else {
        // That it is missing is told by whoever opens it.
        return Vec::new();
    };
    let side = |ending: &str| {
        let mut name = OsString::from(file);
        name.push(ending);
        PathBuf::from(name)
    };
    let files = [
        folder_of(file).to_owned(),
        file.to_owned(),
        side("-wal"),
        side("-shm"),
    ];
    let strange = |path: &PathBuf| {
        let other = path
            .metadata()
            .ok()
            .filter(|other| other.uid() != service.uid())?;
        Some(foreign(path, &other, &service))
    };
    let foreign_files: Vec<_> = files.iter().filter_map(strange).collect();
    match foreign_files.is_empty() {
        true => vec![good(
            "database owner",
            format!("its files and folder belong to user {}", service.uid()),
        )],
        false => foreign_files,
    }
}

fn foreign(path: &Path, other: &Metadata, service: &Metadata) -> Verdict {
    let (path, (user, group)) = (path.display(), (service.uid(), service.gid()));
    bad(
        "database owner",
        format!(
            "{path} belongs to user {}, the rest to user {user}: the service cannot write",
            other.uid()
        ),
        format!("chown {user}:{group} {path}, then systemctl restart frontdoor"),
    )
}

fn room(folder: &Path) -> Option<Verdict> {
    let system = rustix::fs::statvfs(folder).ok()?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let (shown, megabytes) = (folder.display(), free >> 20);
    let what = format!("{megabytes} MiB are left in {shown}");
    Some(match free {
        0..LEAST_ROOM => bad("disk", what, "make room: soon nothing can be stored"),
        LEAST_ROOM..ENOUGH_ROOM => unsure(
            "disk",
            what,
            "make room: an upgrade and a restore need space for a copy of the database",
        ),
        _ => good("disk", what),
    })
}

fn folder_of(file: &Path) -> &Path {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
