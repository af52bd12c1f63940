//! Who was sent which issue of the newsletter.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::row::{self, stamp};
use super::{Sqlite, links};
use crate::store::{IssueCounts, LinkPurpose, Recipient, Result, SendState};

impl Sqlite {
    pub async fn recipients(
        &self,
        issue: String,
        after_id: String,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let work = move |db: &Connection| recipients(db, &issue, &after_id, limit);
        self.readers.run(work).await
    }

    pub async fn offer(
        &self,
        issue: String,
        subscriber_id: String,
        link_hash: String,
        now: Timestamp,
    ) -> Result<bool> {
        let work = move |db: &Connection| {
            if !insert_offer(db, &issue, &subscriber_id, now)? {
                return Ok(false);
            }
            let purpose = LinkPurpose::Unsubscribe;
            links::add(db, &link_hash, &subscriber_id, purpose, now, None)?;
            Ok(true)
        };
        self.writer.run(work).await
    }

    pub async fn mark_sent(&self, issue: String, subscriber_id: String) -> Result<()> {
        let work = move |db: &Connection| {
            let mut update = db.prepare_cached(
                "UPDATE newsletter_sends SET state = 'sent'
                WHERE issue = ?1 AND subscriber_id = ?2",
            )?;
            update.execute(params![issue, subscriber_id]).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn withdraw_offer(&self, issue: String, subscriber_id: String) -> Result<()> {
        let work = move |db: &Connection| {
            let mut delete = db.prepare_cached(
                "DELETE FROM newsletter_sends
                WHERE issue = ?1 AND subscriber_id = ?2 AND state = 'offered'",
            )?;
            delete.execute(params![issue, subscriber_id]).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn withdraw_unsure(&self, issue: String) -> Result<u64> {
        let work = move |db: &Connection| {
            let sql = "DELETE FROM newsletter_sends WHERE issue = ?1 AND state = 'offered'";
            Ok(db.execute(sql, [&issue])? as u64)
        };
        self.writer.run(work).await
    }

    pub async fn issue_counts(&self, issue: String) -> Result<IssueCounts> {
        self.readers.run(move |db| count(db, &issue)).await
    }
}

fn recipients(
    db: &Connection,
    issue: &str,
    after_id: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Recipient>> {
    let mut query = db.prepare_cached(
        "SELECT id, email FROM subscribers
        WHERE state = 'confirmed' AND id > ?2 AND NOT EXISTS (SELECT 1 FROM newsletter_sends
            WHERE issue = ?1 AND subscriber_id = subscribers.id)
        ORDER BY id LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = query.query_map(params![issue, after_id, limit], |row| {
        Ok(Recipient {
            id: row.get(0)?,
            email: row.get(1)?,
        })
    })?;
    found.collect()
}

/// Only to somebody who is subscribed at this very moment, and only once.
fn insert_offer(
    db: &Connection,
    issue: &str,
    subscriber_id: &str,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let mut insert = db.prepare_cached(
        "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
        SELECT ?1, id, 'offered', ?3 FROM subscribers WHERE id = ?2 AND state = 'confirmed'
        ON CONFLICT (issue, subscriber_id) DO NOTHING",
    )?;
    Ok(insert.execute(params![issue, subscriber_id, stamp(now)])? > 0)
}

fn count(db: &Connection, issue: &str) -> rusqlite::Result<IssueCounts> {
    let mut query = db.prepare_cached(
        "SELECT state, count(*) FROM newsletter_sends WHERE issue = ?1 GROUP BY state",
    )?;
    let rows = query.query_map([issue], |found| {
        let number: i64 = found.get(1)?;
        Ok((row::parsed(found, 0)?, number.unsigned_abs()))
    })?;
    let mut counts = IssueCounts::default();
    for found in rows {
        match found? {
            (SendState::Offered, number) => counts.offered = number,
            (SendState::Sent, number) => counts.sent = number,
        }
    }
    let mut waiting = db.prepare_cached(
        "SELECT count(*) FROM subscribers
        WHERE state = 'confirmed' AND NOT EXISTS (SELECT 1 FROM newsletter_sends
            WHERE issue = ?1 AND subscriber_id = subscribers.id)",
    )?;
    let number: i64 = waiting.query_row([issue], |row| row.get(0))?;
    counts.waiting = number.unsigned_abs();
    Ok(counts)
}
