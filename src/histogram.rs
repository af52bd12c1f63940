//! Counted durations, as Prometheus wants them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds in microseconds.
const BUCKETS: [u64; 10] = [
    50, 100, 250, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000,
];

#[derive(Default)]
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl Histogram {
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = BUCKETS.iter().position(|bound| micros <= *bound) {
            self.buckets[bucket].fetch_add(1, Relaxed);
        }
        self.micros.fetch_add(micros, Relaxed);
        self.count.fetch_add(1, Relaxed);
    }

    /// `label` is like `route="page"`, or empty.
    pub fn render(&self, out: &mut String, name: &str, label: &str) {
        let comma = if label.is_empty() { "" } else { "," };
        let mut below = 0;
        for (bound, bucket) in BUCKETS.iter().zip(&self.buckets) {
            below += bucket.load(Relaxed);
            let bound = *bound as f64 / 1e6;
            let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"{bound}\"}} {below}");
        }
        let count = self.count.load(Relaxed).max(below);
        let sum = self.micros.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"+Inf\"}} {count}");
        let braces = match label {
            "" => String::new(),
            label => format!("{{{label}}}"),
        };
        let _ = writeln!(out, "{name}_sum{braces} {sum}");
        let _ = writeln!(out, "{name}_count{braces} {count}");
    }
}
