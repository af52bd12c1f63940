//! The two ways to the owner, and whether they work.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::Postgres;
use super::ask::{counted, milliseconds, parsed, present, text, time};
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use crate::store::channels::{STILL_NEWS, unmailed_lead_sql};
use crate::store::{Channel, ChannelHealth, DeliveryKind, Result};

const NOBODY: &str = "SELECT NULL::text AS contact_id";

fn still_news() -> String {
    format!("{NOW} - interval '{} hours'", STILL_NEWS.as_hours())
}

/// It has taken something; `$n` is the channel.
pub fn works(n: usize) -> String {
    format!(
        "UPDATE channels SET failed_at = NULL, last_error = NULL
        WHERE channel = ${n} AND failed_at IS NOT NULL"
    )
}

impl Postgres {
    pub async fn channels(&self) -> Result<Vec<ChannelHealth>> {
        let sql = "SELECT channel, failed_at, last_error, given_up_at, told_at FROM channels";
        self.rows(sql, &[]).await?.iter().map(health).collect()
    }

    pub async fn note_failing(
        &self,
        channel: Channel,
        reason: String,
        now: Timestamp,
    ) -> Result<()> {
        // A time in the future is from before the clock was set back.
        let sql = format!(
            "UPDATE channels SET last_error = $2,
                failed_at = CASE WHEN failed_at <= {now} THEN failed_at ELSE {now} END
            WHERE channel = $1",
            now = present("$3")
        );
        let (channel, now) = (channel.as_str(), self.time(now));
        let values = [text(&channel), text(&reason), time(&now)];
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn note_given_up(&self, channel: Channel, now: Timestamp) -> Result<()> {
        let sql = format!(
            "UPDATE channels SET given_up_at = {} WHERE channel = $1",
            present("$2")
        );
        let (channel, now) = (channel.as_str(), self.time(now));
        let values = [text(&channel), time(&now)];
        self.change(&sql, &values).await.map(|_| ())
    }

    /// Unless somebody else has told since it was looked at.
    pub async fn tell_fault(&self, seen: ChannelHealth, now: Timestamp) -> Result<bool> {
        let (kind, subject) = match seen.channel {
            Channel::Webhook => (DeliveryKind::FaultMail, NOBODY.to_owned()),
            Channel::Mail => (DeliveryKind::FaultWebhook, unmailed_lead_sql(&still_news())),
        };
        let sql = format!(
            "{},
            subject AS MATERIALIZED ({subject}),
            told AS (
                UPDATE channels SET told_at = {NOW}, given_up_at = NULL
                WHERE channel = $2 AND told_at IS NOT DISTINCT FROM $3
                    AND EXISTS (SELECT FROM subject) RETURNING channel),
            replaced AS ({}),
            added AS (
                INSERT INTO deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
                SELECT gen_random_uuid()::text, contact_id, $4, 'pending', {NOW}, {NOW}
                FROM told, subject RETURNING id)
            SELECT count(*) AS added FROM added",
            with_present(),
            replace("$4", "told")
        );
        let (now, told) = (self.time(now), seen.told_at.map(milliseconds));
        let (channel, kind) = (seen.channel.as_str(), kind.as_str());
        let values = [time(&now), text(&channel), time(&told), text(&kind)];
        let done = self.row(&sql, &values).await?;
        Ok(counted(&done, "added")? > 0)
    }
}

/// What still waits of this kind says nothing that the next one does not; if
/// there is a next one.
pub fn replace(kind: &str, next: &str) -> String {
    format!(
        "DELETE FROM deliveries WHERE state = 'pending' AND kind = {kind} AND {}
            AND EXISTS (SELECT FROM {next})",
        not_leased()
    )
}

fn health(row: &Row) -> Result<ChannelHealth> {
    Ok(ChannelHealth {
        channel: parsed(row, "channel")?,
        failed_at: row.try_get("failed_at")?,
        last_error: row.try_get("last_error")?,
        given_up_at: row.try_get("given_up_at")?,
        told_at: row.try_get("told_at")?,
    })
}
