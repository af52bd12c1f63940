//! Issues of the newsletter and who was sent which.

#[allow(unused_imports)]
use std::time::Duration;

use jiff::Timestamp;

use super::Postgres;
#[allow(unused_imports)]
use crate::domain::Subscription;
#[allow(unused_imports, clippy::wildcard_imports)]
use crate::store::*;

impl Postgres {
    pub async fn begin_issue(&self, _issue: IssueRecord, _now: Timestamp) -> Result<()> {
        todo!()
    }

    pub async fn finish_issue(&self, _issue: String, _now: Timestamp) -> Result<()> {
        todo!()
    }

    pub async fn is_unfinished(&self, _issue: String) -> Result<bool> {
        todo!()
    }

    pub async fn earlier_issues(&self, _issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        todo!()
    }

    pub async fn recipients(
        &self,
        _issue: String,
        _audience: Audience,
        _after_id: String,
        _limit: usize,
    ) -> Result<Vec<Recipient>> {
        todo!()
    }

    pub async fn offer(
        &self,
        _issue: String,
        _subscriber_id: String,
        _link_hash: String,
        _now: Timestamp,
    ) -> Result<bool> {
        todo!()
    }

    pub async fn mark_sent(&self, _issue: String, _subscriber_id: String) -> Result<()> {
        todo!()
    }

    pub async fn withdraw_offer(&self, _issue: String, _subscriber_id: String) -> Result<()> {
        todo!()
    }

    pub async fn noted_until(
        &self,
        _issue: String,
        _state: SendState,
        _until: Timestamp,
    ) -> Result<u64> {
        todo!()
    }

    pub async fn withdraw(
        &self,
        _issue: String,
        _state: SendState,
        _until: Timestamp,
    ) -> Result<()> {
        todo!()
    }

    pub async fn note_not_taken(
        &self,
        _issue: String,
        _subscriber_id: String,
        _state: SendState,
        _code: String,
        _now: Timestamp,
    ) -> Result<()> {
        todo!()
    }

    pub async fn take_back(
        &self,
        _issue: String,
        _subscriber_id: String,
        _state: SendState,
        _code: String,
    ) -> Result<()> {
        todo!()
    }

    pub async fn issue_counts(&self, _issue: String) -> Result<IssueCounts> {
        todo!()
    }
}
