//! The real program as a process, and a terminal for it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{TIMEOUT, fields_with, urlencoded};

/// The program without the settings of whoever runs the tests.
pub fn frontdoor(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frontdoor"));
    command.args(arguments);
    let is_setting = |name: &str| name.starts_with("FRONTDOOR_") || name == "DATABASE_URL";
    for (name, _) in std::env::vars().filter(|(name, _)| is_setting(name)) {
        command.env_remove(name);
    }
    // This machine may have a settings file.
    command.env("FRONTDOOR_SETTINGS", "/dev/null");
    command.env("FRONTDOOR_DESK_LISTEN", "off");
    command.stdin(Stdio::null());
    command
}

/// Copies the environment of a command to the command that runs it.
pub fn copy_environment(inner: &Command, outer: &mut Command) {
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
}

/// The exit code of a command, and what it printed. The methods check it and fail the test.
pub struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    /// This exit code, and exactly this on standard output.
    #[track_caller]
    pub fn exits_with(&self, code: i32, stdout: &str) {
        let actual = (self.code, &*self.stdout);
        assert_eq!(actual, (code, stdout), "{}", self.stderr);
    }

    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// This exit code, and these words on standard error.
    #[track_caller]
    pub fn fails_with(&self, code: i32, words: &str) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        self.stderr_contains(words);
    }

    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.succeeds().stdout).unwrap()
    }

    #[track_caller]
    pub fn stdout_contains(&self, words: &str) {
        assert_has(&self.stdout, &[words]);
    }

    #[track_caller]
    pub fn stdout_has(&self, parts: &[&str]) {
        assert_has(&self.stdout, parts);
    }

    #[track_caller]
    pub fn stderr_contains(&self, words: &str) {
        assert_has(&self.stderr, &[words]);
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "{part} isn't in:\n{text}");
    }
}

#[track_caller]
pub fn assert_lacks(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(!text.contains(part), "{part} is in:\n{text}");
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub fn run(command: &mut Command) -> CommandOutput {
    command.output().unwrap().into()
}

/// Runs a program that must end by itself; if it keeps running, it is killed.
pub fn refusal(command: &mut Command) -> CommandOutput {
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    if !ends_in_time(&mut child) {
        child.kill().unwrap();
    }
    child.wait_with_output().unwrap().into()
}

pub fn ends_in_time(child: &mut Child) -> bool {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > TIMEOUT {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Requests a page on a new connection; returns the whole response.
pub fn get(server: SocketAddr, path: &str) -> String {
    exchange(server, &format!("GET {path}"), "", "")
}

/// Stores a lead: sends the plain form with these fields changed or added.
pub fn post_lead(server: SocketAddr, changes: &[(&str, &str)]) {
    let form = urlencoded(&fields_with(changes));
    let kind = "application/x-www-form-urlencoded";
    let answer = exchange(server, "POST /api/contacts", kind, &form);
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
}

fn exchange(server: SocketAddr, request: &str, kind: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(server).unwrap();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
        content-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The server, on ports of the system's choice.
pub fn serve(database_url: &str) -> Command {
    let mut command = frontdoor(&["serve"]);
    command
        .env("FRONTDOOR_LISTEN", "127.0.0.1:0")
        .env("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0")
        .env("FRONTDOOR_RATE_LIMIT", "0")
        .env("DATABASE_URL", database_url)
        .stdout(Stdio::piped());
    command
}

pub fn terminate(child: &Child) {
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

/// A running server.
pub struct Process {
    pub address: SocketAddr,
    /// The address of health and metrics.
    pub ops: SocketAddr,
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Process {
    pub fn start(database_url: &str, settings: &[(&str, &str)]) -> Self {
        Self::spawn(serve(database_url), settings)
    }

    /// The same with a command made from [`serve`].
    pub fn spawn(mut command: Command, settings: &[(&str, &str)]) -> Self {
        let mut child = command.envs(settings.iter().copied()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = |words: &str| loop {
            let line = lines.next().expect("a line that says where").unwrap();
            if let Some(address) = address_in(&line, words) {
                break address;
            }
        };
        Self {
            address: address("listening"),
            ops: address("health and metrics"),
            child,
            lines,
        }
    }

    pub fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Reads the log until a line has these words.
    pub fn until_logged(&mut self, words: &str) {
        let mut lines = self.lines.by_ref().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(words)), "{words}");
    }

    /// SIGKILL: it can't finish anything.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> ExitStatus {
        assert!(ends_in_time(&mut self.child), "it goes on");
        self.child.wait().unwrap()
    }

    /// SIGTERM, then the rest of the log and how the program ended.
    pub fn terminate(mut self) -> (Vec<String>, ExitStatus) {
        terminate(&self.child);
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

/// Ends the input when typed on its own line (Ctrl D).
pub const END: &str = "\u{4}";

pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    seen: String,
}

impl Terminal {
    pub fn open(command: &Command) -> Self {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line: Vec<_> = words
            .map(|word| format!("'{}'", word.to_str().unwrap()))
            .collect();
        let mut script = Command::new("script");
        let line = line.join(" ");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        copy_environment(command, &mut script);
        script.env("SHELL", "/bin/sh");
        let pipes = script.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.spawn().expect("script, of util-linux");
        Self {
            keys: child.stdin.take().unwrap(),
            screen: child.stdout.take().unwrap(),
            child,
            seen: String::new(),
        }
    }

    /// Reads until these words are on the screen, then types; returns what came before them.
    #[track_caller]
    pub fn answer(&mut self, question: &str, keys: &str) -> String {
        let before = loop {
            if let Some((before, after)) = self.seen.split_once(question) {
                let before = before.to_owned();
                self.seen = after.to_owned();
                break before;
            }
            assert!(self.read(), "{question} isn't asked: {}", self.seen);
        };
        self.keys.write_all(keys.as_bytes()).unwrap();
        before
    }

    /// The rest of what is shown, and the exit code.
    pub fn end(mut self) -> (String, i32) {
        while self.read() {}
        let status = self.child.wait().unwrap();
        (self.seen.clone(), status.code().unwrap())
    }

    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let length = self.screen.read(&mut bytes).unwrap();
        self.seen += &String::from_utf8_lossy(&bytes[..length]);
        length > 0
    }
}

impl Drop for Terminal {
    /// A failing test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
