//! The log on standard output: readable lines on a terminal, JSON otherwise.
//!
//! A dedicated thread writes it, so that neither requests nor shutdown wait for a slow reader. When
//! the systemd journal reads the output, warnings and errors start with their priority, which the
//! journal strips (sd-daemon(3)), so that `journalctl --priority warning` works.

use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use jiff::Timestamp;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;

use crate::config::{LogFormat, LogSettings};

/// How long the thread collects lines, so that a busy server writes many of them in one call.
const BATCH_DELAY: Duration = Duration::from_millis(10);
/// The capacity of the queue. Lines beyond it are dropped and counted: a stuck reader must not
/// exhaust the memory.
const QUEUE: usize = 16_384;
/// How long shutdown waits for the reader.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

const ERROR: &str = "<3>";
const WARNING: &str = "<4>";

/// A handle to the program's log. Cheap to clone.
#[derive(Clone)]
pub struct Log {
    /// To the thread that writes.
    queue: SyncSender<Item>,
    dropped: Arc<AtomicU64>,
    is_journal: bool,
    pub json: bool,
}

enum Item {
    Line(Vec<u8>),
    /// Dropped once every line before it is written.
    Mark(mpsc::Sender<()>),
}

impl Log {
    /// Sets up logging for the whole program, panics included.
    pub fn start(settings: &LogSettings) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let json = match settings.format {
            LogFormat::Auto => !is_terminal,
            LogFormat::Human => false,
            LogFormat::Json => true,
        };
        let (queue, items) = mpsc::sync_channel(QUEUE);
        let log = Self {
            queue,
            dropped: Arc::default(),
            is_journal: is_journal(io::stdout()),
            json,
        };
        let (dropped, warning) = (log.dropped.clone(), log.prefix(Level::WARN));
        std::thread::spawn(move || write(&items, &dropped, warning, json));
        let filter = tracing_subscriber::registry().with(settings.filter.clone());
        let format = fmt::layer().with_writer(log.clone());
        // A second call keeps the first log; only tests start two servers in one process.
        let _ = if json {
            let format = format.json().flatten_event(true).with_current_span(false);
            filter.with(format).try_init()
        } else {
            let format = format.with_ansi(is_terminal).with_target(false);
            filter.with(format).try_init()
        };
        // The panic's message is left out: it could contain a visitor's text.
        std::panic::set_hook(Box::new(|info| {
            let location = info.location().map(ToString::to_string).unwrap_or_default();
            tracing::error!(location, "internal error: report it with this location");
        }));
        log
    }

    /// Waits for queued lines to be written; called at exit.
    pub fn finish(&self) {
        let (mark, written) = mpsc::channel();
        if self.queue.try_send(Item::Mark(mark)).is_ok() {
            // Fails at once when the mark is dropped.
            let _ = written.recv_timeout(FLUSH_TIMEOUT);
        }
    }

    /// Queues one complete line, including its line break.
    pub fn push(&self, line: Vec<u8>) {
        if self.queue.try_send(Item::Line(line)).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
    }

    /// The journal prefix for a line of this level. The journal takes lines without one for
    /// informational.
    pub fn prefix(&self, level: Level) -> &'static str {
        match level {
            Level::ERROR if self.is_journal => ERROR,
            Level::WARN if self.is_journal => WARNING,
            _ => "",
        }
    }
}

/// Writes what is queued, until the last handle is gone.
fn write(items: &Receiver<Item>, dropped: &AtomicU64, warning: &str, json: bool) {
    let mut out = io::stdout();
    while let Ok(first) = items.recv() {
        std::thread::sleep(BATCH_DELAY);
        let (mut text, mut marks) = (Vec::new(), Vec::new());
        for item in std::iter::once(first).chain(items.try_iter().take(QUEUE)) {
            match item {
                Item::Line(line) => text.extend(line),
                Item::Mark(mark) => marks.push(mark),
            }
        }
        let number = dropped.swap(0, Relaxed);
        if number > 0 {
            let message = format!("{number} log lines dropped");
            let now = Timestamp::now();
            let _ = if json {
                let line = r#""level":"WARN","message""#;
                writeln!(
                    text,
                    r#"{warning}{{"timestamp":"{now:.3}",{line}:"{message}"}}"#
                )
            } else {
                writeln!(text, "{warning}{now:.3}  WARN {message}")
            };
        }
        // If the log can't be written, there is nowhere to report it.
        let _ = out.write_all(&text).and_then(|()| out.flush());
    }
}

/// The journal prefix for the line that says why the program exits.
pub fn error_prefix(output: impl AsFd) -> &'static str {
    if is_journal(output) { ERROR } else { "" }
}

/// Whether the journal reads this output, which a shell may have redirected.
fn is_journal(output: impl AsFd) -> bool {
    let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    rustix::fs::fstat(output).is_ok_and(|stat| stream == format!("{}:{}", stat.st_dev, stat.st_ino))
}

/// Buffers one event and queues it as a line when dropped.
pub struct LineWriter(Log, Vec<u8>);

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        self.0.push(std::mem::take(&mut self.1));
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter(self.clone(), Vec::with_capacity(256))
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> LineWriter {
        let mut line = self.make_writer();
        line.1.extend(self.prefix(*event.level()).as_bytes());
        line
    }
}
