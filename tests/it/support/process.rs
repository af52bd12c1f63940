//! The real program as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The program without any setting of whoever runs the tests.
pub fn frontdoor(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frontdoor"));
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("FRONTDOOR_") || name == "DATABASE_URL" {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

pub fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// The same of a program that should end at once: one that serves instead is
/// ended.
pub fn refusal(command: &mut Command) -> Output {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// A server on ports of the system's choice.
pub struct Process {
    pub address: SocketAddr,
    /// Of health and metrics; the public one where they are off.
    pub ops: SocketAddr,
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Process {
    pub fn start(database: &Path, settings: &[(&str, &str)]) -> Self {
        let mut child = frontdoor(&["serve"])
            .env("FRONTDOOR_LISTEN", "127.0.0.1:0")
            .env("FRONTDOOR_OPS_LISTEN", "off")
            .env("FRONTDOOR_RATE_LIMIT", "0")
            .env("DATABASE_URL", format!("sqlite://{}", database.display()))
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = |words: &str| loop {
            let line = lines.next().expect("a line that says where").unwrap();
            if let Some(address) = address_in(&line, words) {
                break address;
            }
        };
        let public = address("listening");
        let with_ops = settings
            .iter()
            .any(|(name, _)| *name == "FRONTDOOR_OPS_LISTEN");
        let ops = if with_ops {
            address("health and metrics")
        } else {
            public
        };
        Self {
            address: public,
            ops,
            child,
            lines,
        }
    }

    /// SIGKILL: no chance to finish anything.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, then the rest of the log and how the program ended.
    pub fn terminate(mut self) -> (Vec<String>, ExitStatus) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.unwrap().success());
        let log = self.lines.by_ref().map(Result::unwrap).collect();
        (log, self.child.wait().unwrap())
    }
}

/// The address in the line that says so, in either form of the log.
pub fn address_in(line: &str, words: &str) -> Option<SocketAddr> {
    if !line.contains(words) {
        return None;
    }
    let address = match serde_json::from_str::<Value>(line) {
        Ok(event) => event["address"].as_str().map(str::to_owned),
        Err(_) => line.split("address=").nth(1).map(str::to_owned),
    };
    address?.split_whitespace().next()?.parse().ok()
}

impl Drop for Process {
    /// A failing test leaves no process behind; a finished one is left alone.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
