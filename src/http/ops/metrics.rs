//! What the public site counts, in plain atomics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::histogram::{Histogram, Sample};

/// Classes of requests that are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Page,
    Asset,
    Document,
    Contact,
    Newsletter,
    Other,
}

const CLASSES: [&str; 6] = [
    "page",
    "asset",
    "document",
    "contact",
    "newsletter",
    "other",
];

/// The statuses that are used; any other counts as the last one.
const STATUSES: [u16; 21] = [
    200, 201, 202, 204, 303, 304, 308, 400, 403, 404, 405, 408, 410, 413, 415, 422, 429, 500, 503,
    431, 0,
];

#[derive(Default)]
pub struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; CLASSES.len()],
    durations: [Histogram; CLASSES.len()],
    pub leads_stored: AtomicU64,
    pub leads_held: AtomicU64,
}

impl Metrics {
    pub fn request(&self, class: Class, status: u16, took: Duration) {
        let column = STATUSES.iter().position(|known| *known == status);
        self.requests[class as usize][column.unwrap_or(STATUSES.len() - 1)].fetch_add(1, Relaxed);
        self.durations[class as usize].observe(took);
    }

    pub fn lead_stored(&self, held: bool) {
        self.leads_stored.fetch_add(1, Relaxed);
        self.leads_held.fetch_add(u64::from(held), Relaxed);
    }

    pub fn requests(&self) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (class, row) in CLASSES.iter().zip(&self.requests) {
            for (status, count) in STATUSES.iter().zip(row) {
                let count = count.load(Relaxed);
                let labels = format!("{{route=\"{class}\",status=\"{status}\"}}");
                samples.extend((count > 0).then(|| (labels, count.to_string())));
            }
        }
        samples
    }

    pub fn durations(&self) -> Vec<Sample> {
        let classes = CLASSES.iter().zip(&self.durations);
        let samples = classes.map(|(class, each)| each.samples(&format!("route=\"{class}\"")));
        samples.flatten().collect()
    }
}
