//! Newsletter issues: the scheduled ones, and to whom each issue was sent.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::deliveries::{NOT_PAUSED, UNLEASED};
use super::desk;
use super::subscribers::{LinkPurpose, add_link};
use super::tx::{Row, Tx, args, record};
use super::{Result, Store, StoreError};
use crate::domain::{SecretToken, word_enum};

/// An address that refused this many issues in a row is suspended.
const REFUSALS_THAT_SUSPEND: u32 = 2;
/// A mail offered longer ago is no longer being sent: this exceeds the timeouts of the mail server
/// and the store together.
pub const MAX_HAND_OVER: Duration = Duration::from_secs(3 * 60);
/// How many earlier issues are listed; more wouldn't help the owner decide.
const MAX_EARLIER: usize = 3;

/// A condition on the subscribers table: the subscriber gets issues.
const GETS_ISSUES: &str = "subscribers.state = 'confirmed' AND subscribers.suspended_at IS NULL";

/// A condition on the subscribers table: the subscriber gets issues but doesn't have this one.
fn is_left(issue_sql: &str) -> String {
    format!(
        "{GETS_ISSUES} AND NOT EXISTS (SELECT 1 FROM newsletter_sends AS sends
            WHERE sends.issue = {issue_sql} AND sends.subscriber_id = subscribers.id
                AND sends.state <> 'deferred')"
    )
}

/// A condition on an issue's mail: it was cut off while being handed over. A later one than `$2` may
/// still be on its way, unless the issue isn't being sent any more.
fn is_unsure(finished_at_sql: &str, schedule_sql: &str) -> String {
    format!(
        "sends.state = 'offered' AND (sends.offered_at <= $2 OR {finished_at_sql} IS NOT NULL
            OR coalesce({schedule_sql}, '') IN ('cancelled', 'given_up'))"
    )
}

word_enum!(
    /// The state of one mail of an issue.
    SendState {
        /// Being sent, or interrupted while it was: it may have arrived.
        Unsure = "offered",
        /// Accepted by the mail server.
        Sent = "sent",
        /// The mail server will never accept mail to this address.
        Refused = "refused",
        /// Not accepted for now; retried after all others.
        Deferred = "deferred",
    }
);

word_enum!(
    ScheduleState {
        /// Not due yet, or some subscribers don't have it yet.
        Scheduled = "scheduled",
        Done = "done",
        Cancelled = "cancelled",
        /// Some subscribers don't have it after the last try.
        GivenUp = "given_up",
    }
);

/// Which recipients of an issue to select.
#[derive(Debug, Clone, Copy)]
pub enum Audience {
    /// Recipients whose mail was never tried.
    Untried,
    /// Recipients whose mail was deferred in a run before this time.
    DeferredBefore(Timestamp),
}

/// A newsletter issue that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssueRecord {
    /// The hash of its file.
    pub id: String,
    pub subject: String,
    pub file_name: String,
}

/// An earlier issue that looks like another version of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierIssue {
    pub subject: String,
    pub file_name: String,
    pub first_sent_at: Timestamp,
    /// How many recipients of the new issue got this one.
    pub got: u64,
}

/// A confirmed subscriber, not suspended, who is still to get the issue.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient {
    pub issue: String,
    /// The subscriber's id.
    pub id: String,
    pub email: String,
}

/// The number of mails of an issue in each state, and of subscribers who don't have it yet.
/// Unsubscribed people count only as `sent`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    pub left: u64,
    pub unsure: u64,
    pub sent: u64,
    pub refused: u64,
}

/// A subscriber whose mail server refused an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RefusingSubscriber {
    pub email: String,
    /// The mail server's codes.
    pub code: String,
}

/// An issue to be sent later, with its final content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    pub issue: IssueRecord,
    /// Text, HTML and pictures, as JSON.
    pub content: String,
    /// What the owner typed at the desk.
    pub text: Option<String>,
    /// Mails per second; 0 means no limit.
    pub rate: u32,
    pub send_at: Timestamp,
}

/// A due issue, and the lease to send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueIssue {
    pub issue: IssueRecord,
    pub content: String,
    pub rate: u32,
    /// Earlier runs that didn't reach every recipient.
    pub attempts: u32,
    pub token: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// All subscribers have it.
    Done,
    Retry {
        at: Timestamp,
        reason: String,
    },
    GivenUp {
        reason: String,
    },
    /// The server is stopping; another one may continue at once.
    Interrupted,
}

/// An issue in the owner's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssueSummary {
    #[serde(flatten)]
    pub issue: IssueRecord,
    /// `None` if it was sent from the command line.
    #[serde(skip)]
    pub schedule: Option<ScheduleState>,
    pub send_at: Option<Timestamp>,
    /// Since when the owner has paused it.
    #[serde(skip)]
    pub paused_at: Option<Timestamp>,
    pub first_sent_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Why the last run didn't reach every recipient.
    pub last_error: Option<String>,
    pub sent: u64,
    pub refused: u64,
    /// Mails that may have arrived.
    pub unsure: u64,
    /// Subscribers who are still to get it.
    pub left: u64,
}

/// An issue's state, as the owner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    Scheduled,
    Sending,
    Paused,
    Done,
    /// The command that sent it ended early, or still runs.
    Unfinished,
    Cancelled,
    GivenUp,
}

impl IssueSummary {
    pub fn state(&self) -> IssueState {
        match self.schedule {
            Some(ScheduleState::Scheduled) if self.paused_at.is_some() => IssueState::Paused,
            Some(ScheduleState::Scheduled) if self.first_sent_at.is_some() => IssueState::Sending,
            Some(ScheduleState::Scheduled) => IssueState::Scheduled,
            Some(ScheduleState::Cancelled) => IssueState::Cancelled,
            Some(ScheduleState::GivenUp) => IssueState::GivenUp,
            None if self.finished_at.is_none() => IssueState::Unfinished,
            Some(ScheduleState::Done) | None => IssueState::Done,
        }
    }
}

impl IssueRecord {
    fn read(row: &Row) -> Result<Self> {
        record!(row => Self: id, subject, file_name)
    }
}

impl Store {
    /// Confirmed subscribers who are to get this issue: in the order of their ids after `after_id`,
    /// or, without it, a few at random.
    pub async fn recipients(
        &self,
        issue: &str,
        audience: Audience,
        after_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let order = match after_id {
            Some(_) => "id",
            None => "random()",
        };
        let mut values = args![issue, after_id.unwrap_or_default(), limit].to_vec();
        let tried = "EXISTS (SELECT 1 FROM newsletter_sends AS sends
            WHERE sends.issue = $1 AND sends.subscriber_id = subscribers.id";
        let wanted = match audience {
            Audience::Untried => format!("NOT {tried})"),
            Audience::DeferredBefore(time) => {
                values.push(time.into());
                format!("{tried} AND sends.state = 'deferred' AND sends.offered_at < $4)")
            }
        };
        let sql = format!(
            "SELECT id, email FROM subscribers
            WHERE {GETS_ISSUES} AND id > $2 AND {wanted} ORDER BY {order} LIMIT $3"
        );
        let issue = issue.to_owned();
        let read = move |row: &Row| record!(row => Recipient: id, email; issue: issue.clone());
        self.query(&sql, &values, read).await
    }

    /// Notes that a mail is about to be sent, together with the hash of its link. Returns false if
    /// it must not be sent: another run has offered it, or the subscriber has left.
    pub async fn offer(&self, to: &Recipient, link: &SecretToken, now: Timestamp) -> Result<bool> {
        let (to, link) = (to.clone(), link.clone());
        let sql = format!(
            "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
            SELECT $1, id, 'offered', $3 FROM subscribers WHERE id = $2 AND {GETS_ISSUES}
                {{for_update}}
            ON CONFLICT (issue, subscriber_id) DO UPDATE
                SET state = excluded.state, offered_at = excluded.offered_at, code = NULL
                WHERE newsletter_sends.state = 'deferred'"
        );
        self.write_at(now, move |tx| {
            let offered = tx.execute(&sql, args![&to.issue, &to.id, now])? > 0;
            if offered {
                add_link(tx, &link, &to.id, LinkPurpose::Unsubscribe)?;
            }
            Ok(offered)
        })
        .await
    }

    /// Notes that the mail server accepted an offered mail.
    pub async fn mark_sent(&self, to: &Recipient) -> Result<()> {
        let to = to.clone();
        self.write(move |tx| {
            // Earlier refusals no longer matter: the mailbox accepts mail again.
            let sql = "UPDATE subscribers SET refusals = 0, refused_issue = NULL
                WHERE id = $1 AND refusals > 0";
            tx.execute(sql, args![&to.id])?;
            let sql = "UPDATE newsletter_sends SET state = 'sent'
                WHERE issue = $1 AND subscriber_id = $2";
            match tx.execute(sql, args![&to.issue, &to.id])? {
                0 => Err(StoreError::SendRecordGone),
                _ => Ok(()),
            }
        })
        .await
    }

    /// Notes that a mail wasn't accepted, whether or not it was offered before.
    pub async fn record_deferred(
        &self,
        to: &Recipient,
        code: &str,
        offered: bool,
        now: Timestamp,
    ) -> Result<()> {
        let (to, code) = (to.clone(), code.to_owned());
        self.write_at(now, move |tx| {
            note(tx, &to, SendState::Deferred, &code, offered).map(drop)
        })
        .await
    }

    /// Deletes the note that a mail was offered, because it wasn't sent after all. Only the offer
    /// with this link is deleted, not another run's.
    pub async fn withdraw_offer(&self, to: &Recipient, link: &SecretToken) -> Result<()> {
        let sql = "DELETE FROM newsletter_sends
            WHERE issue = $1 AND subscriber_id = $2 AND state = 'offered'
                AND EXISTS (SELECT 1 FROM mail_links WHERE hash = $3)";
        let values = args![&to.issue, &to.id, link.hash()];
        self.execute(sql, values).await.map(drop)
    }

    /// Notes that an address permanently refused an issue, with the mail server's codes. Suspends it
    /// at once if it doesn't exist (`no_such_user`), otherwise after the second issue in a row.
    pub async fn record_refusal(
        &self,
        to: &Recipient,
        code: &str,
        no_such_user: bool,
        now: Timestamp,
    ) -> Result<()> {
        let (to, code) = (to.clone(), code.to_owned());
        self.write_at(now, move |tx| {
            if !note(tx, &to, SendState::Refused, &code, false)? {
                return Ok(());
            }
            // Refusals of the same issue count once.
            let sql = "UPDATE subscribers SET refused_code = $3, refused_at = $4,
                    refused_issue = $1, refusals = refusals
                        + CASE WHEN refused_issue IS NOT DISTINCT FROM $1 THEN 0 ELSE 1 END
                WHERE id = $2";
            tx.execute(sql, args![&to.issue, &to.id, &code, now])?;
            let sql = "UPDATE subscribers SET suspended_at = $2
                WHERE id = $1 AND suspended_at IS NULL AND refusals >= $3";
            let enough = if no_such_user {
                0
            } else {
                REFUSALS_THAT_SUSPEND
            };
            tx.execute(sql, args![&to.id, now, enough]).map(drop)
        })
        .await
    }

    /// How many subscribers [`Store::offer_again`] would offer an issue again.
    pub async fn count_to_offer_again(
        &self,
        issue: &str,
        state: SendState,
        until: Timestamp,
    ) -> Result<u64> {
        // `CROSS JOIN` fixes the order: the issue's few rows first, then their subscribers.
        let sql = "SELECT count(*) FROM newsletter_sends AS sends CROSS JOIN subscribers
            WHERE subscribers.id = sends.subscriber_id
                AND sends.issue = $1 AND sends.state = $2 AND sends.offered_at <= $3
                AND subscribers.state = 'confirmed'
                AND (subscribers.suspended_at IS NULL OR sends.state = 'refused')";
        self.value(sql, args![issue, state, until]).await
    }

    /// Deletes an issue's notes in one state up to a time, so that those mails are offered again.
    /// An address suspended because it refused this issue gets issues again.
    pub async fn offer_again(&self, issue: &str, state: SendState, until: Timestamp) -> Result<()> {
        let issue = issue.to_owned();
        let notes = "FROM newsletter_sends WHERE issue = $1 AND state = $2 AND offered_at <= $3";
        self.write(move |tx| {
            let values = args![&issue, state, until];
            if state == SendState::Refused {
                let resume = format!(
                    "UPDATE subscribers SET suspended_at = NULL
                    WHERE suspended_at IS NOT NULL AND id IN (SELECT subscriber_id {notes})"
                );
                tx.execute(&resume, values)?;
            }
            tx.execute(&format!("DELETE {notes}"), values).map(drop)
        })
        .await
    }

    /// Notes that an issue is being sent. If its schedule was cancelled or given up, the owner's
    /// command takes its place.
    pub async fn begin_issue(&self, issue: IssueRecord, now: Timestamp) -> Result<()> {
        self.write_at(now, move |tx| {
            let IssueRecord {
                id,
                subject,
                file_name,
            } = &issue;
            let sql = "INSERT INTO newsletter_issues (id, subject, file_name, first_sent_at)
                VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET finished_at = NULL";
            tx.execute(sql, args![id, subject, file_name, now])?;
            let sql = "DELETE FROM newsletter_schedules
                WHERE issue = $1 AND state IN ('cancelled', 'given_up')";
            tx.execute(sql, args![id]).map(drop)
        })
        .await
    }

    /// Records that no recipients are left.
    pub async fn finish_issue(&self, issue: &str, now: Timestamp) -> Result<()> {
        let sql = "UPDATE newsletter_issues SET finished_at = $2 WHERE id = $1";
        self.execute(sql, args![issue, now]).await.map(drop)
    }

    /// The number of issues that were given up and not finished since.
    pub async fn given_up_issues(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM newsletter_schedules
            WHERE state = 'given_up' AND NOT EXISTS (SELECT 1 FROM newsletter_issues
                WHERE id = issue AND newsletter_issues.finished_at IS NOT NULL)";
        self.value(sql, &[]).await
    }

    /// Whether an issue was started and some recipients don't have it yet.
    pub async fn is_unfinished(&self, issue: &str) -> Result<bool> {
        let sql = "SELECT count(*) FROM newsletter_issues
            WHERE id = $1 AND finished_at IS NULL";
        self.value(sql, args![issue]).await
    }

    /// Other issues with the same subject or file name that some recipients of this one got, latest
    /// first.
    pub async fn earlier_issues(&self, issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        let is_left = is_left("$1");
        let sql = format!(
            "SELECT * FROM (
                SELECT subject, file_name, first_sent_at, (
                    SELECT count(*) FROM newsletter_sends AS old
                    JOIN subscribers ON subscribers.id = old.subscriber_id
                    WHERE old.issue = newsletter_issues.id AND old.state IN ('sent', 'offered')
                        AND {is_left}) AS got
                FROM newsletter_issues
                WHERE id <> $1 AND (file_name = $2 OR subject = $3)) AS earlier
            WHERE got > 0 ORDER BY first_sent_at DESC LIMIT {MAX_EARLIER}"
        );
        let values = args![issue.id, issue.file_name, issue.subject];
        let read = |row: &Row| record!(row => EarlierIssue: subject, file_name, first_sent_at, got);
        self.query(&sql, values, read).await
    }

    /// Counts the mails after a run, none of which is on its way any more. If nobody is left, the
    /// issue is finished.
    pub async fn end_run(&self, issue: &str) -> Result<IssueCounts> {
        let counts = self.issue_counts(issue, self.now() + MAX_HAND_OVER).await?;
        if counts.left == 0 {
            self.finish_issue(issue, self.now()).await?;
        }
        Ok(counts)
    }

    /// Counts a mail that is being handed over at this time neither as unsure nor as left.
    pub async fn issue_counts(&self, issue: &str, now: Timestamp) -> Result<IssueCounts> {
        let number = |which: &str| format!("count(CASE WHEN {which} THEN 1 END)");
        let sql = format!(
            "SELECT {} AS sent, {} AS unsure, {} AS refused,
                (SELECT count(*) FROM subscribers WHERE {}) AS \"left\"
            FROM newsletter_sends AS sends
                JOIN subscribers AS people ON people.id = sends.subscriber_id
                LEFT JOIN newsletter_issues AS begun ON begun.id = sends.issue
                LEFT JOIN newsletter_schedules AS planned ON planned.issue = sends.issue
            WHERE sends.issue = $1",
            number("sends.state = 'sent'"),
            number(&format!(
                "people.state = 'confirmed' AND {}",
                is_unsure("begun.finished_at", "planned.state")
            )),
            number("sends.state = 'refused' AND people.state = 'confirmed'"),
            is_left("$1")
        );
        let read = |row: &Row| record!(row => IssueCounts: left, unsure, sent, refused);
        let values = args![issue, now - MAX_HAND_OVER];
        Ok(self.query(&sql, values, read).await?.remove(0))
    }

    /// Stores an issue to be sent later; one that is already stored gets the new time. If it has
    /// its text, it was written at the desk, and the desk's draft is emptied.
    pub async fn schedule(&self, new: NewSchedule, now: Timestamp) -> Result<()> {
        let sql = "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate,
                state, send_at, next_attempt_at, created_at, text)
            VALUES ($1, $2, $3, $4, $5, 'scheduled', $6, $6, $7, $8)
            ON CONFLICT (issue) DO UPDATE SET subject = excluded.subject,
                file_name = excluded.file_name, content = excluded.content, text = excluded.text,
                rate = excluded.rate, state = excluded.state, send_at = excluded.send_at,
                next_attempt_at = excluded.next_attempt_at, attempts = 0,
                last_error = NULL, finished_at = NULL, paused_at = NULL, lease_token = NULL,
                lease_until = NULL";
        let is_draft = new.text.is_some();
        let mut values = args![new.issue.id, new.issue.subject, new.issue.file_name].to_vec();
        values.extend_from_slice(args![new.content, new.rate, new.send_at, now, new.text]);
        self.write_at(now, move |tx| {
            // A server that is sending the issue wakes up and stops.
            tx.wake();
            tx.execute(sql, &values)?;
            if is_draft {
                desk::keep_issue_draft(tx, "")?;
            }
            Ok(())
        })
        .await
    }

    /// Claims a due issue for `lease`.
    pub async fn claim_issue(&self, lease: Duration, now: Timestamp) -> Result<Option<DueIssue>> {
        let is_due = move |tx: &mut Tx<'_>| Ok(due_issue(tx, now, "")?.is_some());
        self.write_if(is_due, move |tx| {
            let Some(row) = due_issue(tx, now, "{skip_locked}")? else {
                return Ok(None);
            };
            let (id, token): (String, _) = (row.get("id")?, Uuid::new_v4().to_string());
            let sql = "UPDATE newsletter_schedules SET lease_token = $2, lease_until = $3
                WHERE issue = $1";
            tx.execute(sql, args![&id, &token, now + lease])?;
            let due = IssueRecord::read(&row).and_then(|issue| {
                record!(row => DueIssue: content, rate, attempts; issue: issue, token: token)
            });
            Ok(tx.readable_one("newsletter_schedules", &id, due)?.ok())
        })
        .await
    }

    /// Renews a lease. Returns false if it was lost: the owner cancelled the issue, or another
    /// server sends it.
    pub async fn renew_issue_lease(
        &self,
        due: &DueIssue,
        lease: Duration,
        now: Timestamp,
    ) -> Result<bool> {
        let sql = "UPDATE newsletter_schedules SET lease_until = $3
            WHERE issue = $1 AND state = 'scheduled' AND lease_token = $2";
        let values = args![&due.issue.id, &due.token, now + lease];
        Ok(self.execute(sql, values).await? > 0)
    }

    /// Records the outcome of a run. Returns false if its lease was lost.
    pub async fn settle_issue(
        &self,
        due: &DueIssue,
        outcome: RunOutcome,
        now: Timestamp,
    ) -> Result<bool> {
        use ScheduleState::{Done, GivenUp, Scheduled};
        let (state, failed, at, error, finished) = match outcome {
            RunOutcome::Done => (Done, 0_u32, None, None, Some(now)),
            RunOutcome::Retry { at, reason } => (Scheduled, 1, Some(at), Some(reason), None),
            RunOutcome::GivenUp { reason } => (GivenUp, 1, None, Some(reason), Some(now)),
            RunOutcome::Interrupted => (Scheduled, 0, None, None, None),
        };
        let sql = "UPDATE newsletter_schedules SET state = $3, attempts = attempts + $4,
                next_attempt_at = coalesce($5, next_attempt_at), last_error = $6,
                finished_at = $7, lease_token = NULL, lease_until = NULL
            WHERE issue = $1 AND state = 'scheduled' AND lease_token = $2";
        let (id, token) = (&due.issue.id, &due.token);
        let values = args![id, token, state, failed, at, error, finished];
        Ok(self.execute(sql, values).await? > 0)
    }

    /// Pauses or resumes a scheduled issue; a server that is sending it stops. Returns false
    /// if it is no longer scheduled.
    pub async fn pause_issue(&self, issue: &str, pause: bool, now: Timestamp) -> Result<bool> {
        let (issue, paused_at) = (issue.to_owned(), pause.then_some(now));
        self.write_at(now, move |tx| {
            stop_issue(tx, &issue, "paused_at = $2", paused_at)
        })
        .await
    }

    pub async fn issue_refusals(
        &self,
        issue: &str,
        limit: usize,
    ) -> Result<Vec<RefusingSubscriber>> {
        let sql = "SELECT email, coalesce(code, '') AS code FROM newsletter_sends
                JOIN subscribers ON subscribers.id = subscriber_id
            WHERE issue = $1 AND newsletter_sends.state = 'refused' ORDER BY email LIMIT $2";
        let read = |row: &Row| record!(row => RefusingSubscriber: email, code);
        self.query(sql, args![issue, limit], read).await
    }

    /// Cancels a scheduled issue; a server that is sending it stops. The text typed at the
    /// desk becomes the draft again, unless there is another. Returns false if the issue isn't
    /// scheduled.
    pub async fn cancel_issue(&self, issue: &str, now: Timestamp) -> Result<bool> {
        let issue = issue.to_owned();
        self.write_at(now, move |tx| {
            let cancel = "state = 'cancelled', finished_at = $2";
            if !stop_issue(tx, &issue, cancel, Some(now))? {
                return Ok(false);
            }
            let draft = "UPDATE issue_draft SET kept_at = $2, text =
                    (SELECT text FROM newsletter_schedules WHERE issue = $1)
                WHERE text = '' AND EXISTS (SELECT 1 FROM newsletter_schedules
                    WHERE issue = $1 AND text IS NOT NULL)";
            tx.execute(draft, args![&issue, now])?;
            Ok(true)
        })
        .await
    }

    /// Sent and scheduled issues, latest first; with a state, only scheduled ones in that state.
    pub async fn issues(
        &self,
        state: Option<ScheduleState>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<IssueSummary>> {
        let which = |state: ScheduleState| format!("planned.state = '{}'", state.as_str());
        let which = state.map_or("true".into(), which);
        let number = |which: &str| {
            format!(
                "(SELECT count(*) FROM newsletter_sends AS sends
                    WHERE sends.issue = listed.id AND {which})"
            )
        };
        let (sent, refused, unsure) = (
            number("sends.state = 'sent'"),
            number("sends.state = 'refused'"),
            number(&is_unsure("listed.finished_at", "listed.schedule")),
        );
        let is_left = is_left("listed.id");
        let sql = format!(
            "SELECT listed.*, {sent} AS sent, {refused} AS refused, {unsure} AS unsure,
                CASE WHEN finished_at IS NULL AND coalesce(schedule, '') <> 'cancelled' THEN
                    (SELECT count(*) FROM subscribers WHERE {is_left})
                ELSE 0 END AS \"left\"
            FROM (
                SELECT coalesce(begun.id, planned.issue) AS id,
                    coalesce(begun.subject, planned.subject) AS subject,
                    coalesce(begun.file_name, planned.file_name) AS file_name,
                    begun.first_sent_at AS first_sent_at, begun.finished_at AS finished_at,
                    planned.state AS schedule, planned.send_at AS send_at,
                    planned.paused_at AS paused_at,
                    planned.last_error AS last_error
                FROM newsletter_issues AS begun
                FULL JOIN newsletter_schedules AS planned ON planned.issue = begun.id
                WHERE {which}
                ORDER BY coalesce(planned.send_at, begun.first_sent_at) DESC LIMIT $1
            ) AS listed
            ORDER BY coalesce(send_at, first_sent_at) DESC"
        );
        let read = |row: &Row| {
            record!(row => IssueSummary: schedule, send_at, paused_at, first_sent_at, finished_at,
                last_error, sent, refused, unsure, left;
                issue: IssueRecord::read(row)?)
        };
        let values = args![limit, now - MAX_HAND_OVER];
        self.query_readable("newsletter_schedules", &sql, values, read)
            .await
    }
}

/// Notes a mail that wasn't accepted. Returns false if another run has meanwhile noted a state that
/// outranks this one. `offered` means that this run has noted its offer.
fn note(
    tx: &mut Tx<'_>,
    to: &Recipient,
    state: SendState,
    code: &str,
    offered: bool,
) -> Result<bool> {
    let offered = if offered { ", 'offered'" } else { "" };
    let sql = format!(
        "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code)
        SELECT $1, id, $3, $4, $5 FROM subscribers WHERE id = $2
        ON CONFLICT (issue, subscriber_id) DO UPDATE
            SET state = excluded.state, offered_at = excluded.offered_at, code = excluded.code
            WHERE newsletter_sends.state IN ('deferred'{offered})"
    );
    Ok(tx.execute(&sql, args![&to.issue, &to.id, state, tx.now, code])? > 0)
}

/// Changes a scheduled issue and ends its lease, so that a server that is sending it stops.
fn stop_issue(tx: &mut Tx<'_>, issue: &str, set: &str, at: Option<Timestamp>) -> Result<bool> {
    tx.wake();
    let sql = format!(
        "UPDATE newsletter_schedules SET {set}, lease_token = NULL, lease_until = NULL
        WHERE issue = $1 AND state = 'scheduled'"
    );
    Ok(tx.execute(&sql, args![issue, at])? > 0)
}

fn due_issue(tx: &mut Tx<'_>, now: Timestamp, lock: &str) -> Result<Option<Row>> {
    let sql = format!(
        "SELECT issue AS id, newsletter_schedules.* FROM newsletter_schedules
        WHERE state = 'scheduled' AND paused_at IS NULL AND next_attempt_at <= $1 AND {NOT_PAUSED} AND {UNLEASED}
        ORDER BY next_attempt_at LIMIT 1 {lock}"
    );
    tx.first(&sql, args![now])
}
