//! Counters in the text format of Prometheus, kept in plain atomics.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use jiff::Timestamp;

use super::samples::{self, family, one};
use crate::histogram::{Histogram, Sample};
use crate::outbox::Tally;
use crate::store::{Attention, Backlog, ChannelHealth, DeliveryCounts, Store};
use crate::upkeep::Backups;

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

/// What the store counts when it is asked.
pub struct Counts {
    pub deliveries: DeliveryCounts,
    pub backlog: Vec<Backlog>,
    pub attention: Attention,
    pub channels: Vec<ChannelHealth>,
    pub is_paused: bool,
}

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

    /// The whole text. `counts` are missing when the store does not answer.
    pub fn render(&self, store: &Store, counts: Option<Counts>) -> String {
        let mut text = String::with_capacity(8 * 1024);
        let mut add = |kind, name, help, samples| family(&mut text, kind, name, help, samples);
        add(
            "counter",
            "frontdoor_http_requests_total",
            "Answered requests.",
            self.requests(),
        );
        add(
            "histogram",
            "frontdoor_http_request_duration_seconds",
            "Time from a request's header to its answer.",
            self.durations(),
        );
        add(
            "gauge",
            "frontdoor_open_connections",
            "Open client connections.",
            one(self.open_connections.load(Relaxed)),
        );
        add(
            "counter",
            "frontdoor_leads_stored_total",
            "Leads stored since the start.",
            one(self.leads_stored.load(Relaxed)),
        );
        add(
            "counter",
            "frontdoor_leads_held_total",
            "Leads held back as suspicious since the start.",
            one(self.leads_held.load(Relaxed)),
        );
        let health = store.health();
        let is_up = counts.is_some() && !health.is_failing();
        add(
            "gauge",
            "frontdoor_store_up",
            "Whether the store can be read, and took what was last written.",
            one(u8::from(is_up)),
        );
        add(
            "gauge",
            "frontdoor_store_queue",
            "Writes that wait for their turn.",
            one(store.waiting()),
        );
        add(
            "histogram",
            "frontdoor_store_commit_duration_seconds",
            "Time of a commit to disk.",
            health.commits().samples(""),
        );
        let last = health.last_commit();
        add(
            "gauge",
            "frontdoor_store_last_commit_timestamp_seconds",
            "When something was last committed to disk; 0: not since the start.",
            one(last.map_or(0.0, |time| time.as_millisecond() as f64 / 1e3)),
        );
        add(
            "counter",
            "frontdoor_store_unreadable_rows_total",
            "How often a row was passed over that cannot be read; one that waits is met every hour.",
            one(store.times_passed_over()),
        );
        if let Some(counts) = counts {
            add(
                "gauge",
                "frontdoor_deliveries",
                "Stored deliveries by state.",
                samples::by_state(counts.deliveries),
            );
            add(
                "gauge",
                "frontdoor_deliveries_pending",
                "Deliveries to be sent now or at their next attempt, by kind.",
                samples::by_kind(&counts.backlog, |each| each.pending),
            );
            add(
                "gauge",
                "frontdoor_deliveries_retrying",
                "Those of them that have failed before.",
                samples::by_kind(&counts.backlog, |each| each.retrying),
            );
            add(
                "gauge",
                "frontdoor_deliveries_oldest_age_seconds",
                "Age of the oldest delivery that waits; 0: none does.",
                samples::oldest_age(&counts.backlog, Timestamp::now()),
            );
            add(
                "gauge",
                "frontdoor_deliveries_failing",
                "Deliveries that wait for another try.",
                samples::by_channel(|channel| counts.attention.failing(channel)),
            );
            add(
                "gauge",
                "frontdoor_channel_failing_since_timestamp_seconds",
                "Since when a channel has taken nothing; 0: it works.",
                samples::failing_since(&counts.channels),
            );
            add(
                "gauge",
                "frontdoor_sending_paused",
                "Whether nothing is sent until the owner ends the pause after a restore.",
                one(u8::from(counts.is_paused)),
            );
            add(
                "gauge",
                "frontdoor_leads_waiting",
                "Leads that wait for an answer: new, due or overdue.",
                samples::waiting(&counts.attention),
            );
        }
        text
    }

    fn requests(&self) -> Vec<Sample> {
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

    fn durations(&self) -> Vec<Sample> {
        let classes = CLASSES.iter().zip(&self.durations);
        let samples = classes.map(|(class, each)| each.samples(&format!("route=\"{class}\"")));
        samples.flatten().collect()
    }
}

/// How every attempt to deliver something went.
pub fn add_attempts(text: &mut String, tally: &Tally) {
    family(
        text,
        "counter",
        "frontdoor_delivery_attempts_total",
        "Attempts to deliver something since the start, by kind and what came of them.",
        samples::attempts(tally),
    );
}

/// Where backups are made: how the last attempt went, and how old the last good
/// one is; without any there is no age.
pub fn add_backups(text: &mut String, backups: &Backups, now: Timestamp) {
    let mut add = |name, help, samples| family(text, "gauge", name, help, samples);
    add(
        "frontdoor_backup_up",
        "Whether the last backup that was due could be made.",
        one(u8::from(backups.failure().is_none())),
    );
    if let Some(last) = backups.last_known() {
        add(
            "frontdoor_backup_age_seconds",
            "Age of the last good backup.",
            one(now.duration_since(last).as_secs().max(0)),
        );
    }
}
