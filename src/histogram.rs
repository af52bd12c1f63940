//! Histograms of durations in Prometheus format.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds in microseconds.
const BUCKETS: [u64; 10] = [
    50, 100, 250, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000,
];

/// The suffix of a metric's name with its labels, and the value.
pub type Sample = (String, String);

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

    /// `label` is, for example, `route="page"`, or empty.
    pub fn samples(&self, label: &str) -> Vec<Sample> {
        let comma = if label.is_empty() { "" } else { "," };
        let bucket = |bound: &str, below: u64| {
            let labels = format!("_bucket{{{label}{comma}le=\"{bound}\"}}");
            (labels, below.to_string())
        };
        let mut below = 0;
        let buckets = BUCKETS.iter().zip(&self.buckets).map(|(bound, count)| {
            below += count.load(Relaxed);
            bucket(&(*bound as f64 / 1e6).to_string(), below)
        });
        let mut samples: Vec<_> = buckets.collect();
        let count = self.count.load(Relaxed).max(below);
        let sum = self.micros.load(Relaxed) as f64 / 1e6;
        let braces = match label {
            "" => String::new(),
            label => format!("{{{label}}}"),
        };
        samples.push(bucket("+Inf", count));
        samples.push((format!("_sum{braces}"), sum.to_string()));
        samples.push((format!("_count{braces}"), count.to_string()));
        samples
    }
}
