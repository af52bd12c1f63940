//! The files that an owner installs with the program, checked against the program and with the tools
//! that read them.

mod journeys;
mod maintainer;
mod publish_to;
mod setup;
mod tools;

use std::path::PathBuf;
use std::process::Command;

/// A file of the folder `deploy`.
fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

/// Runs a tool that must succeed; returns what it prints.
#[track_caller]
fn passes(command: &mut Command) -> String {
    let output = command.output().expect("installed by `make test-tools`");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {out}{err}");
    out
}
