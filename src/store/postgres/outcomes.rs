//! What became of a claim, and when it is tried again.

use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::ask::{Value, number, text, time};
use super::recent::{NOW, with_present};
use super::{Postgres, channels};
use crate::store::{Channel, DeliveryKind, MOST_REPLANNED, Outcome, Result};

impl Postgres {
    pub async fn replan(&self, kinds: &'static [DeliveryKind], now: Timestamp) -> Result<bool> {
        let present = with_present();
        // What was planned after this very moment was planned before the clock
        // was set back. It keeps its pause, counted from now.
        let sql = format!(
            "{present},
            ahead AS MATERIALIZED (
                SELECT id, greatest(next_attempt_at - coalesce(planned_at, created_at),
                    interval '0') AS pause
                FROM deliveries
                WHERE state = 'pending' AND kind = ANY ($2) AND next_attempt_at > {NOW}
                    AND coalesce(planned_at, created_at) > {NOW}
                LIMIT $3 FOR UPDATE SKIP LOCKED)
            UPDATE deliveries SET next_attempt_at = {NOW} + pause, planned_at = {NOW}
            FROM ahead WHERE deliveries.id = ahead.id"
        );
        let now = self.time(now);
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
        let most = i64::from(MOST_REPLANNED);
        let values = [time(&now), (&kinds as _, Type::TEXT_ARRAY), number(&most)];
        let replanned = self.change(&sql, &values).await?;
        Ok(replanned >= u64::from(MOST_REPLANNED))
    }

    pub async fn record(
        &self,
        id: String,
        token: String,
        channel: Channel,
        outcome: Outcome,
        now: Timestamp,
    ) -> Result<bool> {
        let (present, now_here) = (with_present(), self.time(now));
        let (change, which) = words(&outcome);
        let (reason, pause) = match &outcome {
            Outcome::Delivered => (None, 0),
            Outcome::Retry { at, reason } => (Some(reason), pause(now, *at)),
            Outcome::GivenUp { reason } => (Some(reason), 0),
        };
        let works = match outcome {
            Outcome::Delivered => channels::works(6),
            _ => "SELECT $6".to_owned(),
        };
        let sql = format!(
            "{present}, works AS ({works}),
            said AS (SELECT $3 AS token, $4 AS reason, $5 * interval '1 millisecond' AS pause)
            UPDATE deliveries SET {change}, attempts = attempts + 1, last_error = said.reason,
                lease_token = NULL, lease_until = NULL
            FROM said WHERE id = $2 AND {which}"
        );
        let mut values: Vec<Value<'_>> = vec![time(&now_here), text(&id), text(&token)];
        let channel = channel.as_str();
        values.extend([text(&reason), number(&pause), text(&channel)]);
        Ok(self.change(&sql, &values).await? > 0)
    }

    pub async fn note_reached(&self, id: String, all: String, channel: Channel) -> Result<()> {
        let sql = format!(
            "WITH works AS ({}) UPDATE deliveries SET reached = $2 WHERE id = $1",
            channels::works(3)
        );
        let channel = channel.as_str();
        let values = [text(&id), text(&all), text(&channel)];
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn drop_claimed(&self, id: String, token: String) -> Result<()> {
        let sql = "DELETE FROM deliveries
            WHERE id = $1 AND state = 'pending' AND lease_token = $2";
        let values = [text(&id), text(&token)];
        self.change(sql, &values).await.map(|_| ())
    }
}

/// What changes, and of which state it must be.
fn words(outcome: &Outcome) -> (String, &'static str) {
    let ours = "state = 'pending' AND lease_token = said.token";
    let end = |state| format!("state = '{state}', next_attempt_at = NULL, finished_at = {NOW}");
    match outcome {
        // True whoever holds the lease by now: it did arrive, and must not be
        // sent once more.
        Outcome::Delivered => (end("delivered"), "state <> 'delivered'"),
        Outcome::GivenUp { .. } => (end("given_up"), ours),
        Outcome::Retry { .. } => (
            format!("planned_at = {NOW}, next_attempt_at = {NOW} + said.pause"),
            ours,
        ),
    }
}

/// In milliseconds, as both are stored.
fn pause(now: Timestamp, at: Timestamp) -> i64 {
    at.as_millisecond() - now.as_millisecond()
}
