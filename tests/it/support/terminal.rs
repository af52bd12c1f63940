//! A terminal with somebody at it who reads and types: util-linux's `script`
//! makes one around a program.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::process::copy_environment;

/// What ends the input, typed on a line of its own.
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

    /// Reads until these words are on the screen, then types; returns what came
    /// before them.
    #[track_caller]
    pub fn answer(&mut self, question: &str, keys: &str) -> String {
        let before = loop {
            if let Some((before, after)) = self.seen.split_once(question) {
                let before = before.to_owned();
                self.seen = after.to_owned();
                break before;
            }
            assert!(self.read(), "{question} is not asked: {}", self.seen);
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
    /// A failing test leaves nobody waiting for an answer.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
