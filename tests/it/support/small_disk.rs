//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

use super::root::is_root;

/// A file system in memory that is unmounted at the end.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` where nobody can be root.
    pub fn mount(size: &str) -> Option<Self> {
        if !is_root("mount a small file system") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output()
            .unwrap();
        assert!(mounted.status.success(), "{mounted:?}");
        Some(Self(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}
