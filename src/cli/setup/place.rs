//! Puts a file into its place, whole or not at all, and never over one that
//! somebody wrote.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use super::Failure;
use super::files::File;

pub enum Placed {
    Written,
    Unchanged,
    /// Over the example of this package.
    Over(String),
    /// Another is there and stays; this is the new one's path.
    Beside(String),
}

pub fn place(file: &File, root: &Path) -> Result<Placed, Failure> {
    let path = under(root, &file.path);
    let there = match fs::read(&path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            let error = Err(error).with_context(|| format!("cannot read {}", path.display()));
            return error.map_err(Failure::from);
        }
    };
    let placed = match there {
        None => Placed::Written,
        Some(there) if there == file.content => return Ok(Placed::Unchanged),
        Some(_) => match example_of(&file.path, root) {
            Some(package) => Placed::Over(package),
            None => Placed::Beside(format!("{}.new", file.path)),
        },
    };
    let target = match &placed {
        Placed::Beside(new) => under(root, new),
        _ => path,
    };
    write(&target, file).with_context(|| format!("cannot write {}", target.display()))?;
    Ok(placed)
}

/// The package whose file this is, if nobody has changed it since. Where dpkg
/// cannot say, it is somebody's.
fn example_of(path: &str, root: &Path) -> Option<String> {
    let dpkg = |arguments: [&str; 2]| {
        let mut command = Command::new("dpkg");
        command.arg("--root").arg(root).args(arguments);
        let output = command.env("LC_ALL", "C").output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(said)
    };
    let found = dpkg(["--search", path])?;
    let (package, _) = found.split_once(": ")?;
    let changed = dpkg(["--verify", package])?;
    let is_changed = changed.lines().any(|line| line.ends_with(path));
    (!is_changed).then(|| package.to_owned())
}

/// Under the name of another until it is whole.
fn write(path: &Path, file: &File) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut output = options.open(&partial)?;
        output.write_all(&file.content)?;
        output.set_permissions(fs::Permissions::from_mode(file.mode))?;
        output.sync_all()?;
        fs::rename(&partial, path)
    })();
    written.inspect_err(|_| {
        let _ = fs::remove_file(&partial);
    })
}

fn under(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
