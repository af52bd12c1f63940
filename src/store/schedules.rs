//! Issues of the newsletter that a server sends at their time, and all issues
//! as the owner lists them.

use std::time::Duration;

use jiff::Timestamp;

use super::{IssueRecord, Result, Store, on_engine};
use crate::domain::stored_enum;

stored_enum!(
    /// How far an issue is that was to go out later.
    ScheduleState {
        /// Its time is to come, or not everybody has got it yet.
        Scheduled = "scheduled",
        /// Nobody is left.
        Done = "done",
        /// The owner has called it off.
        Cancelled = "cancelled",
        /// Somebody is left whom the mail server did not take in any run.
        GivenUp = "given_up",
    }
);

/// An issue to be sent later, as it will be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    pub issue: IssueRecord,
    /// Text, HTML and pictures, as JSON.
    pub content: String,
    /// Mails a second; 0: no limit.
    pub rate: u32,
    pub send_at: Timestamp,
}

/// An issue whose time has come, and the right to send it for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueIssue {
    pub issue: IssueRecord,
    pub content: String,
    pub rate: u32,
    /// Earlier runs that left somebody without it.
    pub attempts: u32,
    pub token: String,
}

/// What became of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// Nobody is left.
    Done,
    Retry {
        at: Timestamp,
        reason: String,
    },
    GivenUp {
        reason: String,
    },
    /// Cut off by a stop: another server may go on at once.
    Released,
}

impl RunOutcome {
    /// The state after it, the time of the next run, why, and how many runs
    /// more it counts for.
    pub(super) fn parts(&self) -> (ScheduleState, Option<Timestamp>, Option<&str>, u32) {
        match self {
            Self::Done => (ScheduleState::Done, None, None, 0),
            Self::Retry { at, reason } => (ScheduleState::Scheduled, Some(*at), Some(reason), 1),
            Self::GivenUp { reason } => (ScheduleState::GivenUp, None, Some(reason), 1),
            Self::Released => (ScheduleState::Scheduled, None, None, 0),
        }
    }
}

/// An issue as the owner lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueSummary {
    pub issue: IssueRecord,
    /// Empty: it was sent from the command line.
    pub schedule: Option<ScheduleState>,
    pub send_at: Option<Timestamp>,
    pub first_sent_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Why the last run left somebody without it.
    pub last_error: Option<String>,
    pub sent: u64,
    pub refused: u64,
    /// May have arrived.
    pub unsure: u64,
    /// Are to get it and have not.
    pub left: u64,
}

impl Store {
    /// Stores an issue that goes out later. One that was stored before gets the
    /// new time.
    pub async fn schedule(&self, new: NewSchedule, now: Timestamp) -> Result<()> {
        on_engine!(self, db => db.schedule(new, now).await)
    }

    /// Takes an issue whose time has come, for `lease`.
    pub async fn claim_issue(&self, lease: Duration, now: Timestamp) -> Result<Option<DueIssue>> {
        on_engine!(self, db => db.claim_issue(lease, now).await)
    }

    /// Prolongs a claim. False when it has ended: the owner has called the issue
    /// off, or somebody else sends it.
    pub async fn keep_issue(
        &self,
        due: &DueIssue,
        lease: Duration,
        now: Timestamp,
    ) -> Result<bool> {
        let (issue, token) = (due.issue.id.clone(), due.token.clone());
        on_engine!(self, db => db.keep_issue(issue, token, lease, now).await)
    }

    /// Writes down what became of a run. False when its claim had ended.
    pub async fn settle_issue(
        &self,
        due: &DueIssue,
        outcome: RunOutcome,
        now: Timestamp,
    ) -> Result<bool> {
        let (issue, token) = (due.issue.id.clone(), due.token.clone());
        on_engine!(self, db => db.settle_issue(issue, token, outcome, now).await)
    }

    /// Calls an issue off; whoever sends it stops. False when it is not to be
    /// sent any more.
    pub async fn cancel_issue(&self, issue: &str, now: Timestamp) -> Result<bool> {
        on_engine!(self, db => db.cancel_issue(issue.to_owned(), now).await)
    }

    /// Issues that were sent or are to be, the latest first.
    pub async fn issues(&self, limit: usize) -> Result<Vec<IssueSummary>> {
        on_engine!(self, db => db.issues(limit).await)
    }
}

/// The columns of an [`IssueSummary`], and where they come from.
pub(super) fn summary_sql(limit: &str) -> String {
    let noted = |state: &str| {
        format!(
            "(SELECT count(*) FROM newsletter_sends AS sends
                WHERE sends.issue = listed.id AND sends.state = '{state}')"
        )
    };
    let (sent, refused, unsure) = (noted("sent"), noted("refused"), noted("offered"));
    format!(
        "SELECT listed.*, {sent} AS sent, {refused} AS refused, {unsure} AS unsure,
            CASE WHEN finished_at IS NULL AND coalesce(schedule, '') <> 'cancelled' THEN
                (SELECT count(*) FROM subscribers
                WHERE {} AND NOT EXISTS (SELECT 1 FROM newsletter_sends AS sends
                    WHERE sends.issue = listed.id AND sends.subscriber_id = subscribers.id
                        AND sends.state <> 'deferred'))
            ELSE 0 END AS to_come
        FROM (
            SELECT coalesce(begun.id, planned.issue) AS id,
                coalesce(begun.subject, planned.subject) AS subject,
                coalesce(begun.file_name, planned.file_name) AS file_name,
                begun.first_sent_at AS first_sent_at, begun.finished_at AS finished_at,
                planned.state AS schedule, planned.send_at AS send_at,
                planned.last_error AS last_error
            FROM newsletter_issues AS begun
            FULL JOIN newsletter_schedules AS planned ON planned.issue = begun.id
            ORDER BY coalesce(planned.send_at, begun.first_sent_at) DESC LIMIT {limit}
        ) AS listed
        ORDER BY coalesce(send_at, first_sent_at) DESC",
        super::GETS_ISSUES
    )
}
