//! Where settings come from, and whose files commands leave behind.

mod file;
mod owner;
mod secrets;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::process::{Said, frontdoor, run};

/// A folder with a settings file.
struct Folder(TempDir);

impl Folder {
    fn with(settings: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("frontdoor.env", settings);
        folder
    }

    /// A file that is for its owner only.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("frontdoor.env")
    }

    /// A command with this file, named as the service names it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = frontdoor(arguments);
        command
            .env("FRONTDOOR_SETTINGS", self.file())
            .current_dir(self.0.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Said {
        run(&mut self.command(arguments))
    }
}

/// What `settings --json` says of one.
fn in_force(command: &mut Command, name: &str) -> (Option<String>, String, Option<String>) {
    let said = run(command);
    assert_eq!(said.code, 0, "{}", said.err);
    let all: Vec<Value> = serde_json::from_str(&said.out).unwrap();
    let found = all.iter().find(|each| each["name"] == name).expect(name);
    let text = |key: &str| found[key].as_str().map(str::to_owned);
    (text("value"), text("source").unwrap(), text("place"))
}
