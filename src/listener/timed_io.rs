//! A connection that gives up on a client that does not go on.
//!
//! Between requests and inside a request's header a read must come to an end
//! in time; a trickle of bytes does not buy more of it. While a request is
//! being handled the handler's own limits count. Answers must find a reader.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::Limits;
use super::length_lines::LengthLines;
use super::phase::Phase;

/// As much as is read at a time.
const CHUNK: usize = 8 * 1024;

pub struct TimedIo {
    io: TokioIo<TcpStream>,
    phase: Phase,
    limits: Limits,
    length_lines: LengthLines,
    /// When the present wait for bytes ends.
    deadline: Instant,
    /// May be set for earlier than `deadline` and is then set anew: moving a
    /// timer on each request would cost more than now and then a wake-up.
    read_timer: Pin<Box<Sleep>>,
    write_timer: Option<Pin<Box<Sleep>>>,
}

impl TimedIo {
    pub fn new(stream: TcpStream, phase: Phase, limits: Limits) -> Self {
        let deadline = Instant::now() + limits.first_byte;
        Self {
            io: TokioIo::new(stream),
            phase,
            limits,
            length_lines: LengthLines::default(),
            deadline,
            read_timer: Box::pin(sleep_until(deadline)),
            write_timer: None,
        }
    }

    fn note_bytes_in(&mut self, bytes: &[u8]) -> io::Result<()> {
        for _ in 0..self.length_lines.count(bytes) {
            self.phase.saw_length();
        }
        if self.phase.is_waiting() {
            let now = Instant::now();
            self.deadline = now + self.limits.header;
            if !self.phase.begin_header(now) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
        Ok(())
    }

    /// Called when there is nothing to read: is the client still in time?
    ///
    /// The timer is asked in every phase: hyper may read while a request is
    /// being handled, and then not again before the next one begins.
    fn check_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let limited = self.phase.awaits_client();
        if limited && self.deadline < self.read_timer.deadline() {
            self.read_timer.as_mut().reset(self.deadline);
        }
        loop {
            ready!(self.read_timer.as_mut().poll(cx));
            let now = Instant::now();
            if limited && now >= self.deadline {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            let next = if limited {
                self.deadline
            } else {
                now + self.limits.idle
            };
            self.read_timer.as_mut().reset(next);
        }
    }

    fn after_write<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_timer = None;
            let now = Instant::now();
            self.phase.wrote(now);
            // A long answer to a slow reader is not idleness.
            self.deadline = self.deadline.max(now + self.limits.idle);
            return written;
        }
        self.phase.still_writing();
        let limit = self.limits.write_stall;
        let timer = self
            .write_timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Read for TimedIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // By way of a place of our own, to see what comes in.
        let mut space = [MaybeUninit::<u8>::uninit(); CHUNK];
        let room = buf.remaining().min(CHUNK);
        let mut chunk = ReadBuf::uninit(&mut space[..room]);
        match Pin::new(&mut self.io).poll_read(cx, chunk.unfilled()) {
            Poll::Ready(result) => {
                result?;
                self.note_bytes_in(chunk.filled())?;
                buf.put_slice(chunk.filled());
                Poll::Ready(Ok(()))
            }
            Poll::Pending => self.check_read(cx).map(Err),
        }
    }
}

impl Write for TimedIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, buf);
        self.after_write(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.after_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_client_that_still_takes_its_answer_is_not_idle() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(address).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let phase = Phase::new(Instant::now());
        let mut io = TimedIo::new(stream, phase.clone(), Limits::default());
        phase.handling();
        phase.answered();
        let part = [0; 64 * 1024];
        // Until nothing fits in between any more.
        poll_fn(|cx| {
            while Pin::new(&mut io).poll_write(cx, &part).is_ready() {}
            Poll::Ready(())
        })
        .await;
        assert_eq!(phase.worth(), None, "in the midst of its answer");
        let reader = tokio::spawn(async move {
            let mut taken = [0; 64 * 1024];
            while client.read(&mut taken).await.is_ok_and(|count| count > 0) {}
        });
        let rest = poll_fn(|cx| Pin::new(&mut io).poll_write(cx, &part)).await;
        assert!(rest.is_ok_and(|count| count > 0));
        assert!(phase.worth().is_some(), "has it all");
        reader.abort();
    }
}
