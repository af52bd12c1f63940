//! What the links in mails lead to.

#[allow(unused_imports)]
use std::time::Duration;

use jiff::Timestamp;

use super::Postgres;
#[allow(unused_imports)]
use crate::domain::Subscription;
#[allow(unused_imports, clippy::wildcard_imports)]
use crate::store::*;

impl Postgres {
    pub async fn look_at_link(
        &self,
        _hash: String,
        _purpose: LinkPurpose,
        _now: Timestamp,
    ) -> Result<LinkState> {
        todo!()
    }

    pub async fn follow_link(
        &self,
        _hash: String,
        _purpose: LinkPurpose,
        _now: Timestamp,
    ) -> Result<LinkState> {
        todo!()
    }
}
