//! Root's commands work as the owner of the database's files, which is the service's user:
//! the service could not open a journal, a backup or a restored file that belongs to root.
//!
//! Files that only root may read (settings, secrets) are read before the change of user.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Error, Result, anyhow};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::config::DatabaseArgs;
use crate::store::DatabaseUrl;

/// The database of the settings. The program becomes its owner.
pub fn database(args: &DatabaseArgs) -> Result<DatabaseUrl> {
    let url = DatabaseUrl::from(args.load()?);
    become_owner(&url)?;
    Ok(url)
}

/// Makes root's process continue as the owner of a SQLite file, if that is another user. Must
/// be called before other threads start: each thread has its own user, and new ones inherit it.
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
    // The user changes last, because only root may change groups.
    set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(group, group, group))
        .and_then(|()| set_thread_res_uid(user, user, user))
        .with_context(|| {
            let (file, user) = (file.display(), user.as_raw());
            format!("can't switch to user {user}, who owns {file}: run this as that user")
        })
}

/// Returns the owner of the folder, because only that user can put a journal beside the file; of
/// the file, if root owns the folder; of the nearest existing parent, if the folder is missing.
fn owner_of(file: &Path) -> Option<Metadata> {
    let here = |path: &Path| {
        if path.as_os_str().is_empty() {
            Path::new(".").metadata()
        } else {
            path.metadata()
        }
    };
    let folder = file.ancestors().skip(1).find_map(|path| here(path).ok())?;
    match folder.uid() {
        0 => file.metadata().ok().or(Some(folder)),
        _ => Some(folder),
    }
}

/// Adds the user whose permissions are missing to an error, if root typed the command.
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
        return anyhow!(
            "{line}, as the service does; to make the file readable: chown {user} FILE"
        );
    }
    error
}
