//! Metrics in Prometheus text format, counted in plain atomics.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use jiff::Timestamp;

use crate::histogram::{Histogram, Sample};
use crate::outbox::AttemptCounts;
use crate::store::{
    Attention, Backlog, Channel, ChannelHealth, DeliveryCounts, DeliveryKind, Store,
};
use crate::upkeep::Backups;

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

/// Counts from the store, queried for each scrape.
pub struct Counts {
    pub deliveries: DeliveryCounts,
    pub backlog: Vec<Backlog>,
    pub attention: Attention,
    pub channels: Vec<ChannelHealth>,
    pub is_paused: bool,
}

/// Output in Prometheus text format.
#[derive(Default)]
pub struct Exposition(pub String);

impl Exposition {
    fn counter(&mut self, name: &str, help: &str, samples: Vec<Sample>) {
        self.add("counter", name, help, samples);
    }

    fn gauge(&mut self, name: &str, help: &str, samples: Vec<Sample>) {
        self.add("gauge", name, help, samples);
    }

    fn histogram(&mut self, name: &str, help: &str, samples: Vec<Sample>) {
        self.add("histogram", name, help, samples);
    }

    fn add(&mut self, kind: &str, name: &str, help: &str, samples: Vec<Sample>) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(self.0, "{name}{labels} {value}");
        }
    }
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

    /// All metrics but attempts and backups. `counts` is `None` if the store doesn't answer.
    pub fn render(&self, store: &Store, counts: Option<Counts>) -> Exposition {
        let mut out = Exposition::default();
        out.counter(
            "frontdoor_http_requests_total",
            "Answered requests.",
            self.requests(),
        );
        out.histogram(
            "frontdoor_http_request_duration_seconds",
            "Time from a request's header to its answer.",
            self.durations(),
        );
        out.gauge(
            "frontdoor_open_connections",
            "Open client connections.",
            one(self.open_connections.load(Relaxed)),
        );
        out.counter(
            "frontdoor_leads_stored_total",
            "Leads stored since the start.",
            one(self.leads_stored.load(Relaxed)),
        );
        out.counter(
            "frontdoor_leads_held_total",
            "Leads held back as suspicious since the start.",
            one(self.leads_held.load(Relaxed)),
        );
        let health = store.health();
        let is_up = counts.is_some() && !health.is_failing();
        out.gauge(
            "frontdoor_store_up",
            "Whether the store can be read, and took what was last written.",
            one(u8::from(is_up)),
        );
        out.gauge(
            "frontdoor_store_queue",
            "Writes that wait for their turn.",
            one(store.waiting()),
        );
        out.histogram(
            "frontdoor_store_commit_duration_seconds",
            "Time of a commit to disk.",
            health.commits().samples(""),
        );
        let last = health.last_commit();
        out.gauge(
            "frontdoor_store_last_commit_timestamp_seconds",
            "When something was last committed to disk; 0: not since the start.",
            one(last.map_or(0.0, |time| time.as_millisecond() as f64 / 1e3)),
        );
        out.counter("frontdoor_store_unreadable_rows_total",
            "How often a row was passed over that cannot be read; one that waits is met every hour.",
            one(store.health().times_unreadable()),
        );
        if let Some(counts) = counts {
            out.gauge(
                "frontdoor_deliveries",
                "Stored deliveries by state.",
                by_state(counts.deliveries),
            );
            out.gauge(
                "frontdoor_deliveries_pending",
                "Deliveries to be sent now or at their next attempt, by kind.",
                by_kind(&counts.backlog, |each| each.pending),
            );
            out.gauge(
                "frontdoor_deliveries_retrying",
                "Those of them that have failed before.",
                by_kind(&counts.backlog, |each| each.retrying),
            );
            out.gauge(
                "frontdoor_deliveries_oldest_age_seconds",
                "Age of the oldest delivery that waits; 0: none does.",
                oldest_age(&counts.backlog, Timestamp::now()),
            );
            out.gauge(
                "frontdoor_deliveries_failing",
                "Deliveries that wait for another try.",
                by_channel(|channel| counts.attention.failing(channel)),
            );
            out.gauge(
                "frontdoor_channel_failing_since_timestamp_seconds",
                "Since when a channel has taken nothing; 0: it works.",
                failing_since(&counts.channels),
            );
            out.gauge(
                "frontdoor_sending_paused",
                "Whether nothing is sent until the owner ends the pause after a restore.",
                one(u8::from(counts.is_paused)),
            );
            out.gauge(
                "frontdoor_leads_waiting",
                "Leads that wait for an answer: new, due or overdue.",
                waiting(&counts.attention),
            );
        }
        out
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

/// Adds the delivery attempts by outcome.
pub fn add_attempts(out: &mut Exposition, attempt_counts: &AttemptCounts) {
    out.counter(
        "frontdoor_delivery_attempts_total",
        "Attempts to deliver something since the start, by kind and what came of them.",
        attempts(attempt_counts),
    );
}

/// Adds the result of the last backup, and the age of the last good one, if there is one.
pub fn add_backups(out: &mut Exposition, backups: &Backups, now: Timestamp) {
    out.gauge(
        "frontdoor_backup_up",
        "Whether the last backup that was due could be made.",
        one(u8::from(backups.failure().is_none())),
    );
    if let Some(last) = backups.last_known() {
        out.gauge(
            "frontdoor_backup_age_seconds",
            "Age of the last good backup.",
            one(now.duration_since(last).as_secs().max(0)),
        );
    }
}

fn one(value: impl ToString) -> Vec<Sample> {
    vec![(String::new(), value.to_string())]
}

fn labelled<V: ToString>(
    label: &str,
    values: impl IntoIterator<Item = (&'static str, V)>,
) -> Vec<Sample> {
    let sample = |(word, value): (&str, V)| (format!("{{{label}=\"{word}\"}}"), value.to_string());
    values.into_iter().map(sample).collect()
}

fn by_channel<V: ToString>(value: impl Fn(Channel) -> V) -> Vec<Sample> {
    let channels = Channel::ALL.iter();
    labelled(
        "channel",
        channels.map(|channel| (channel.as_str(), value(*channel))),
    )
}

fn by_state(counts: DeliveryCounts) -> Vec<Sample> {
    let states = [
        ("pending", counts.pending),
        ("held", counts.held),
        ("delivered", counts.delivered),
        ("given_up", counts.given_up),
    ];
    labelled("state", states)
}

fn by_kind<V: ToString>(backlog: &[Backlog], value: impl Fn(&Backlog) -> V) -> Vec<Sample> {
    labelled(
        "kind",
        backlog.iter().map(|each| (each.kind.as_str(), value(each))),
    )
}

/// In seconds; 0 where nothing waits.
fn oldest_age(backlog: &[Backlog], now: Timestamp) -> Vec<Sample> {
    by_kind(backlog, |each| {
        let age = each
            .oldest
            .map(|oldest| now.duration_since(oldest).as_secs());
        age.unwrap_or_default().max(0)
    })
}

fn attempts(attempt_counts: &AttemptCounts) -> Vec<Sample> {
    let sample = |(kind, outcome, count): (DeliveryKind, &str, u64)| {
        let labels = format!("{{kind=\"{}\",outcome=\"{outcome}\"}}", kind.as_str());
        (labels, count.to_string())
    };
    attempt_counts.counts().map(sample).collect()
}

/// In seconds since 1970; 0 for a channel that works.
fn failing_since(channels: &[ChannelHealth]) -> Vec<Sample> {
    by_channel(|channel| {
        let health = channels.iter().find(|each| each.channel == channel);
        let since = health.and_then(|health| health.failed_at);
        since.map_or(0, Timestamp::as_second)
    })
}

fn waiting(attention: &Attention) -> Vec<Sample> {
    let numbers = [
        ("new", attention.fresh),
        ("due", attention.due),
        ("overdue", attention.overdue),
    ];
    labelled("due", numbers)
}
