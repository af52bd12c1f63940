//! What is run once the files are there. User and folders are systemd's own
//! work; nothing is started under another root.

use std::fmt;
use std::path::Path;
use std::process::Command;

use super::Failure;

pub struct Step {
    program: &'static str,
    arguments: Vec<String>,
}

pub fn all(root: &Path) -> Vec<Step> {
    let elsewhere = (root != Path::new("/")).then(|| format!("--root={}", root.display()));
    let step = |program, arguments: &[&str]| Step {
        program,
        arguments: elsewhere
            .iter()
            .cloned()
            .chain(arguments.iter().map(|&argument| argument.to_owned()))
            .collect(),
    };
    let mut steps = vec![
        step("systemd-sysusers", &["frontdoor.conf"]),
        step("systemd-tmpfiles", &["--create", "frontdoor.conf"]),
    ];
    if elsewhere.is_none() {
        steps.push(step("systemctl", &["daemon-reload"]));
        let units = ["enable", "--now", "frontdoor.socket", "frontdoor.service"];
        steps.push(step("systemctl", &units));
    }
    steps
}

impl Step {
    pub fn run(&self) -> Result<(), Failure> {
        let output = Command::new(self.program).args(&self.arguments).output();
        let output = output.map_err(|error| {
            Failure::Failed(format!(
                "cannot run `{self}`: {error}; setup is for Debian and Ubuntu with systemd"
            ))
        })?;
        match output.status.success() {
            true => Ok(()),
            false => Err(Failure::Failed(format!(
                "`{self}` failed: {} Mend it and run setup again: what is done stays done.",
                String::from_utf8_lossy(&output.stderr).trim()
            ))),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program, self.arguments.join(" "))
    }
}
