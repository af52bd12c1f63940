//! A request as handlers get it, and the refusals they answer with.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::edge::client::Client;
use super::edge::rate_limit::RateLimit;
use super::edge::request_log::RequestId;
use super::edge::response::{HttpResponse, Problem};
use super::ops::Metrics;
use super::site::release_watcher::ReleaseWatcher;
use crate::config::BookingSettings;
use crate::domain::{FieldError, FieldErrors};
use crate::store::{self, DeliveryKind, SpamWeights, Store, VisitCounter};

/// After this time, a visitor gets an error rather than waiting longer for the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The dependencies of the handlers.
pub struct AppState {
    pub releases: Arc<ReleaseWatcher>,
    pub metrics: Arc<Metrics>,
    pub store: Store,
    /// `None` if visits aren't counted.
    pub visits: Option<Arc<VisitCounter>>,
    pub spam_weights: SpamWeights,
    /// The deliveries created for each new lead, as configured.
    pub deliveries: Vec<DeliveryKind>,
    pub bookings: BookingSettings,
    /// Whether a mail server is configured to confirm subscriptions.
    pub confirm_by_mail: bool,
    pub rate_limit: RateLimit,
    /// Limits requests to links in mails.
    pub link_limit: RateLimit,
    /// Limits how many links query the store at once, so that leads never wait for them.
    pub link_permits: Semaphore,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

/// A request to a handler, without its body.
pub struct ApiRequest {
    pub state: Arc<AppState>,
    pub client: Client,
    pub request_id: RequestId,
    pub head: Parts,
}

/// Waits for the store, but not for long. `failure` is the message for the log.
pub async fn in_time<T>(
    failure: &str,
    work: impl Future<Output = store::Result<T>>,
) -> Result<T, Refusal> {
    match timeout(STORE_TIMEOUT, work).await {
        Ok(Ok(done)) => return Ok(done),
        // The store logs its failure once, however many requests are affected.
        Ok(Err(error)) => tracing::debug!(%error, "{failure}"),
        Err(_) => tracing::error!("{failure} in time; the visitor was told to try again"),
    }
    Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE))
}

/// Why a submission was refused.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// For developers.
    pub(super) title: Option<Cow<'static, str>>,
    /// For the visitor; `None` means the form's failure message.
    pub(super) message: Option<String>,
    pub(super) fields: Vec<FieldError>,
    pub(super) retry_after: Option<Duration>,
}

impl Refusal {
    pub fn new(status: StatusCode) -> Self {
        Self {
            status,
            title: None,
            message: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    /// Refuses a body; the reason is for developers.
    pub fn bad_body(status: StatusCode, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            title: Some(reason.into()),
            ..Self::new(status)
        }
    }

    pub fn too_often(pause: Duration) -> Self {
        Self {
            retry_after: Some(pause),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS)
        }
    }

    /// The response to a client that sent JSON.
    pub fn problem(&self, failure: &str) -> HttpResponse {
        Problem::new(self.status, self.message.as_deref().unwrap_or(failure))
            .titled(self.title.as_deref())
            .with_fields(&self.fields)
            .answer()
    }

    /// Adds the headers about the connection and the next attempt.
    pub fn finish(&self, mut answer: HttpResponse) -> HttpResponse {
        let headers = answer.headers_mut();
        let (slow, large) = (StatusCode::REQUEST_TIMEOUT, StatusCode::PAYLOAD_TOO_LARGE);
        if [slow, large].contains(&self.status) {
            // The rest of the body isn't read.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(pause) = self.retry_after {
            // Rounded up, so that a client that retries exactly then succeeds.
            let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, seconds.max(1).into());
        }
        answer
    }
}

impl From<FieldErrors> for Refusal {
    fn from(errors: FieldErrors) -> Self {
        Self {
            message: Some(errors.summary().to_owned()),
            fields: errors.as_slice().to_vec(),
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY)
        }
    }
}
