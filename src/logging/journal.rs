//! What systemd's journal is told beside a line: how grave it is, by a number in
//! front that the journal takes off again (sd-daemon(3)). So
//! `journalctl --priority warning` shows warnings and errors alone.

use std::io::Write as _;
use std::os::fd::AsFd;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use super::sink::{LineWriter, LogSink};

const ERROR: &str = "<3>";
const WARNING: &str = "<4>";

/// Whether the journal reads what is written there, and not somebody to whom it
/// was led on.
pub fn reads(output: impl AsFd) -> bool {
    let told = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    let Ok(facts) = rustix::fs::fstat(output) else {
        return false;
    };
    told == format!("{}:{}", facts.st_dev, facts.st_ino)
}

/// What stands in front of a line that says why the program has ended.
pub fn last_words(output: impl AsFd) -> &'static str {
    match reads(output) {
        true => ERROR,
        false => "",
    }
}

/// Lines for the sink, with their number if the journal reads them.
pub struct Graded {
    pub sink: LogSink,
    pub is_journal: bool,
}

impl<'a> MakeWriter<'a> for Graded {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        self.sink.make_writer()
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> LineWriter {
        let mut line = self.make_writer();
        let number = match *about.level() {
            Level::ERROR => ERROR,
            Level::WARN => WARNING,
            // What has no number counts as information.
            _ => "",
        };
        if self.is_journal {
            // Into memory, which takes everything.
            let _ = line.write_all(number.as_bytes());
        }
        line
    }
}
