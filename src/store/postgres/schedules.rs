//! Issues that a server sends at their time. Of several servers one gets each:
//! a row that another holds is passed over.

use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::Postgres;
use super::ask::{counted, milliseconds, number, present, text, time};
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use crate::store::pause::NOT_PAUSED;
use crate::store::schedules::summary_sql;
use crate::store::{
    DueIssue, IssueRecord, IssueSummary, NewSchedule, Result, RunOutcome, StoreError,
};

/// `$1` and `$2`: the issue and the token of its claim.
const OURS: &str = "WHERE issue = $1 AND state = 'scheduled' AND lease_token = $2";

impl Postgres {
    pub async fn schedule(&self, new: NewSchedule, now: Timestamp) -> Result<()> {
        let sql = format!(
            "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate,
                state, send_at, next_attempt_at, created_at)
            VALUES ($1, $2, $3, $4, $5, 'scheduled', $6, $6, {})
            ON CONFLICT (issue) DO UPDATE SET subject = excluded.subject,
                file_name = excluded.file_name, content = excluded.content,
                rate = excluded.rate, state = excluded.state, send_at = excluded.send_at,
                next_attempt_at = excluded.next_attempt_at, attempts = 0,
                last_error = NULL, finished_at = NULL, lease_token = NULL, lease_until = NULL",
            present("$7")
        );
        let IssueRecord {
            id,
            subject,
            file_name,
        } = &new.issue;
        let (rate, send_at) = (i64::from(new.rate), Some(milliseconds(new.send_at)));
        let now = self.time(now);
        let what = [text(id), text(subject), text(file_name), text(&new.content)];
        let values = [&what[..], &[number(&rate), time(&send_at), time(&now)]].concat();
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn claim_issue(&self, lease: Duration, now: Timestamp) -> Result<Option<DueIssue>> {
        let sql = format!(
            "{}, due AS MATERIALIZED (
                SELECT issue FROM newsletter_schedules
                WHERE state = 'scheduled' AND next_attempt_at <= {NOW} AND {}
                    AND {NOT_PAUSED}
                ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            UPDATE newsletter_schedules SET lease_token = $2,
                lease_until = {NOW} + $3 * interval '1 millisecond'
            FROM due WHERE newsletter_schedules.issue = due.issue
            RETURNING newsletter_schedules.issue, subject, file_name, content, rate, attempts",
            with_present(),
            not_leased()
        );
        let (token, now) = (Uuid::new_v4().to_string(), self.time(now));
        let lease = in_milliseconds(lease);
        let values = [time(&now), text(&token), number(&lease)];
        let taken = self.rows(&sql, &values).await?;
        taken.first().map(|row| due(row, &token)).transpose()
    }

    pub async fn keep_issue(
        &self,
        issue: String,
        token: String,
        lease: Duration,
        now: Timestamp,
    ) -> Result<bool> {
        let sql = format!(
            "UPDATE newsletter_schedules
            SET lease_until = {} + $4 * interval '1 millisecond' {OURS}",
            present("$3")
        );
        let (now, lease) = (self.time(now), in_milliseconds(lease));
        let values = [text(&issue), text(&token), time(&now), number(&lease)];
        Ok(self.change(&sql, &values).await? > 0)
    }

    pub async fn settle_issue(
        &self,
        issue: String,
        token: String,
        outcome: RunOutcome,
        now: Timestamp,
    ) -> Result<bool> {
        let (state, next, reason, attempts) = outcome.parts();
        let sql = format!(
            "UPDATE newsletter_schedules SET state = $4,
                next_attempt_at = coalesce({} + $5 * interval '1 millisecond', next_attempt_at),
                last_error = CASE WHEN $6 THEN last_error ELSE $7 END,
                attempts = attempts + $8,
                finished_at = CASE WHEN $4 = 'scheduled' THEN NULL ELSE {} END,
                lease_token = NULL, lease_until = NULL {OURS}",
            present("$3"),
            present("$3")
        );
        // A pause, counted from the present of the clock that counts.
        let pause = next.map(|at| at.duration_since(now).as_millis());
        let pause = pause.and_then(|pause| i64::try_from(pause).ok());
        let (now, state) = (self.time(now), state.as_str());
        let (released, attempts) = (outcome == RunOutcome::Released, i64::from(attempts));
        let values = [
            text(&issue),
            text(&token),
            time(&now),
            text(&state),
            (&pause as _, Type::INT8),
            (&released as _, Type::BOOL),
            text(&reason),
            number(&attempts),
        ];
        Ok(self.change(&sql, &values).await? > 0)
    }

    pub async fn cancel_issue(&self, issue: String, now: Timestamp) -> Result<bool> {
        let sql = format!(
            "UPDATE newsletter_schedules SET state = 'cancelled', finished_at = {},
                lease_token = NULL, lease_until = NULL
            WHERE issue = $1 AND state = 'scheduled'",
            present("$2")
        );
        let now = self.time(now);
        Ok(self.change(&sql, &[text(&issue), time(&now)]).await? > 0)
    }

    pub async fn issues(&self, limit: usize) -> Result<Vec<IssueSummary>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self.rows(&summary_sql("$1"), &[number(&limit)]).await?;
        found.iter().map(summary).collect()
    }
}

fn in_milliseconds(lease: Duration) -> i64 {
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

/// A number of the table that is never negative.
fn small(row: &Row, column: &str) -> Result<u32> {
    let number: i32 = row.try_get(column)?;
    Ok(number.unsigned_abs())
}

fn due(row: &Row, token: &str) -> Result<DueIssue> {
    Ok(DueIssue {
        issue: IssueRecord {
            id: row.try_get("issue")?,
            subject: row.try_get("subject")?,
            file_name: row.try_get("file_name")?,
        },
        content: row.try_get("content")?,
        rate: small(row, "rate")?,
        attempts: small(row, "attempts")?,
        token: token.to_owned(),
    })
}

fn summary(row: &Row) -> Result<IssueSummary> {
    let schedule: Option<&str> = row.try_get("schedule")?;
    let schedule = schedule.map(|word| word.parse().map_err(StoreError::Unavailable));
    Ok(IssueSummary {
        issue: IssueRecord {
            id: row.try_get("id")?,
            subject: row.try_get("subject")?,
            file_name: row.try_get("file_name")?,
        },
        schedule: schedule.transpose()?,
        send_at: row.try_get("send_at")?,
        first_sent_at: row.try_get("first_sent_at")?,
        finished_at: row.try_get("finished_at")?,
        last_error: row.try_get("last_error")?,
        sent: counted(row, "sent")?,
        refused: counted(row, "refused")?,
        unsure: counted(row, "unsure")?,
        left: counted(row, "to_come")?,
    })
}
