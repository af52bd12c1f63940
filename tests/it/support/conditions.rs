//! What tests wait for and depend on: a condition, the long run, root's rights, and a small disk.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::getuid;

/// Whether tests run in their long form, as with `make chaos`.
pub fn is_long_form() -> bool {
    std::env::var_os("FRONTDOOR_TEST_LONG").is_some_and(|value| value == "1")
}

pub fn long_or_short<T>(long: T, short: T) -> T {
    if is_long_form() { long } else { short }
}

/// Whether the test runs as root, which CI does; otherwise says what isn't tested.
pub fn is_root(what: &str) -> bool {
    let is_root = getuid().is_root();
    if !is_root {
        assert!(std::env::var_os("CI").is_none(), "CI runs this as root");
        eprintln!("NOT TESTED: only root can {what}");
    }
    is_root
}

/// A small file system in memory, unmounted at the end.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` without root's rights.
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

/// Long enough for a slow machine, and for a delivery of a killed server, which waits for the end of
/// its lease and may then fail once. Only a failing test waits this long.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// Polls until the condition holds.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < TIMEOUT, "never: {what}");
        // Asking takes a server or a program time that other tests need.
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}
