//! Leads: store, read, list, release, forget.

#[allow(unused_imports)]
use std::time::Duration;

use jiff::Timestamp;

use super::Postgres;
#[allow(unused_imports)]
use crate::domain::Subscription;
#[allow(unused_imports, clippy::wildcard_imports)]
use crate::store::*;

impl Postgres {
    pub async fn add_lead(&self, _lead: NewLead, _now: Timestamp) -> Result<AddedLead> {
        todo!()
    }

    pub async fn add_form_lead(&self, _lead: NewLead, _now: Timestamp) -> Result<AddedLead> {
        todo!()
    }

    pub async fn lead(&self, _id: String) -> Result<Option<Lead>> {
        todo!()
    }

    pub async fn leads(&self, _filter: LeadFilter) -> Result<Vec<Lead>> {
        todo!()
    }

    pub async fn release(&self, _id: String, _now: Timestamp) -> Result<Released> {
        todo!()
    }

    pub async fn forget(&self, _email: String) -> Result<Forgotten> {
        todo!()
    }
}
