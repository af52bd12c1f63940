//! Opening an address with the program that the desktop has for it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::output::is_terminal;

/// Some openers stay as long as the program that they opened.
const PATIENCE: Duration = Duration::from_secs(3);

const OPENER: &str = match cfg!(target_os = "macos") {
    true => "open",
    false => "xdg-open",
};

/// Somebody sits before it.
pub fn is_there() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let screen = cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    is_terminal() && screen
}

/// False when it could not be opened.
pub fn open(address: &str) -> bool {
    let quiet = Stdio::null;
    let opener = Command::new(OPENER)
        .arg(address)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    let Ok(mut opener) = opener else {
        return false;
    };
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        match opener.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    true
}
