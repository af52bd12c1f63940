//! Health and metrics for monitoring, on their own listener.

pub mod metrics;

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
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
use crate::listener::Handler;
use crate::outbox::AttemptCounts;
use crate::store::{Store, StoreError};
use crate::upkeep::Backups;
use metrics::{Counts, Metrics};

/// The timeout for the counts of the store.
const TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Ops(Router);

/// The sources of health and metrics.
#[derive(Clone)]
pub struct OpsParts {
    pub store: Store,
    pub readiness: Readiness,
    pub metrics: Arc<Metrics>,
    pub attempt_counts: Arc<AttemptCounts>,
    pub promise: SignedDuration,
    pub backups: Option<Backups>,
}

impl Ops {
    pub fn new(parts: OpsParts) -> Self {
        let router = Router::new()
            .route("/healthz", get(async || plain(StatusCode::OK, "ok\n")))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics_text))
            .fallback(async || plain(StatusCode::NOT_FOUND, "not found\n"))
            .with_state(parts);
        Self(router)
    }
}

async fn ready(State(parts): State<OpsParts>) -> impl IntoResponse {
    match parts.readiness.ask().await {
        Ok(()) => plain(StatusCode::OK, "ready\n"),
        Err(why) => plain(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("not ready: {why}\n"),
        ),
    }
}

async fn metrics_text(State(parts): State<OpsParts>) -> impl IntoResponse {
    let mut text = parts.metrics.render(&parts.store, counts(&parts).await);
    metrics::add_attempts(&mut text, &parts.attempt_counts);
    if let Some(backups) = &parts.backups {
        metrics::add_backups(&mut text, backups, Timestamp::now());
    }
    (
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text.0,
    )
}

/// Returns `None` when the store doesn't answer.
async fn counts(parts: &OpsParts) -> Option<Counts> {
    let (store, now) = (&parts.store, parts.store.now());
    let counted = async {
        let (deliveries, backlog, attention, channels, paused_at) = tokio::try_join!(
            store.delivery_counts(),
            store.backlog(now),
            store.attention(parts.promise, now),
            store.channels(),
            store.paused_at(),
        )?;
        Ok::<_, StoreError>(Counts {
            deliveries,
            backlog,
            attention,
            channels,
            is_paused: paused_at.is_some(),
        })
    };
    timeout(TIMEOUT, counted).await.ok()?.ok()
}

fn plain(status: StatusCode, text: impl Into<Cow<'static, str>>) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, text.into()).into_response()
}

impl Handler for Ops {
    type Body = Body;

    async fn handle(&self, request: Request<Incoming>, _peer: SocketAddr) -> Response<Body> {
        let Ok(response) = self.0.clone().oneshot(request.map(Body::new)).await;
        response
    }

    /// Only connections to the public site are counted.
    fn connections_changed(&self, _by: i64) {}
}
