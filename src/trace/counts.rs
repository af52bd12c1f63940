//! What became of spans since the start.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Debug, Default)]
pub struct Counts {
    /// The collector has them.
    pub sent: AtomicU64,
    /// It did not take them.
    pub refused: AtomicU64,
    /// Too many waited already.
    pub overflowed: AtomicU64,
}

impl Counts {
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    pub fn dropped(&self) -> u64 {
        self.refused.load(Relaxed) + self.overflowed.load(Relaxed)
    }
}
