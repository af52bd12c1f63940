//! Where log lines go: a thread of its own writes them, so that no request
//! waits for whoever reads the log.

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

/// Where log lines go. Cheap to clone.
#[derive(Clone)]
pub struct LogSink(Arc<Shared>);

struct Shared {
    buffer: Mutex<Buffer>,
    filled: Condvar,
    /// Held while writing, so that a flush and the thread keep the order.
    out: Mutex<Box<dyn Write + Send>>,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    dropped: u64,
}

impl LogSink {
    /// A sink in front of `out`, with its thread.
    pub fn start(out: impl Write + Send + 'static) -> Self {
        let sink = Self(Arc::new(Shared {
            buffer: Mutex::default(),
            filled: Condvar::new(),
            out: Mutex::new(Box::new(out)),
        }));
        let shared = sink.clone();
        std::thread::spawn(move || shared.run());
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

    /// Writes what is waiting; for the end of the program.
    pub fn flush(&self) {
        let mut out = lock(&self.0.out);
        let (bytes, dropped) = self.take();
        // Nobody is left to tell when the log itself cannot be written.
        let _ = out.write_all(&bytes);
        if dropped > 0 {
            let _ = writeln!(
                out,
                r#"{{"level":"WARN","message":"{dropped} log lines dropped"}}"#
            );
        }
        let _ = out.flush();
    }

    fn take(&self) -> (Vec<u8>, u64) {
        let mut buffer = lock(&self.0.buffer);
        let dropped = std::mem::take(&mut buffer.dropped);
        (std::mem::take(&mut buffer.bytes), dropped)
    }

    fn run(&self) {
        loop {
            let buffer = lock(&self.0.buffer);
            let filled = self
                .0
                .filled
                .wait_while(buffer, |buffer| buffer.bytes.is_empty());
            drop(filled);
            std::thread::sleep(GATHER);
            self.flush();
        }
    }
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
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

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
        sink.flush();
        assert_eq!(
            String::from_utf8(lock(&memory.0).clone()).unwrap(),
            lines.concat()
        );
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
        sink.flush();
        let written = lock(&memory.0);
        assert!(written.len() <= 3 * BUFFER_LIMIT);
        assert!(String::from_utf8_lossy(&written).contains("log lines dropped"));
    }
}
