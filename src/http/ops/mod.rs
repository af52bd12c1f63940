//! Health and metrics for monitoring, on their own listener, and the counters of the public site.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use jiff::{SignedDuration, Timestamp};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::alive::Readiness;
use crate::domain::word_enum;
use crate::histogram::{Histogram, Sample};
use crate::listener::{Connections, Handler};
use crate::outbox::AttemptCounts;
use crate::store::{Backlog, Channel, DeliveryState, Store, StoreError};
use crate::upkeep::Backups;

/// How long to wait for the counts from the store.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The type, name and meaning of every metric. Counters start at 0 with the program.
const METRICS: &str = "\
counter http_requests_total Answered requests.
histogram http_request_duration_seconds Time from a request's header to its answer.
gauge open_connections Open client connections.
counter leads_stored_total Leads stored.
counter leads_held_total Leads held back as suspicious.
counter delivery_attempts_total Attempts to deliver something, by kind and outcome.
gauge store_up Whether the store can be read, and the last write succeeded.
gauge store_queue Writes waiting for their turn.
histogram store_commit_duration_seconds Time of a commit to disk.
gauge store_last_commit_timestamp_seconds When something was last committed to disk; 0 if nothing has been since the start.
counter store_unreadable_rows_total Rows that were skipped because they can't be read; a delivery counts again every hour.
gauge deliveries Deliveries that are pending, held or given up.
gauge deliveries_pending Deliveries to be sent now or at their next attempt, by kind.
gauge deliveries_retrying Deliveries waiting for another attempt after a failed one, by kind.
gauge deliveries_oldest_age_seconds Age of the oldest waiting delivery; 0 if there is none.
gauge deliveries_failing Deliveries waiting for another attempt after a failed one, by channel.
gauge newsletter_issues_given_up Issues of the newsletter that were given up before everybody had them.
gauge channel_failing_since_timestamp_seconds Since when a channel has accepted nothing; 0 if it works.
gauge sending_paused Whether nothing is sent until the owner ends the pause after a restore.
gauge leads_waiting Leads waiting for an answer: new, due or overdue.
gauge backup_up Whether the last backup that was due could be made.
gauge backup_age_seconds Age of the last good backup.
";

word_enum!(
    /// Classes of requests that are counted separately.
    Class {
        Page = "page",
        Asset = "asset",
        Document = "document",
        Contact = "contact",
        Newsletter = "newsletter",
        Visit = "visit",
        Other = "other",
    }
);

/// The statuses that we send; any other counts as the last one.
const STATUSES: [u16; 21] = [
    200, 201, 202, 204, 303, 304, 308, 400, 401, 403, 404, 405, 408, 410, 413, 415, 422, 429, 500,
    503, 0,
];

/// The counters of the public site.
#[derive(Default)]
pub struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; Class::ALL.len()],
    durations: [Histogram; Class::ALL.len()],
    leads_stored: AtomicU64,
    leads_held: AtomicU64,
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

    fn requests(&self) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (class, row) in Class::ALL.iter().zip(&self.requests) {
            for (status, count) in STATUSES.iter().zip(row) {
                let count = count.load(Relaxed);
                let labels = format!("{{route=\"{}\",status=\"{status}\"}}", class.as_str());
                samples.extend((count > 0).then(|| (labels, count.to_string())));
            }
        }
        samples
    }

    fn durations(&self) -> Vec<Sample> {
        let classes = Class::ALL.iter().zip(&self.durations);
        let samples =
            classes.map(|(class, each)| each.samples(&format!("route=\"{}\"", class.as_str())));
        samples.flatten().collect()
    }
}

#[derive(Clone)]
pub struct Ops(Router);

#[derive(Clone)]
pub struct OpsState {
    pub store: Store,
    pub readiness: Readiness,
    pub metrics: Arc<Metrics>,
    /// The connections to the public site.
    pub connections: Arc<Connections>,
    pub attempt_counts: Arc<AttemptCounts>,
    pub promise: SignedDuration,
    pub backups: Option<Backups>,
}

impl Ops {
    pub fn new(state: OpsState) -> Self {
        let router = Router::new()
            .route("/healthz", get(async || plain(StatusCode::OK, "ok\n")))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics_text))
            .fallback(async || plain(StatusCode::NOT_FOUND, "not found\n"))
            .with_state(state);
        Self(router)
    }
}

impl Handler for Ops {
    type Body = Body;

    async fn handle(&self, request: Request<Incoming>, _peer: SocketAddr) -> Response<Body> {
        let Ok(response) = self.0.clone().oneshot(request.map(Body::new)).await;
        response
    }
}

async fn ready(State(state): State<OpsState>) -> impl IntoResponse {
    match state.readiness.check().await {
        Ok(()) => plain(StatusCode::OK, "ready\n"),
        Err(why) => plain(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("not ready: {why}\n"),
        ),
    }
}

fn plain(status: StatusCode, text: impl Into<Cow<'static, str>>) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, text.into()).into_response()
}

async fn metrics_text(State(state): State<OpsState>) -> impl IntoResponse {
    let mut out = Exposition::default();
    let counted = timeout(TIMEOUT, add_counts(&mut out, &state)).await;
    let is_read = matches!(counted, Ok(Ok(())));
    let (metrics, store, health) = (&state.metrics, &state.store, state.store.health());
    out.add("http_requests_total", metrics.requests());
    out.add("http_request_duration_seconds", metrics.durations());
    out.add("open_connections", one(state.connections.count()));
    out.add(
        "leads_stored_total",
        one(metrics.leads_stored.load(Relaxed)),
    );
    out.add("leads_held_total", one(metrics.leads_held.load(Relaxed)));
    let attempts = state.attempt_counts.counts();
    let attempts = attempts.map(|(kind, outcome, count)| {
        let labels = format!("{{kind=\"{}\",outcome=\"{outcome}\"}}", kind.as_str());
        (labels, count.to_string())
    });
    out.add("delivery_attempts_total", attempts.collect());
    let is_up = is_read && !health.is_failing();
    out.add("store_up", one(u8::from(is_up)));
    out.add("store_queue", one(store.queued_writes()));
    out.add(
        "store_commit_duration_seconds",
        health.commits().samples(""),
    );
    let last = health.last_commit();
    let last = last.map_or(0.0, |time| time.as_millisecond() as f64 / 1e3);
    out.add("store_last_commit_timestamp_seconds", one(last));
    out.add(
        "store_unreadable_rows_total",
        one(health.times_unreadable()),
    );
    if let Some(backups) = &state.backups {
        out.add("backup_up", one(u8::from(backups.failure().is_none())));
        if let Some(last) = backups.last_known() {
            out.add("backup_age_seconds", one(age(Some(last))));
        }
    }
    (
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        out.0,
    )
}

/// Adds the counts from the store: all of them, or none if the store doesn't answer.
async fn add_counts(out: &mut Exposition, state: &OpsState) -> Result<(), StoreError> {
    let (store, now) = (&state.store, state.store.now());
    let (held, given_up) = (DeliveryState::Held, DeliveryState::GivenUp);
    let (held, given_up, backlog, attention, issues, channels, paused_at) = tokio::try_join!(
        store.count_deliveries(held),
        store.count_deliveries(given_up),
        store.backlog(now),
        store.attention(state.promise, now),
        store.given_up_issues(),
        store.channels(),
        store.paused_at(),
    )?;
    let states = [
        ("pending", backlog.iter().map(|each| each.pending).sum()),
        ("held", held),
        ("given_up", given_up),
    ];
    out.add("deliveries", labelled("state", states));
    let by_kind = |value: fn(&Backlog) -> u64| {
        labelled(
            "kind",
            backlog.iter().map(|each| (each.kind.as_str(), value(each))),
        )
    };
    out.add("deliveries_pending", by_kind(|each| each.pending));
    out.add("deliveries_retrying", by_kind(|each| each.retrying));
    out.add(
        "deliveries_oldest_age_seconds",
        by_kind(|each| age(each.oldest)),
    );
    let failing = by_channel(|channel| Backlog::failing(&backlog, channel));
    out.add("deliveries_failing", failing);
    out.add("newsletter_issues_given_up", one(issues));
    let failing_since = by_channel(|channel| {
        let health = channels.iter().find(|each| each.channel == channel);
        let since = health.and_then(|health| health.failed_at);
        since.map_or(0, Timestamp::as_second).unsigned_abs()
    });
    out.add("channel_failing_since_timestamp_seconds", failing_since);
    out.add("sending_paused", one(u8::from(paused_at.is_some())));
    let waiting = [
        ("new", attention.fresh),
        ("due", attention.due),
        ("overdue", attention.overdue),
    ];
    out.add("leads_waiting", labelled("due", waiting));
    Ok(())
}

/// Output in Prometheus text format.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    /// Adds the metric of this name in [`METRICS`].
    fn add(&mut self, name: &str, samples: Vec<Sample>) {
        let mut known = METRICS.lines().map(|line| line.splitn(3, ' '));
        let described = known.find_map(|mut words| {
            let kind = words.next()?;
            (words.next()? == name).then_some((kind, words.next()?))
        });
        let (kind, help) = described.expect("every metric is described");
        let name = format!("frontdoor_{name}");
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(self.0, "{name}{labels} {value}");
        }
    }
}

fn one(value: impl ToString) -> Vec<Sample> {
    vec![(String::new(), value.to_string())]
}

fn labelled<V: ToString>(
    label: &str,
    values: impl IntoIterator<Item = (&'static str, V)>,
) -> Vec<Sample> {
    let sample = |(name, value): (&str, V)| (format!("{{{label}=\"{name}\"}}"), value.to_string());
    values.into_iter().map(sample).collect()
}

fn by_channel(value: impl Fn(Channel) -> u64) -> Vec<Sample> {
    let channels = Channel::ALL.iter();
    labelled(
        "channel",
        channels.map(|channel| (channel.as_str(), value(*channel))),
    )
}

/// The age in seconds, or 0 if there is nothing.
fn age(since: Option<Timestamp>) -> u64 {
    let age = since.map(|since| Timestamp::now().duration_since(since).as_secs());
    u64::try_from(age.unwrap_or_default()).unwrap_or_default()
}
