//! The issues of the newsletter: which were begun, and which look alike.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::Postgres;
use super::ask::{counted, number, present, text, time};
use crate::store::{EarlierIssue, GETS_ISSUES, IssueRecord, Result};

/// More would not help the owner to decide.
const MOST_EARLIER: i64 = 3;

impl Postgres {
    pub async fn begin_issue(&self, issue: IssueRecord, now: Timestamp) -> Result<()> {
        let sql = format!(
            "INSERT INTO newsletter_issues (id, subject, file_name, first_sent_at)
            VALUES ($1, $2, $3, {})
            ON CONFLICT (id) DO UPDATE SET finished_at = NULL",
            present("$4")
        );
        let now = self.time(now);
        let (id, subject, file) = (&issue.id, &issue.subject, &issue.file_name);
        let values = [text(id), text(subject), text(file), time(&now)];
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn finish_issue(&self, issue: String, now: Timestamp) -> Result<()> {
        let sql = format!(
            "UPDATE newsletter_issues SET finished_at = {} WHERE id = $1",
            present("$2")
        );
        let now = self.time(now);
        let changed = self.change(&sql, &[text(&issue), time(&now)]).await;
        changed.map(|_| ())
    }

    pub async fn is_unfinished(&self, issue: String) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM newsletter_issues
            WHERE id = $1 AND finished_at IS NULL) AS found";
        Ok(self.row(sql, &[text(&issue)]).await?.try_get("found")?)
    }

    pub async fn earlier_issues(&self, issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        let sql = format!(
            "SELECT * FROM (SELECT subject, file_name, first_sent_at, (
                SELECT count(*) FROM newsletter_sends AS old
                JOIN subscribers ON subscribers.id = old.subscriber_id
                WHERE old.issue = newsletter_issues.id AND old.state IN ('sent', 'offered')
                    AND {GETS_ISSUES}
                    AND NOT EXISTS (SELECT 1 FROM newsletter_sends AS new
                        WHERE new.issue = $1 AND new.subscriber_id = old.subscriber_id
                            AND new.state <> 'deferred')) AS got
            FROM newsletter_issues
            WHERE id <> $1 AND (file_name = $2 OR subject = $3)) AS alike
        WHERE got > 0 ORDER BY first_sent_at DESC LIMIT $4"
        );
        let (id, subject, file) = (&issue.id, &issue.subject, &issue.file_name);
        let values = [text(id), text(file), text(subject), number(&MOST_EARLIER)];
        self.rows(&sql, &values)
            .await?
            .iter()
            .map(earlier)
            .collect()
    }
}

fn earlier(row: &Row) -> Result<EarlierIssue> {
    Ok(EarlierIssue {
        subject: row.try_get("subject")?,
        file_name: row.try_get("file_name")?,
        first_sent_at: row.try_get("first_sent_at")?,
        got: counted(row, "got")?,
    })
}
