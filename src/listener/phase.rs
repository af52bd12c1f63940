//! Where a connection is in its cycle, as its parts and the accept loop see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use tokio::time::Instant;

/// No byte of the next request has come yet.
const WAITING: u8 = 0;
/// A request's header has begun.
const HEADER: u8 = 1;
/// The request is with its handler.
const HANDLING: u8 = 2;
/// The handler is done; its answer is about to be written.
const ANSWERED: u8 = 3;
/// Given up in favour of somebody else.
const LET_GO: u8 = 4;

/// Shared by the connection, the service on top of it and the accept loop.
#[derive(Clone)]
pub struct Phase(Arc<State>);

struct State {
    phase: AtomicU8,
    /// When the present wait for the client began, in microseconds.
    since: AtomicU64,
    /// What `since` counts from; the same for all connections of a listener.
    epoch: Instant,
    /// `Content-Length` lines that came in, and those of requests handled.
    lengths_seen: AtomicU32,
    lengths_known: AtomicU32,
}

/// How little a connection would be missed: the smallest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth {
    phase: u8,
    since: u64,
}

impl Phase {
    pub fn new(epoch: Instant) -> Self {
        let phase = Self(Arc::new(State {
            phase: AtomicU8::new(WAITING),
            since: AtomicU64::new(0),
            epoch,
            lengths_seen: AtomicU32::new(0),
            lengths_known: AtomicU32::new(0),
        }));
        phase.note_time(Instant::now());
        phase
    }

    pub fn handling(&self) {
        self.set(HANDLING);
    }

    pub fn answered(&self) {
        self.set(ANSWERED);
    }

    /// The client's turn: it has to begin or to end a request.
    pub fn awaits_client(&self) -> bool {
        matches!(self.get(), WAITING | HEADER)
    }

    pub fn is_waiting(&self) -> bool {
        self.get() == WAITING
    }

    /// The first byte of a request came; false when it came too late.
    pub fn begin_header(&self, now: Instant) -> bool {
        self.note_time(now);
        self.change(WAITING, HEADER)
    }

    /// Some of an answer was written.
    pub fn wrote(&self, now: Instant) {
        if self.get() == ANSWERED {
            self.note_time(now);
            self.set(WAITING);
        }
    }

    /// The client has yet to take the rest of its answer.
    pub fn still_writing(&self) {
        self.change(WAITING, ANSWERED);
    }

    /// `None` while there is work on it.
    pub fn worth(&self) -> Option<Worth> {
        let phase = self.get();
        let since = self.0.since.load(Ordering::Relaxed);
        matches!(phase, WAITING | HEADER).then_some(Worth { phase, since })
    }

    /// Gives the connection up, unless it went on since it was looked at.
    pub fn let_go(&self, worth: Worth) -> bool {
        self.change(worth.phase, LET_GO)
    }

    pub fn saw_length(&self) {
        self.0.lengths_seen.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there were more `Content-Length` lines than handled requests
    /// account for.
    pub fn has_unknown_length(&self) -> bool {
        let known = self.0.lengths_known.load(Ordering::Relaxed);
        self.0.lengths_seen.load(Ordering::Relaxed) != known
    }

    pub fn knows_length(&self) {
        self.0.lengths_known.fetch_add(1, Ordering::Relaxed);
    }

    fn note_time(&self, now: Instant) {
        let since = now.duration_since(self.0.epoch).as_micros();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.0.since.store(since, Ordering::Relaxed);
    }

    fn get(&self) -> u8 {
        self.0.phase.load(Ordering::Relaxed)
    }

    fn set(&self, phase: u8) {
        self.0.phase.store(phase, Ordering::Relaxed);
    }

    fn change(&self, from: u8, to: u8) -> bool {
        let state = &self.0.phase;
        let changed = state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
        changed.is_ok()
    }
}
