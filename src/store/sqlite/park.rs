//! Receiving with a time limit on a thread of its own, which tokio's channel
//! does not offer outside of its runtime.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Receiver;

pub enum Received {
    Messages,
    /// None within the limit.
    Nothing,
    /// There will be no more.
    End,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Takes up to `most` messages that wait, or sleeps until there is one.
pub fn receive<T>(
    queue: &mut Receiver<T>,
    messages: &mut Vec<T>,
    most: usize,
    limit: Option<Duration>,
) -> Received {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let end = limit.map(|limit| Instant::now() + limit);
    loop {
        match queue.poll_recv_many(&mut context, messages, most) {
            Poll::Ready(0) => return Received::End,
            Poll::Ready(_) => return Received::Messages,
            Poll::Pending => {}
        }
        match end.map(|end| end.saturating_duration_since(Instant::now())) {
            None => thread::park(),
            Some(Duration::ZERO) => return Received::Nothing,
            Some(left) => thread::park_timeout(left),
        }
    }
}
