//! Issues that a server sends at their time.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use uuid::Uuid;

use super::Sqlite;
use super::cells::Parsed;
use super::leases::longest_lease;
use super::row::stamp;
use crate::store::pause::NOT_PAUSED;
use crate::store::schedules::summary_sql;
use crate::store::{
    DueIssue, IssueRecord, IssueSummary, NewSchedule, Result, RunOutcome, ScheduleState,
};

const OURS: &str = "WHERE issue = :issue AND state = 'scheduled' AND lease_token = :token";

impl Sqlite {
    pub async fn schedule(&self, new: NewSchedule, now: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let mut insert = db.prepare_cached(
                "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate,
                    state, send_at, next_attempt_at, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, 'scheduled', ?6, ?6, ?7)
                ON CONFLICT (issue) DO UPDATE SET subject = excluded.subject,
                    file_name = excluded.file_name, content = excluded.content,
                    rate = excluded.rate, state = excluded.state, send_at = excluded.send_at,
                    next_attempt_at = excluded.next_attempt_at, attempts = 0,
                    last_error = NULL, finished_at = NULL, lease_token = NULL,
                    lease_until = NULL",
            )?;
            let IssueRecord {
                id,
                subject,
                file_name,
            } = &new.issue;
            let (send_at, now) = (stamp(new.send_at), stamp(now));
            let what = params![id, subject, file_name, new.content, new.rate, send_at, now];
            insert.execute(what).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn claim_issue(&self, lease: Duration, now: Timestamp) -> Result<Option<DueIssue>> {
        // Looked for without the writer: mostly there is none.
        let due = move |db: &Connection| Ok(due(db, now)?.is_some());
        if !self.readers.run(due).await? {
            return Ok(None);
        }
        let work = move |db: &Connection| claim(db, lease, now);
        self.writer.run(work).await
    }

    pub async fn keep_issue(
        &self,
        issue: String,
        token: String,
        lease: Duration,
        now: Timestamp,
    ) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql = format!("UPDATE newsletter_schedules SET lease_until = :until {OURS}");
            let values = named_params! {
                ":issue": issue, ":token": token, ":until": until(lease, now),
            };
            Ok(db.prepare_cached(&sql)?.execute(values)? > 0)
        };
        self.writer.run(work).await
    }

    pub async fn settle_issue(
        &self,
        issue: String,
        token: String,
        outcome: RunOutcome,
        now: Timestamp,
    ) -> Result<bool> {
        let work = move |db: &Connection| settle(db, &issue, &token, &outcome, now);
        self.writer.run(work).await
    }

    pub async fn cancel_issue(&self, issue: String, now: Timestamp) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql = "UPDATE newsletter_schedules SET state = 'cancelled', finished_at = ?2,
                    lease_token = NULL, lease_until = NULL
                WHERE issue = ?1 AND state = 'scheduled'";
            Ok(db.execute(sql, params![issue, stamp(now)])? > 0)
        };
        self.writer.run(work).await
    }

    pub async fn issues(&self, limit: usize) -> Result<Vec<IssueSummary>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let work = move |db: &Connection| {
            let mut query = db.prepare(&summary_sql("?1"))?;
            query.query_map([limit], summary)?.collect()
        };
        self.readers.run(work).await
    }
}

fn until(lease: Duration, now: Timestamp) -> String {
    stamp(now.saturating_add(lease).unwrap_or(Timestamp::MAX))
}

fn due(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<String>> {
    let mut query = db.prepare_cached(&format!(
        "SELECT issue FROM newsletter_schedules
        WHERE state = 'scheduled' AND next_attempt_at <= ?1
            AND (lease_until IS NULL OR lease_until <= ?1 OR lease_until > ?2) AND {NOT_PAUSED}
        ORDER BY next_attempt_at LIMIT 1"
    ))?;
    query
        .query_row(params![stamp(now), longest_lease(now)], |row| row.get(0))
        .optional()
}

fn claim(db: &Connection, lease: Duration, now: Timestamp) -> rusqlite::Result<Option<DueIssue>> {
    let Some(issue) = due(db, now)? else {
        return Ok(None);
    };
    let token = Uuid::new_v4().to_string();
    let mut take = db.prepare_cached(
        "UPDATE newsletter_schedules SET lease_token = ?2, lease_until = ?3 WHERE issue = ?1
        RETURNING subject, file_name, content, rate, attempts",
    )?;
    let values = params![issue, token, until(lease, now)];
    take.query_row(values, |row| {
        Ok(DueIssue {
            issue: IssueRecord {
                id: issue.clone(),
                subject: row.get("subject")?,
                file_name: row.get("file_name")?,
            },
            content: row.get("content")?,
            rate: row.get("rate")?,
            attempts: row.get("attempts")?,
            token: token.clone(),
        })
    })
    .map(Some)
}

fn settle(
    db: &Connection,
    issue: &str,
    token: &str,
    outcome: &RunOutcome,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let (state, next, reason, attempts) = outcome.parts();
    let ended = (state != ScheduleState::Scheduled).then(|| stamp(now));
    let sql = format!(
        "UPDATE newsletter_schedules SET state = :state,
            next_attempt_at = coalesce(:next, next_attempt_at),
            last_error = CASE WHEN :released THEN last_error ELSE :reason END,
            attempts = attempts + :attempts, finished_at = :ended,
            lease_token = NULL, lease_until = NULL {OURS}"
    );
    let values = named_params! {
        ":issue": issue, ":token": token, ":state": state.as_str(), ":next": next.map(stamp),
        ":reason": reason, ":attempts": attempts, ":ended": ended,
        ":released": *outcome == RunOutcome::Released,
    };
    Ok(db.prepare_cached(&sql)?.execute(values)? > 0)
}

fn summary(row: &Row<'_>) -> rusqlite::Result<IssueSummary> {
    let time = |column: &str| -> rusqlite::Result<Option<Timestamp>> {
        let time: Option<Parsed<Timestamp>> = row.get(column)?;
        Ok(time.map(|Parsed(time)| time))
    };
    let number =
        |column: &str| -> rusqlite::Result<u64> { Ok(row.get::<_, i64>(column)?.unsigned_abs()) };
    let schedule: Option<Parsed<ScheduleState>> = row.get("schedule")?;
    Ok(IssueSummary {
        issue: IssueRecord {
            id: row.get("id")?,
            subject: row.get("subject")?,
            file_name: row.get("file_name")?,
        },
        schedule: schedule.map(|Parsed(state)| state),
        send_at: time("send_at")?,
        first_sent_at: time("first_sent_at")?,
        finished_at: time("finished_at")?,
        last_error: row.get("last_error")?,
        sent: number("sent")?,
        refused: number("refused")?,
        unsure: number("unsure")?,
        left: number("to_come")?,
    })
}
