//! What an owner installs beside the program, held against the program itself.

mod journeys;
mod maintainer;
mod packaged_proxy;
mod parts;
mod publish_to;
mod questions;
mod setup;
mod units;
mod watching;

use std::path::PathBuf;
use std::process::Command;

/// Of the folder `deploy`.
fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

/// A tool of the system's packages has nothing to say against it.
#[track_caller]
fn passes(command: &mut Command) {
    let output = command.output().expect("installed by `make test-tools`");
    let (out, err) = (&output.stdout, &output.stderr);
    let said = [String::from_utf8_lossy(out), String::from_utf8_lossy(err)].concat();
    assert!(output.status.success(), "{command:?}: {said}");
}
