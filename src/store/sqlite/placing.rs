//! Files that get their name only once they are whole and on disk, on any file
//! system: no hard links.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// The same path with something added to its end.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    PathBuf::from(name)
}

pub fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|name| !name.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// What is in the file survives a power cut.
pub fn sync(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()
}

/// So do the names of the files beside it. Some file systems cannot be asked.
pub fn sync_folder_of(file: &Path) -> io::Result<()> {
    match sync(folder_of(file)) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Gives a file its name; never replaces one that has appeared meanwhile.
pub fn put_in_place(partial: &Path, file: &Path) -> Result<(), String> {
    rename_if_free(partial, file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => "it exists already".to_owned(),
        _ => error.to_string(),
    })?;
    sync_folder_of(file).map_err(|error| error.to_string())
}

fn rename_if_free(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system can do both in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if to.symlink_metadata().is_err() => {
            fs::rename(from, to)
        }
        renamed => Ok(renamed?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_not_replaced_and_the_new_one_keeps_its_first_name() {
        let folder = tempfile::tempdir().unwrap();
        let [partial, file] = ["partial", "file"].map(|name| folder.path().join(name));
        fs::write(&partial, "new").unwrap();
        fs::write(&file, "old").unwrap();
        let refused = put_in_place(&partial, &file).unwrap_err();
        assert!(refused.contains("exists already"), "{refused}");
        assert_eq!(fs::read(&file).unwrap(), b"old");
        fs::remove_file(&file).unwrap();
        put_in_place(&partial, &file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(!partial.exists());
    }
}
