//! Making a database's file, for whoever will use it: the service seldom runs
//! as root, who may be the one to run `frontdoor migrate`.

use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, chown};
use std::path::Path;

/// Makes sure the file is there, readable by its owner only: it holds
/// personal data. SQLite gives its side files the same mode and owner.
pub fn create_file(path: &Path) -> Result<(), String> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|each| is_missing(each))
        .collect();
    if let Some(directory) = missing.get(1) {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| format!("cannot create its directory: {error}"))?;
    }
    let created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match created {
        Ok(_) => give_to_the_folders_owner(&missing),
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.to_string()),
        Err(_) if !path.exists() => Err("it is a link that leads nowhere".into()),
        Err(_) => Ok(()),
    }
}

fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty() && path.symlink_metadata().is_err()
}

/// What root has made belongs to whom the folder belongs that was there.
fn give_to_the_folders_owner(made: &[&Path]) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let folder = made.last().and_then(|top| top.parent());
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let owner = folder.unwrap_or(Path::new(".")).metadata();
    let give = |owner: std::fs::Metadata| {
        let (user, group) = (Some(owner.uid()), Some(owner.gid()));
        made.iter().try_for_each(|each| chown(each, user, group))
    };
    owner
        .and_then(give)
        .map_err(|error| format!("cannot give it to the owner of its folder: {error}"))
}

/// Whose it is and who asks, where that is why it cannot be opened.
pub fn rights(path: &Path) -> Option<String> {
    use rustix::fs::{Access, access};
    let denied = |path: &Path| access(path, Access::READ_OK | Access::WRITE_OK).is_err();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let closed = [folder.unwrap_or(Path::new(".")), path]
        .into_iter()
        .find(|each| each.exists() && denied(each))?;
    let found = closed.metadata().ok()?;
    Some(format!(
        "{} belongs to user {} with rights {:o}, this program runs as user {}",
        closed.display(),
        found.uid(),
        found.mode() & 0o777,
        rustix::process::geteuid().as_raw(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_root_creates_belongs_to_the_owner_of_the_folder_it_is_in() {
        let folder = tempfile::tempdir().unwrap();
        let owner = match rustix::process::geteuid().is_root() {
            true => 65534,
            false => folder.path().metadata().unwrap().uid(),
        };
        chown(folder.path(), Some(owner), None).unwrap();
        let path = folder.path().join("new/data/leads.db");
        create_file(&path).unwrap();
        for made in path.ancestors().take(3) {
            let found = made.metadata().unwrap();
            assert_eq!(found.uid(), owner, "{}", made.display());
            let mode = if made == path { 0o600 } else { 0o700 };
            assert_eq!(found.mode() & 0o777, mode, "{}", made.display());
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(folder.path().join("gone.db"), &link).unwrap();
        assert!(create_file(&link).unwrap_err().contains("leads nowhere"));
    }
}
