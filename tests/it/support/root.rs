//! Some tests need root, who tests everything in CI.

use rustix::process::getuid;

/// Whether what only root can do is tested; said loudly where it is not.
pub fn is_root(what: &str) -> bool {
    let is_root = getuid().is_root();
    if !is_root {
        assert!(std::env::var_os("CI").is_none(), "CI runs this as root");
        eprintln!("NOT TESTED: only root can {what}");
    }
    is_root
}
