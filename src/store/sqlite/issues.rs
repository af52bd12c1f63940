//! The issues of the newsletter: which were begun, and which look alike.

use jiff::Timestamp;
use rusqlite::{Connection, named_params, params};

use super::Sqlite;
use super::row::{self, stamp};
use crate::store::{EarlierIssue, GETS_ISSUES, IssueRecord, Result};

/// More would not help the owner to decide.
const MOST_EARLIER: usize = 3;

impl Sqlite {
    pub async fn begin_issue(&self, issue: IssueRecord, now: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let IssueRecord {
                id,
                subject,
                file_name,
            } = &issue;
            let mut insert = db.prepare_cached(
                "INSERT INTO newsletter_issues (id, subject, file_name, first_sent_at)
                VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (id) DO UPDATE SET finished_at = NULL",
            )?;
            insert.execute(params![id, subject, file_name, stamp(now)])?;
            Ok(())
        };
        self.writer.run(work).await
    }

    pub async fn finish_issue(&self, issue: String, now: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let sql = "UPDATE newsletter_issues SET finished_at = ?2 WHERE id = ?1";
            db.execute(sql, params![issue, stamp(now)]).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn is_unfinished(&self, issue: String) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM newsletter_issues
                WHERE id = ?1 AND finished_at IS NULL)";
            db.query_row(sql, [&issue], |row| row.get(0))
        };
        self.readers.run(work).await
    }

    pub async fn earlier_issues(&self, issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        self.readers.run(move |db| earlier(db, &issue)).await
    }
}

fn earlier(db: &Connection, issue: &IssueRecord) -> rusqlite::Result<Vec<EarlierIssue>> {
    let mut query = db.prepare(&format!(
        "SELECT subject, file_name, first_sent_at, (
            SELECT count(*) FROM newsletter_sends AS old
            JOIN subscribers ON subscribers.id = old.subscriber_id
            WHERE old.issue = newsletter_issues.id AND old.state IN ('sent', 'offered')
                AND {GETS_ISSUES}
                AND NOT EXISTS (SELECT 1 FROM newsletter_sends AS new
                    WHERE new.issue = :id AND new.subscriber_id = old.subscriber_id
                        AND new.state <> 'deferred')) AS got
        FROM newsletter_issues
        WHERE id <> :id AND (file_name = :file OR subject = :subject)
        ORDER BY first_sent_at DESC"
    ))?;
    let values = named_params! {
        ":id": issue.id, ":file": issue.file_name, ":subject": issue.subject,
    };
    let found = query.query_map(values, |found| {
        Ok(EarlierIssue {
            subject: found.get("subject")?,
            file_name: found.get("file_name")?,
            first_sent_at: row::parsed(found, "first_sent_at")?,
            got: found.get::<_, i64>("got")?.unsigned_abs(),
        })
    })?;
    let some_got_it =
        |each: &rusqlite::Result<EarlierIssue>| !matches!(each, Ok(EarlierIssue { got: 0, .. }));
    found.filter(some_got_it).take(MOST_EARLIER).collect()
}
