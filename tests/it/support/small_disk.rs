//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

/// A file system in memory that is unmounted at the end.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    pub fn mount(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output()
            .unwrap();
        assert!(
            mounted.status.success(),
            "a small file system can be mounted by root only: {mounted:?}"
        );
        Self(folder)
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
