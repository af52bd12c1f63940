//! Subscribers: ask, read, list.

#[allow(unused_imports)]
use std::time::Duration;

use jiff::Timestamp;

use super::Postgres;
#[allow(unused_imports)]
use crate::domain::Subscription;
#[allow(unused_imports, clippy::wildcard_imports)]
use crate::store::*;

impl Postgres {
    pub async fn subscribe(
        &self,
        _new: Subscription,
        _by_mail: bool,
        _now: Timestamp,
    ) -> Result<Subscribed> {
        todo!()
    }

    pub async fn subscriber(&self, _email: String) -> Result<Option<Subscriber>> {
        todo!()
    }

    pub async fn subscribers(&self, _filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        todo!()
    }

    pub async fn past_consents(&self, _subscriber_id: String) -> Result<Vec<ConsentRecord>> {
        todo!()
    }
}
