//! Counters in the text format of Prometheus, kept in plain atomics.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::histogram::Histogram;
use crate::store::{DeliveryCounts, Store};

/// Kinds of requests that are worth telling apart.
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

/// The answers we give; anything else counts as the last one.
const STATUSES: [u16; 21] = [
    200, 201, 202, 204, 303, 304, 308, 400, 403, 404, 405, 408, 410, 413, 415, 422, 429, 500, 503,
    431, 0,
];

#[derive(Default)]
pub struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; CLASSES.len()],
    durations: [Histogram; CLASSES.len()],
    open_connections: AtomicI64,
    leads_stored: AtomicU64,
    leads_held: AtomicU64,
}

impl Metrics {
    pub fn request(&self, class: Class, status: u16, took: Duration) {
        let column = STATUSES.iter().position(|known| *known == status);
        self.requests[class as usize][column.unwrap_or(STATUSES.len() - 1)].fetch_add(1, Relaxed);
        self.durations[class as usize].observe(took);
    }

    pub fn connections_changed(&self, by: i64) {
        self.open_connections.fetch_add(by, Relaxed);
    }

    pub fn lead_stored(&self, held: bool) {
        self.leads_stored.fetch_add(1, Relaxed);
        self.leads_held.fetch_add(u64::from(held), Relaxed);
    }

    /// The whole text. `deliveries` is missing when the store does not answer.
    pub fn render(&self, store: &Store, deliveries: Option<DeliveryCounts>) -> String {
        let mut out = String::with_capacity(8 * 1024);
        self.render_requests(&mut out);
        self.render_durations(&mut out);
        let open = self.open_connections.load(Relaxed);
        single(
            &mut out,
            "frontdoor_open_connections",
            "gauge",
            "Open client connections.",
            open,
        );
        let stored = self.leads_stored.load(Relaxed);
        single(
            &mut out,
            "frontdoor_leads_stored_total",
            "counter",
            "Leads stored since the start.",
            stored,
        );
        let held = self.leads_held.load(Relaxed);
        single(
            &mut out,
            "frontdoor_leads_held_total",
            "counter",
            "Leads held back as suspicious since the start.",
            held,
        );
        single(
            &mut out,
            "frontdoor_store_up",
            "gauge",
            "Whether the store can be read, and took what was last written.",
            u8::from(deliveries.is_some() && !store.health().is_failing()),
        );
        render_store(&mut out, store);
        if let Some(counts) = deliveries {
            render_deliveries(&mut out, counts);
        }
        out
    }

    fn render_requests(&self, out: &mut String) {
        head(
            out,
            "frontdoor_http_requests_total",
            "counter",
            "Answered requests.",
        );
        for (class, row) in CLASSES.iter().zip(&self.requests) {
            for (status, count) in STATUSES.iter().zip(row) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let _ = writeln!(
                        out,
                        "frontdoor_http_requests_total{{route=\"{class}\",status=\"{status}\"}} {count}"
                    );
                }
            }
        }
    }

    fn render_durations(&self, out: &mut String) {
        let name = "frontdoor_http_request_duration_seconds";
        head(
            out,
            name,
            "histogram",
            "Time from a request's header to its answer.",
        );
        for (class, histogram) in CLASSES.iter().zip(&self.durations) {
            histogram.render(out, name, &format!("route=\"{class}\""));
        }
    }
}

fn render_store(out: &mut String, store: &Store) {
    single(
        out,
        "frontdoor_store_queue",
        "gauge",
        "Writes that wait for their turn.",
        store.waiting(),
    );
    let name = "frontdoor_store_commit_duration_seconds";
    head(out, name, "histogram", "Time of a commit to disk.");
    store.health().commits().render(out, name, "");
    let last = store.health().last_commit();
    single(
        out,
        "frontdoor_store_last_commit_timestamp_seconds",
        "gauge",
        "When something was last committed to disk; 0: not since the start.",
        last.map_or(0.0, |time| time.as_millisecond() as f64 / 1e3),
    );
}

fn render_deliveries(out: &mut String, counts: DeliveryCounts) {
    head(
        out,
        "frontdoor_deliveries",
        "gauge",
        "Stored deliveries by state.",
    );
    for (state, count) in counts.by_state() {
        let _ = writeln!(out, "frontdoor_deliveries{{state=\"{state}\"}} {count}");
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn single(out: &mut String, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
    head(out, name, kind, help);
    let _ = writeln!(out, "{name} {value}");
}
