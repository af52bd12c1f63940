//! A connection that gives up on a client that does not go on.
//!
//! Between requests and inside a request's header a read must come to an end
//! in time; a trickle of bytes does not buy more of it. While a request is
//! being handled the handler's own limits count. Answers must find a reader.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::Limits;

/// Where a connection is in its cycle; shared with the service on top of it.
#[derive(Clone, Default)]
pub struct Phase(Arc<AtomicU8>);

/// No byte of the next request has come yet.
const WAITING: u8 = 0;
/// A request's header has begun.
const HEADER: u8 = 1;
/// The request is with its handler.
const HANDLING: u8 = 2;
/// The handler is done; its answer is about to be written.
const ANSWERED: u8 = 3;

impl Phase {
    pub fn handling(&self) {
        self.set(HANDLING);
    }

    pub fn answered(&self) {
        self.set(ANSWERED);
    }

    fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, phase: u8) {
        self.0.store(phase, Ordering::Relaxed);
    }
}

pub struct TimedIo {
    io: TokioIo<TcpStream>,
    phase: Phase,
    limits: Limits,
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
            deadline,
            read_timer: Box::pin(sleep_until(deadline)),
            write_timer: None,
        }
    }

    fn note_bytes_in(&mut self) {
        if self.phase.get() == WAITING {
            self.phase.set(HEADER);
            self.deadline = Instant::now() + self.limits.header;
        }
    }

    /// Called when there is nothing to read: is the client still in time?
    ///
    /// The timer is asked in every phase: hyper may read while a request is
    /// being handled, and then not again before the next one begins.
    fn check_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let limited = matches!(self.phase.get(), WAITING | HEADER);
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
            if self.phase.get() == ANSWERED {
                self.phase.set(WAITING);
            }
            // A long answer to a slow reader is not idleness.
            self.deadline = self.deadline.max(Instant::now() + self.limits.idle);
            return written;
        }
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
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.io).poll_read(cx, buf) {
            Poll::Ready(result) => {
                self.note_bytes_in();
                Poll::Ready(result)
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
