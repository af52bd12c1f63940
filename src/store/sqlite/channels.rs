//! The two ways to the owner, and whether they work.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};

use super::Sqlite;
use super::cells::Parsed;
use super::deliveries::{self, Owner};
use super::leases::longest_lease;
use super::row::{self, stamp};
use crate::store::channels::{STILL_NEWS, unmailed_lead_sql};
use crate::store::{Channel, ChannelHealth, DeliveryKind, Result};

impl Sqlite {
    pub async fn channels(&self) -> Result<Vec<ChannelHealth>> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached(
                "SELECT channel, failed_at, last_error, given_up_at, told_at FROM channels",
            )?;
            query.query_map([], health)?.collect()
        };
        self.readers.run(work).await
    }

    pub async fn note_failing(
        &self,
        channel: Channel,
        reason: String,
        now: Timestamp,
    ) -> Result<()> {
        let work = move |db: &Connection| {
            // A time in the future is from before the clock was set back.
            let sql = "UPDATE channels SET last_error = :reason,
                    failed_at = iif(failed_at <= :now, failed_at, :now)
                WHERE channel = :channel";
            let values = named_params! {
                ":channel": channel.as_str(), ":reason": reason, ":now": stamp(now),
            };
            db.prepare_cached(sql)?.execute(values).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn note_given_up(&self, channel: Channel, now: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let sql = "UPDATE channels SET given_up_at = ?2 WHERE channel = ?1";
            let values = params![channel.as_str(), stamp(now)];
            db.prepare_cached(sql)?.execute(values).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn tell_fault(&self, seen: ChannelHealth, now: Timestamp) -> Result<bool> {
        self.writer.run(move |db| tell(db, &seen, now)).await
    }
}

fn health(row: &Row<'_>) -> rusqlite::Result<ChannelHealth> {
    let time = |column: &str| -> rusqlite::Result<Option<Timestamp>> {
        let time: Option<Parsed<Timestamp>> = row.get(column)?;
        Ok(time.map(|Parsed(time)| time))
    };
    Ok(ChannelHealth {
        channel: row::parsed(row, "channel")?,
        failed_at: time("failed_at")?,
        last_error: row.get("last_error")?,
        given_up_at: time("given_up_at")?,
        told_at: time("told_at")?,
    })
}

/// It has taken something.
pub fn works(db: &Connection, channel: Channel) -> rusqlite::Result<()> {
    let sql = "UPDATE channels SET failed_at = NULL, last_error = NULL
        WHERE channel = ?1 AND failed_at IS NOT NULL";
    db.prepare_cached(sql)?
        .execute([channel.as_str()])
        .map(|_| ())
}

/// Unless somebody else has told since it was looked at.
fn tell(db: &Connection, seen: &ChannelHealth, now: Timestamp) -> rusqlite::Result<bool> {
    let (kind, lead) = match seen.channel {
        Channel::Webhook => (DeliveryKind::FaultMail, None),
        Channel::Mail => match unmailed_lead(db, now)? {
            None => return Ok(false),
            lead => (DeliveryKind::FaultWebhook, lead),
        },
    };
    let told = db.execute(
        "UPDATE channels SET told_at = ?2, given_up_at = NULL WHERE channel = ?1 AND told_at IS ?3",
        params![seen.channel.as_str(), stamp(now), seen.told_at.map(stamp)],
    )?;
    if told == 0 {
        return Ok(false);
    }
    replace(db, kind, now)?;
    let owner = lead.as_deref().map_or(Owner::Site, Owner::Lead);
    deliveries::add(db, owner, kind, Some(now), now)?;
    Ok(true)
}

fn unmailed_lead(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<String>> {
    let since = stamp(now.saturating_sub(STILL_NEWS).unwrap_or(Timestamp::MIN));
    let mut query = db.prepare_cached(&unmailed_lead_sql("?1"))?;
    query.query_row([since], |row| row.get(0)).optional()
}

/// What still waits of this kind says nothing that the next one does not.
pub fn replace(db: &Connection, kind: DeliveryKind, now: Timestamp) -> rusqlite::Result<()> {
    let mut delete = db.prepare_cached(
        "DELETE FROM deliveries WHERE state = 'pending' AND kind = ?1
            AND (lease_until IS NULL OR lease_until <= ?2 OR lease_until > ?3)",
    )?;
    delete
        .execute(params![kind.as_str(), stamp(now), longest_lease(now)])
        .map(|_| ())
}
