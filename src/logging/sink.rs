//! Where log lines go: a thread of its own writes them, so that no request
//! waits for whoever reads the log, and neither does the end of the program.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Lines wait for each other this long, so that a busy server writes many
/// with one call.
const GATHER: Duration = Duration::from_millis(10);
/// Beyond this, lines are dropped and counted: a stuck reader of the log must
/// not eat the memory.
const BUFFER_LIMIT: usize = 4 * 1024 * 1024;
/// How long the end of the program waits for the reader of the log.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

/// Where log lines go. Cheap to clone.
#[derive(Clone)]
pub struct LogSink(Arc<Shared>);

struct Shared {
    buffer: Mutex<Buffer>,
    filled: Condvar,
    written: Condvar,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    dropped: u64,
    /// The thread has taken lines and not finished writing them.
    writing: bool,
}

impl Buffer {
    fn is_written(&self) -> bool {
        self.bytes.is_empty() && !self.writing
    }
}

impl LogSink {
    /// A sink in front of `out`, with its thread.
    pub fn start(out: impl Write + Send + 'static) -> Self {
        let sink = Self(Arc::new(Shared {
            buffer: Mutex::default(),
            filled: Condvar::new(),
            written: Condvar::new(),
        }));
        let shared = sink.clone();
        std::thread::spawn(move || shared.run(out));
        sink
    }

    /// Takes a whole line, its end included.
    pub fn push(&self, line: &[u8]) {
        let mut buffer = lock(&self.0.buffer);
        if buffer.bytes.len() + line.len() > BUFFER_LIMIT {
            buffer.dropped += 1;
            return;
        }
        let was_empty = buffer.bytes.is_empty();
        buffer.bytes.extend_from_slice(line);
        drop(buffer);
        if was_empty {
            self.0.filled.notify_one();
        }
    }

    /// Waits until everything is written, but not for ever: for the end of
    /// the program, which must not hang on whoever reads the log.
    pub fn flush(&self) {
        self.flush_within(FLUSH_PATIENCE);
    }

    /// False when something is left.
    pub(super) fn flush_within(&self, patience: Duration) -> bool {
        let buffer = lock(&self.0.buffer);
        let waited = self
            .0
            .written
            .wait_timeout_while(buffer, patience, |buffer| !buffer.is_written());
        let (buffer, _) = waited.unwrap_or_else(PoisonError::into_inner);
        buffer.is_written()
    }

    fn run(&self, mut out: impl Write) {
        loop {
            let buffer = lock(&self.0.buffer);
            let filled = self
                .0
                .filled
                .wait_while(buffer, |buffer| buffer.bytes.is_empty());
            drop(filled);
            std::thread::sleep(GATHER);
            let (bytes, dropped) = self.take();
            write(&mut out, &bytes, dropped);
            lock(&self.0.buffer).writing = false;
            self.0.written.notify_all();
        }
    }

    fn take(&self) -> (Vec<u8>, u64) {
        let mut buffer = lock(&self.0.buffer);
        buffer.writing = true;
        let dropped = std::mem::take(&mut buffer.dropped);
        (std::mem::take(&mut buffer.bytes), dropped)
    }
}

/// Nobody is left to tell when the log itself cannot be written.
fn write(out: &mut impl Write, bytes: &[u8], dropped: u64) {
    let _ = out.write_all(bytes);
    if dropped > 0 {
        let _ = writeln!(
            out,
            r#"{{"level":"WARN","message":"{dropped} log lines dropped"}}"#
        );
    }
    let _ = out.flush();
}

/// A panic elsewhere while holding the lock leaves whole lines behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Collects one event and hands it over whole.
pub struct LineWriter(LogSink, Vec<u8>);

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        self.0.push(&self.1);
    }
}

impl<'a> MakeWriter<'a> for LogSink {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter(self.clone(), Vec::with_capacity(256))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Far longer than it takes.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    #[derive(Clone, Default)]
    pub struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Memory {
        /// What was written since.
        pub fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut lock(&self.0))).unwrap()
        }
    }

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_order_once_flushed() {
        let memory = Memory::default();
        let sink = LogSink::start(memory.clone());
        let lines: Vec<_> = (0..1000).map(|n| format!("line {n}\n")).collect();
        for line in &lines {
            sink.push(line.as_bytes());
        }
        assert!(sink.flush_within(PATIENCE));
        assert_eq!(memory.take(), lines.concat());
    }

    #[test]
    fn a_full_buffer_drops_lines_and_says_how_many() {
        let memory = Memory::default();
        let held = memory.clone();
        let sink = LogSink::start(memory.clone());
        let stuck = lock(&held.0);
        let line = vec![b'x'; BUFFER_LIMIT / 2];
        (0..9).for_each(|_| sink.push(&line));
        drop(stuck);
        assert!(sink.flush_within(PATIENCE));
        let written = memory.take();
        assert!(written.len() <= 3 * BUFFER_LIMIT);
        assert!(written.contains("log lines dropped"));
    }

    #[test]
    fn the_end_does_not_wait_for_a_reader_that_is_stuck() {
        let memory = Memory::default();
        let held = memory.clone();
        let _stuck = lock(&held.0);
        let sink = LogSink::start(memory.clone());
        sink.push(b"line\n");
        assert!(!sink.flush_within(Duration::from_millis(1)));
    }
}
