//! The pause after a restore: what was delivered after the backup was made waits
//! again, and would go out once more. Nothing is sent until the owner has decided.

use jiff::Timestamp;

use super::{Result, Store, on_engine};

/// As part of a query that looks for something to send.
pub(super) const NOT_PAUSED: &str = "NOT EXISTS (SELECT 1 FROM sending_pause)";

/// Why a delivery was given up that the owner did not want sent again.
pub(super) const DROPPED: &str = "dropped after a restore";

/// The deliveries of one kind that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingKind {
    /// As it is stored: a later version may have more kinds.
    pub kind: String,
    pub number: u64,
    /// Those of them that were there before a time.
    pub before: u64,
    /// When the oldest of them was stored.
    pub oldest: Option<Timestamp>,
}

/// What was not sent after all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    pub deliveries: u64,
    /// Of the newsletter.
    pub issues: u64,
}

impl Store {
    /// Since when nothing is sent, if so.
    pub async fn paused_at(&self) -> Result<Option<Timestamp>> {
        on_engine!(self, db => db.paused_at().await)
    }

    /// What is to be sent now or at its next attempt, by kind.
    pub async fn waiting_kinds(&self, before: Timestamp) -> Result<Vec<WaitingKind>> {
        on_engine!(self, db => db.waiting_kinds(before).await)
    }

    /// Ends the pause. With `drop_before` the deliveries that were there before are
    /// given up, and the issues that were due before are cancelled.
    pub async fn end_pause(
        &self,
        drop_before: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Dropped> {
        let dropped = on_engine!(self, db => db.end_pause(drop_before, now).await)?;
        self.wakeups.wake();
        Ok(dropped)
    }
}

/// The place of the time in the query.
pub(super) fn waiting_sql(before: &str) -> String {
    format!(
        "SELECT kind, count(*) AS number,
            sum(CASE WHEN created_at <= {before} THEN 1 ELSE 0 END) AS earlier,
            min(created_at) AS oldest
        FROM deliveries WHERE state = 'pending' GROUP BY kind ORDER BY kind"
    )
}

/// The places of the time and of the present.
pub(super) fn drop_deliveries_sql(before: &str, now: &str) -> String {
    format!(
        "UPDATE deliveries SET state = 'given_up', next_attempt_at = NULL,
            last_error = '{DROPPED}', finished_at = {now}, lease_token = NULL,
            lease_until = NULL
        WHERE state = 'pending' AND created_at <= {before}"
    )
}

pub(super) fn drop_issues_sql(before: &str, now: &str) -> String {
    format!(
        "UPDATE newsletter_schedules SET state = 'cancelled', last_error = '{DROPPED}',
            finished_at = {now}, lease_token = NULL, lease_until = NULL
        WHERE state = 'scheduled' AND send_at <= {before}"
    )
}
