//! The service runs as the owner of the database's files, and root's commands work as
//! that user: a journal, backup or restored file of root's own could not be opened by
//! the service.
//!
//! Files that only root may read (settings, secrets) have been read before.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Error, Result, anyhow};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::config::DatabaseArgs;
use crate::store::DatabaseUrl;

/// The database of the settings, as its owner from here on.
pub fn database(args: &DatabaseArgs) -> Result<DatabaseUrl> {
    let url = DatabaseUrl::from(args.load()?);
    become_owner(&url)?;
    Ok(url)
}

/// For root, and for a database that is a file of somebody else's. There must be
/// no other thread yet: users are a thread's own, and new ones inherit.
pub fn become_owner(url: &DatabaseUrl) -> Result<()> {
    let DatabaseUrl::Sqlite(file) = url else {
        return Ok(());
    };
    let Some(owner) = owner_of(file).filter(|_| geteuid().is_root()) else {
        return Ok(());
    };
    let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
    if user.is_root() {
        return Ok(());
    }
    // The user last: nobody else may change groups.
    set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(group, group, group))
        .and_then(|()| set_thread_res_uid(user, user, user))
        .with_context(|| {
            let (file, user) = (file.display(), user.as_raw());
            format!("can't go on as user {user}, who owns {file}; run this as that user")
        })
}

/// Returns the folder's owner, who alone can put a journal beside the file; if root
/// owns the folder, the file's owner; if the folder is missing, the owner of the
/// nearest parent that exists.
fn owner_of(file: &Path) -> Option<Metadata> {
    let here = |path: &Path| match path.as_os_str().is_empty() {
        true => Path::new(".").metadata(),
        false => path.metadata(),
    };
    let folder = file.ancestors().skip(1).find_map(|path| here(path).ok())?;
    match folder.uid() {
        0 => file.metadata().ok().or(Some(folder)),
        _ => Some(folder),
    }
}

/// Says whose rights were too few, if they aren't those of the user who typed the
/// command.
pub fn explain(error: Error, asked_by_root: bool) -> Error {
    let user = geteuid();
    if !asked_by_root || user.is_root() {
        return error;
    }
    let (line, user) = (format!("{error:#}"), user.as_raw());
    if line.contains("ermission denied") {
        return anyhow!(
            "{line} (as user {user}, who owns the database: use files and folders that this \
            user may read and write)"
        );
    }
    if line.contains("this program runs as user") {
        return anyhow!("{line}, as the service does: give it that file with chown {user}");
    }
    error
}
