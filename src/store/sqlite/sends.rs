//! Who was sent which issue of the newsletter.

use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::row::{self, stamp};
use super::{Sqlite, links};
use crate::store::{Audience, GETS_ISSUES, IssueCounts, LinkPurpose, Recipient, Result, SendState};

/// `?4`: when the run began.
const UNTRIED: &str = "NOT EXISTS (SELECT 1 FROM newsletter_sends
    WHERE issue = ?1 AND subscriber_id = subscribers.id) AND ?4 IS NULL";
const DEFERRED: &str = "EXISTS (SELECT 1 FROM newsletter_sends AS sends
    WHERE sends.issue = ?1 AND sends.subscriber_id = subscribers.id
        AND sends.state = 'deferred' AND sends.offered_at < ?4)";

impl Sqlite {
    pub async fn recipients(
        &self,
        issue: String,
        audience: Audience,
        after_id: String,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let work = move |db: &Connection| recipients(db, &issue, audience, &after_id, limit);
        self.readers.run(work).await
    }

    pub async fn some_recipients(
        &self,
        issue: String,
        audience: Audience,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let work = move |db: &Connection| select(db, &issue, audience, "", "random()", limit);
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

    /// False when it was not offered.
    pub async fn mark_sent(&self, issue: String, subscriber_id: String) -> Result<bool> {
        let work = move |db: &Connection| {
            let mut update = db.prepare_cached(
                "UPDATE newsletter_sends SET state = 'sent'
                WHERE issue = ?1 AND subscriber_id = ?2",
            )?;
            let noted = update.execute(params![issue, subscriber_id])?;
            // The refusals before it were no omen.
            let mut welcome = db.prepare_cached(
                "UPDATE subscribers SET refusals = 0, refused_issue = NULL
                WHERE id = ?1 AND refusals > 0",
            )?;
            welcome.execute([&subscriber_id])?;
            Ok(noted > 0)
        };
        self.writer.run(work).await
    }

    /// The link was stored together with the offer.
    pub async fn withdraw_offer(
        &self,
        issue: String,
        subscriber_id: String,
        link_hash: String,
    ) -> Result<()> {
        let work = move |db: &Connection| {
            let mut delete = db.prepare_cached(
                "DELETE FROM newsletter_sends
                WHERE issue = ?1 AND subscriber_id = ?2 AND state = 'offered'
                    AND EXISTS (SELECT 1 FROM mail_links WHERE hash = ?3)",
            )?;
            let values = params![issue, subscriber_id, link_hash];
            delete.execute(values).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn noted_until(
        &self,
        issue: String,
        state: SendState,
        until: Timestamp,
    ) -> Result<u64> {
        let work = move |db: &Connection| {
            // SQLite takes the tables of a CROSS JOIN in this order: the issue's
            // few before all who are subscribed.
            let sql = "SELECT count(*) FROM newsletter_sends AS sends
                CROSS JOIN subscribers ON subscribers.id = sends.subscriber_id
                WHERE sends.issue = ?1 AND sends.state = ?2 AND sends.offered_at <= ?3
                    AND subscribers.state = 'confirmed'
                    AND (subscribers.suspended_at IS NULL OR sends.state = 'refused')";
            let values = params![issue, state.as_str(), stamp(until)];
            let number: i64 = db.query_row(sql, values, |row| row.get(0))?;
            Ok(number.unsigned_abs())
        };
        self.readers.run(work).await
    }

    pub async fn withdraw(&self, issue: String, state: SendState, until: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let noted = "FROM newsletter_sends
                WHERE issue = ?1 AND state = ?2 AND offered_at <= ?3";
            let values = params![issue, state.as_str(), stamp(until)];
            if state == SendState::Refused {
                let resume = format!(
                    "UPDATE subscribers SET suspended_at = NULL
                    WHERE suspended_at IS NOT NULL AND id IN (SELECT subscriber_id {noted})"
                );
                db.execute(&resume, values)?;
            }
            db.execute(&format!("DELETE {noted}"), values).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn note_not_taken(
        &self,
        issue: String,
        subscriber_id: String,
        state: SendState,
        code: String,
        now: Timestamp,
    ) -> Result<()> {
        let work =
            move |db: &Connection| note(db, &issue, &subscriber_id, state, &code, now).map(|_| ());
        self.writer.run(work).await
    }

    pub async fn take_back(
        &self,
        issue: String,
        subscriber_id: String,
        state: SendState,
        code: String,
    ) -> Result<()> {
        let work = move |db: &Connection| {
            let mut update = db.prepare_cached(
                "UPDATE newsletter_sends SET state = ?3, code = ?4
                WHERE issue = ?1 AND subscriber_id = ?2 AND state = 'offered'",
            )?;
            update.execute(params![issue, subscriber_id, state.as_str(), code])?;
            Ok(())
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
    audience: Audience,
    after_id: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Recipient>> {
    select(db, issue, audience, after_id, "id", limit)
}

fn select(
    db: &Connection,
    issue: &str,
    audience: Audience,
    after_id: &str,
    order: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Recipient>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let (noted, before) = match audience {
        Audience::Untried => (UNTRIED, None),
        Audience::DeferredBefore(time) => (DEFERRED, Some(stamp(time))),
    };
    let mut query = db.prepare_cached(&format!(
        "SELECT id, email FROM subscribers
        WHERE {GETS_ISSUES} AND id > ?2 AND {noted} ORDER BY {order} LIMIT ?3"
    ))?;
    let recipient = |row: &Row<'_>| {
        Ok(Recipient {
            id: row.get("id")?,
            email: row.get("email")?,
        })
    };
    let values = params![issue, after_id, limit, before];
    query.query_map(values, recipient)?.collect()
}

/// A mail that was not taken; false when another run has noted more.
pub fn note(
    db: &Connection,
    issue: &str,
    subscriber_id: &str,
    state: SendState,
    code: &str,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let mut note = db.prepare_cached(
        "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code)
        SELECT ?1, id, ?3, ?4, ?5 FROM subscribers WHERE id = ?2
        ON CONFLICT (issue, subscriber_id) DO UPDATE
            SET state = excluded.state, offered_at = excluded.offered_at,
                code = excluded.code
            WHERE state = 'deferred'",
    )?;
    let (state, now) = (state.as_str(), stamp(now));
    let noted = note.execute(params![issue, subscriber_id, state, now, code])?;
    Ok(noted > 0)
}

/// Only to somebody who is subscribed at this very moment, and only once.
fn insert_offer(
    db: &Connection,
    issue: &str,
    subscriber_id: &str,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let mut insert = db.prepare_cached(&format!(
        "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
        SELECT ?1, id, 'offered', ?3 FROM subscribers WHERE id = ?2 AND {GETS_ISSUES}
        ON CONFLICT (issue, subscriber_id) DO UPDATE
            SET state = excluded.state, offered_at = excluded.offered_at, code = NULL
            WHERE state = 'deferred'"
    ))?;
    Ok(insert.execute(params![issue, subscriber_id, stamp(now)])? > 0)
}

fn count(db: &Connection, issue: &str) -> rusqlite::Result<IssueCounts> {
    let mut query = db.prepare_cached(
        "SELECT state, count(*) AS number FROM newsletter_sends AS sends
        WHERE issue = ?1 AND (state = 'sent' OR EXISTS (SELECT 1 FROM subscribers
            WHERE id = sends.subscriber_id AND subscribers.state = 'confirmed'))
        GROUP BY state",
    )?;
    let rows = query.query_map([issue], |found| {
        let number: i64 = found.get("number")?;
        Ok((row::parsed(found, "state")?, number.unsigned_abs()))
    })?;
    let mut counts = IssueCounts::default();
    for found in rows {
        match found? {
            (SendState::Offered, number) => counts.offered = number,
            (SendState::Sent, number) => counts.sent = number,
            (SendState::Refused, number) => counts.refused = number,
            // Still to come, and counted as such below.
            (SendState::Deferred, _) => {}
        }
    }
    let mut waiting = db.prepare_cached(&format!(
        "SELECT count(*) FROM subscribers
        WHERE {GETS_ISSUES} AND NOT EXISTS (SELECT 1 FROM newsletter_sends
            WHERE issue = ?1 AND subscriber_id = subscribers.id
                AND newsletter_sends.state <> 'deferred')"
    ))?;
    let number: i64 = waiting.query_row([issue], |row| row.get(0))?;
    counts.waiting = number.unsigned_abs();
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::store::sqlite::migrate;

    #[test]
    fn who_got_which_issue_is_known_after_the_table_was_rebuilt() {
        let mut db = Connection::open_in_memory().unwrap();
        db.execute_batch(concat!(
            include_str!("../../../migrations/sqlite/0001_leads.sql"),
            include_str!("../../../migrations/sqlite/0002_newsletter.sql"),
            "CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY,
                name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
            INSERT INTO schema_migrations VALUES (2, 'newsletter', '');
            INSERT INTO subscribers (id, email, state, created_at, consent_version)
                VALUES ('1', 'a', 'confirmed', '', 1), ('2', 'b', 'confirmed', '', 1),
                    ('3', 'c', 'confirmed', '', 1);
            INSERT INTO newsletter_sends VALUES ('one', '1', 'sent', ''), ('one', '2', 'offered', '');",
        ))
        .unwrap();
        migrate::run(&mut db).unwrap();
        let counts = count(&db, "one").unwrap();
        assert_eq!((counts.sent, counts.offered, counts.waiting), (1, 1, 1));
        let left = recipients(&db, "one", Audience::Untried, "", 10).unwrap();
        assert_eq!(left.len(), 1);
    }
}
