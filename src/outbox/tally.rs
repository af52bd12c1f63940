//! How deliveries went since the start, by kind: numbers for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::store::{DeliveryKind, Outcome};

/// What one attempt came to.
const OUTCOMES: [&str; 3] = ["delivered", "failed", "given_up"];
const KINDS: usize = DeliveryKind::ALL.len();

#[derive(Default)]
pub struct Tally([[AtomicU64; OUTCOMES.len()]; KINDS]);

impl Tally {
    pub fn count(&self, kind: DeliveryKind, outcome: &Outcome) {
        let column = match outcome {
            Outcome::Delivered => 0,
            Outcome::Retry { .. } => 1,
            Outcome::GivenUp { .. } => 2,
        };
        self.0[kind as usize][column].fetch_add(1, Relaxed);
    }

    /// Kind, outcome and number, those that are 0 included: an alarm on the first
    /// failure needs to have seen none.
    pub fn counts(&self) -> impl Iterator<Item = (DeliveryKind, &'static str, u64)> {
        let rows = DeliveryKind::ALL.iter().zip(&self.0);
        rows.flat_map(|(kind, row)| {
            let cells = OUTCOMES.iter().zip(row);
            cells.map(move |(outcome, count)| (*kind, *outcome, count.load(Relaxed)))
        })
    }
}
