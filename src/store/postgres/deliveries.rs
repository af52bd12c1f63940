//! Deliveries: list, retry, claim with a lease, record the outcome.

#[allow(unused_imports)]
use std::time::Duration;

use jiff::Timestamp;

use super::Postgres;
#[allow(unused_imports)]
use crate::domain::Subscription;
#[allow(unused_imports, clippy::wildcard_imports)]
use crate::store::*;

impl Postgres {
    pub async fn deliveries(&self, _filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        todo!()
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        todo!()
    }

    pub async fn retry(&self, _which: Retry, _now: Timestamp) -> Result<u64> {
        todo!()
    }

    pub async fn claim(
        &self,
        _kinds: &'static [DeliveryKind],
        _limit: usize,
        _lease: Duration,
        _busy: Vec<String>,
        _now: Timestamp,
    ) -> Result<Vec<Claim>> {
        todo!()
    }

    pub async fn replan(&self, _kinds: &'static [DeliveryKind], _now: Timestamp) -> Result<bool> {
        todo!()
    }

    pub async fn record(
        &self,
        _id: String,
        _token: String,
        _outcome: Outcome,
        _now: Timestamp,
    ) -> Result<bool> {
        todo!()
    }
}
