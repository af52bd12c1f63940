//! What waits for the owner.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Row, params};

use super::Sqlite;
use super::cells::Parsed;
use super::channels::replace;
use super::deliveries::{self, Owner};
use super::row::{self, stamp};
use crate::store::digests::{
    LAST_DIGEST, attention, attention_sql, failing_sql, refused_sql, remind_after,
};
use crate::store::{Attention, DeliveryKind, Failing, Result};

impl Sqlite {
    pub async fn attention(&self, promise: SignedDuration, now: Timestamp) -> Result<Attention> {
        let before = |time| stamp(now.saturating_sub(time).unwrap_or(Timestamp::MIN));
        let times = [before(promise), before(remind_after(promise))];
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(&attention_sql("?1", "?2", "'9'"))?;
            query.query_row(times.each_ref(), |row| {
                let number = |column| number(row, column);
                Ok(attention(
                    [number("overdue")?, number("due")?, number("waiting")?],
                    [
                        number("held")?,
                        number("failing_mail")?,
                        number("failing_webhook")?,
                    ],
                ))
            })
        };
        self.readers.run(work).await
    }

    pub async fn last_digest(&self) -> Result<Option<Timestamp>> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached(LAST_DIGEST)?;
            let last: Option<Parsed<Timestamp>> = query.query_row([], |row| row.get(0))?;
            Ok(last.map(|Parsed(time)| time))
        };
        self.readers.run(work).await
    }

    pub async fn failing_since(&self, since: Timestamp) -> Result<Vec<Failing>> {
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(&failing_sql("?1"))?;
            let failing = |found: &Row<'_>| {
                Ok(Failing {
                    kind: row::parsed(found, "kind")?,
                    state: row::parsed(found, "state")?,
                    reason: found.get("last_error")?,
                    number: number(found, "number")?,
                })
            };
            // A later version may have more kinds and states.
            let rows = query.query([stamp(since)])?;
            Ok(row::read_all("deliveries", rows, failing)?.rows)
        };
        self.readers.run(work).await
    }

    pub async fn refused_since(&self, since: Timestamp) -> Result<(u64, u64)> {
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(&refused_sql("?1"))?;
            query.query_row([stamp(since)], |row| {
                Ok((number(row, "refused")?, number(row, "suspended")?))
            })
        };
        self.readers.run(work).await
    }

    pub async fn digest_is_settled(&self, day: String) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM digests WHERE day = ?1)";
            db.prepare_cached(sql)?.query_row([&day], |row| row.get(0))
        };
        self.readers.run(work).await
    }

    pub async fn settle_digest(&self, day: String, say: bool, now: Timestamp) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql =
                "INSERT INTO digests (day, decided_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            let settled = db.execute(sql, params![day, stamp(now)])? > 0;
            if settled && say {
                let kind = DeliveryKind::Digest;
                replace(db, kind, now)?;
                deliveries::add(db, Owner::Site, kind, Some(now), now)?;
            }
            Ok(settled)
        };
        self.writer.run(work).await
    }
}

pub fn number(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}
