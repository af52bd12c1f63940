//! What handlers work with.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::edge::rate_limit::RateLimit;
use super::edge::report_limit::ReportLimit;
use super::ops::metrics::Metrics;
use super::site::changeover::Newest;
use super::site::live::LivePages;
use crate::store::{DeliveryKind, LiveWeights, Store};
use crate::trace::Tracer;

pub struct AppParts {
    pub pages: Arc<LivePages>,
    /// Knows of pages that may have been published since.
    pub newest: Newest,
    pub metrics: Arc<Metrics>,
    pub tracer: Tracer,
    pub store: Store,
    /// What is known of spam.
    pub lessons: LiveWeights,
    /// What each new lead calls for, by the settings.
    pub deliveries: Vec<DeliveryKind>,
    /// There is a mail server through which subscriptions are confirmed.
    pub confirm_by_mail: bool,
    pub rate_limit: RateLimit,
    /// Visits of the links in mails.
    pub link_limit: RateLimit,
    /// Few of them ask the store at once, so that a lead always finds a connection.
    pub link_turns: Semaphore,
    pub report_limit: ReportLimit,
    /// How long a body may take to arrive.
    pub body_patience: Duration,
}
