//! Sends scheduled issues, on any server that runs at their time.
//!
//! One of several servers claims the issue with a lease, by the database's clock, and renews it
//! while it sends; if that server is killed, another continues when the lease expires. The notes on
//! each mail make sure that no one gets an issue twice (see `issue_run`). Recipients left after a
//! run are retried with growing delays, like a delivery.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::issue::Issue;
use super::issue_run::{Report, send_issue};
use super::mailing::Mailing;
use crate::config::MailSettings;
use crate::content::{Site, SiteFacts};
use crate::mail::MailServer;
use crate::outbox::schedule;
use crate::store::{DueIssue, IssueCounts, RunOutcome, Store};

const LEASE: Duration = Duration::from_secs(60);
/// A pause or a cancellation that another server or a command stored is noticed with the next renewal.
const RENEW_EVERY: Duration = Duration::from_secs(2);
/// How often a server polls for due issues.
const POLL: Duration = Duration::from_secs(1);

pub struct ScheduledIssues {
    pub store: Store,
    pub settings: MailSettings,
}

impl ScheduledIssues {
    /// Sends due issues until stopped, and then finishes the mails in progress. One that is cut off
    /// is unsure.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            match self.store.claim_issue(LEASE, self.store.now()).await {
                Ok(Some(due)) => {
                    if let Err(error) = self.send(&due, &stop).await {
                        tracing::warn!(issue = due.issue.id, %error, "an issue can't be sent now");
                    }
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "can't check for due issues; they wait"),
            }
            tokio::select! {
                _ = stop.changed() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Makes one run for one issue and records its outcome.
    async fn send(&self, due: &DueIssue, stop: &watch::Receiver<bool>) -> anyhow::Result<()> {
        let (store, issue) = (&self.store, &due.issue.id);
        let report = match self.mailing(due) {
            Ok(mailing) => {
                store.begin_issue(due.issue.clone(), store.now()).await?;
                tracing::info!(issue, "sending an issue");
                let (halt, halted) = watch::channel(false);
                tokio::select! {
                    report = send_issue(mailing, &halted, |_| {}) => report,
                    never = self.keep_lease(due, stop.clone(), &halt) => match never {},
                }
            }
            Err(error) => Report {
                gave_up: Some(format!("{error:#}")),
                ..Report::default()
            },
        };
        let after = store.end_run(issue).await?;
        let outcome = outcome(due, &report, after, store.now());
        log_outcome(due, &report, after, &outcome);
        if !store.settle_issue(due, outcome, store.now()).await? {
            tracing::info!(issue, "the issue was cancelled or taken over");
        }
        Ok(())
    }

    fn mailing(&self, due: &DueIssue) -> anyhow::Result<Arc<Mailing>> {
        if let Some(reason) = SiteFacts::unreadable() {
            bail!(reason);
        }
        let issue: Issue = serde_json::from_str(&due.content)
            .context("the stored issue can't be read: schedule it again")?;
        Ok(Arc::new(Mailing {
            store: self.store.clone(),
            server: MailServer::new(&self.settings.server)?,
            from: self.settings.from()?,
            issue,
            rate: due.rate,
        }))
    }

    /// Renews the lease, and halts the run if the lease is lost or the server stops. Never returns:
    /// the run ends by itself after the mails in progress.
    async fn keep_lease(
        &self,
        due: &DueIssue,
        mut stop: watch::Receiver<bool>,
        halt: &watch::Sender<bool>,
    ) -> std::convert::Infallible {
        let mut wakeups = self.store.wakeups();
        loop {
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                // The owner may have paused or cancelled the issue.
                _ = wakeups.changed() => {}
                () = tokio::time::sleep(RENEW_EVERY) => {}
            }
            let renewed = self.store.renew_issue_lease(due, LEASE, self.store.now());
            // An unavailable store says nothing about the lease.
            if let Ok(false) = renewed.await {
                break;
            }
        }
        let _ = halt.send(true);
        std::future::pending().await
    }
}

/// A time further ahead is taken for a mistake.
const LATEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Parses a future time, in the site's zone unless it has an offset. If a clock change skips or
/// repeats it, the owner sees which time was chosen before confirming.
pub fn send_time(text: &str, site: &Site, now: Timestamp) -> Result<Timestamp, &'static str> {
    let text = text.trim();
    let local = || {
        let local = text
            .parse::<DateTime>()
            .ok()
            .filter(|_| text.contains(':'))?;
        Some(local.to_zoned(site.zone()).ok()?.timestamp())
    };
    let time = text.parse::<Timestamp>().ok().or_else(local);
    let time = time.ok_or("must be like 2026-11-20 09:00 or 2026-11-20T09:00:00-05:00")?;
    match time.duration_since(now) {
        ahead if ahead <= SignedDuration::ZERO => Err("is in the past"),
        ahead if ahead > LATEST => Err("is more than a year away"),
        _ => Ok(time),
    }
}

/// If recipients are left after a run, schedules the next run, or gives up after the last.
fn outcome(due: &DueIssue, report: &Report, after: IssueCounts, now: Timestamp) -> RunOutcome {
    if after.left == 0 {
        return RunOutcome::Done;
    }
    if report.stopped {
        return RunOutcome::Interrupted;
    }
    let reason = match &report.gave_up {
        Some(reason) => reason.clone(),
        None => format!("{} not accepted by the mail server for now", report.failed),
    };
    let failed = due.attempts.saturating_add(1);
    match schedule::next_attempt(failed, now, None, rand::random()) {
        Some(at) => RunOutcome::Retry { at, reason },
        None => RunOutcome::GivenUp { reason },
    }
}

fn log_outcome(due: &DueIssue, report: &Report, after: IssueCounts, outcome: &RunOutcome) {
    let (issue, sent, left) = (&due.issue.id, report.sent, after.left);
    let (refused, unsure) = (report.refused.len(), after.unsure);
    match outcome {
        RunOutcome::Done => tracing::info!(issue, sent, refused, unsure, "an issue was sent"),
        RunOutcome::Interrupted => tracing::info!(issue, sent, left, "an issue was interrupted"),
        RunOutcome::Retry { at, reason } => {
            tracing::warn!(issue, sent, refused, left, reason, next = %at, "an issue is unfinished");
        }
        RunOutcome::GivenUp { reason } => {
            tracing::error!(issue, sent, refused, left, reason, "an issue was given up");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    #[test]
    fn a_time_is_of_the_sites_zone_unless_it_says_otherwise() {
        let toronto = Site {
            time_zone: "America/Toronto".into(),
            ..site().clone()
        };
        let now = "2026-07-01T00:00:00Z".parse().unwrap();
        let time = |text| send_time(text, &toronto, now);
        for (text, expected) in [
            ("2026-11-20 09:00", "2026-11-20T14:00:00Z"),
            ("2026-07-20T09:00", "2026-07-20T13:00:00Z"),
            ("2026-11-20T09:00:00+01:00", "2026-11-20T08:00:00Z"),
        ] {
            assert_eq!(time(text).unwrap().to_string(), expected, "{text}");
        }
        for text in [
            "tomorrow",
            "2026-11-20",
            "2026-06-30 09:00",
            "2028-01-01 09:00",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
