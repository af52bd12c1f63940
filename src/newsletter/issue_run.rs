//! Sends an issue to all its recipients, each of them once.
//!
//! A mail server's reply and our record of it can't be one step: a process killed between the two
//! doesn't know whether the mail was accepted. So a note is written first: the envelope is sent to
//! the server (which has no effect), "offered" is noted, and only then the message is sent; after
//! the server's reply the note becomes "sent". A run sends only to recipients without a note, so no
//! one gets an issue twice. A mail that was cut off between note and reply may have arrived: it is
//! reported as unsure, and sent again only if the owner asks for it.
//!
//! An address that the server refuses permanently is noted and not retried; one that it defers or
//! fails on comes last in the next run. So one address can't block the others: only a server (or a
//! store) that fails many times in a row, including for recipients elsewhere in the list, ends a
//! run. [`RefusalCheck`] decides which refusals are trusted.
//!
//! A few SMTP sessions run at once, because most of the time is spent waiting for the mail server;
//! at most that many mails can become unsure.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::mailing::{MailResult, Mailing, Refused, retry_store};
use crate::mail::SmtpSession;
use crate::store::{Audience, Recipient, StoreError};

/// How many SMTP sessions are open at once.
pub const MAX_SESSIONS: usize = 4;
const PAGE: usize = 500;
/// How many recipients from elsewhere in the list are tried for comparison.
const COMPARED: usize = 5;
/// This many failures in a row may have a cause other than the addresses.
const MAX_IN_A_ROW: u32 = 10;

/// The result of a run.
#[derive(Default)]
pub struct Report {
    pub sent: u64,
    /// Not retried unless the owner asks for it.
    pub refused: Vec<Refused>,
    /// Not accepted by the mail server; the next run retries them.
    pub failed: u64,
    /// Sent, but the connection broke before the server's reply.
    pub unsure: u64,
    /// Whether the run was stopped early.
    pub stopped: bool,
    /// Why the run ended early by itself.
    pub gave_up: Option<String>,
}

impl Report {
    pub fn done(&self) -> u64 {
        self.sent + self.refused.len() as u64 + self.failed + self.unsure
    }

    fn count(&mut self, result: &MailResult) {
        match result {
            MailResult::Skipped => {}
            MailResult::Sent => self.sent += 1,
            MailResult::Unsure(_) => self.unsure += 1,
            MailResult::Refused(_)
            | MailResult::Deferred
            | MailResult::Rejected(_)
            | MailResult::Failed(_) => {
                self.failed += 1;
            }
        }
    }
}

/// Decides whether refusals of addresses can be trusted.
///
/// A refused address is its subscriber's problem; a server that refuses everyone is ours. Several
/// refusals in a row may be either: dead addresses next to each other in the list, or a server that
/// blocks us. So a refusal waits until the server accepts another mail, and after many in a row a
/// few recipients from elsewhere in the list are tried to find out.
#[derive(Default)]
struct RefusalCheck {
    /// Failures since the last accepted mail.
    in_a_row: u32,
    /// The reason of the last failure.
    reason: String,
    /// A failure wasn't a reply about a single mail, so other mails would fail as well.
    is_server_failing: bool,
    /// There are no recipients left to compare with.
    nobody_to_compare: bool,
    /// Refusals since the last accepted mail.
    waiting: Vec<Refused>,
}

impl RefusalCheck {
    fn record(&mut self, result: MailResult) {
        match result {
            MailResult::Sent => {
                self.in_a_row = 0;
                self.is_server_failing = false;
            }
            MailResult::Skipped | MailResult::Deferred => {}
            MailResult::Refused(refused) => {
                self.fail(refused.refusal.to_string());
                self.waiting.push(refused);
            }
            MailResult::Rejected(reason) => self.fail(reason),
            MailResult::Failed(reason) | MailResult::Unsure(reason) => {
                self.is_server_failing = true;
                self.fail(reason);
            }
        }
    }

    fn fail(&mut self, reason: String) {
        self.in_a_row += 1;
        self.reason = reason;
    }

    fn needs_comparison(&self) -> bool {
        self.in_a_row >= MAX_IN_A_ROW && !self.nobody_to_compare
    }

    /// Returns, at the end of a run, the refusals to trust, or why the run has failed. The server
    /// has accepted a mail in this run if `accepted_now`, in an earlier one if `accepted_before`.
    fn trusted(
        &mut self,
        accepted_now: bool,
        accepted_before: bool,
    ) -> Result<Vec<Refused>, String> {
        if self.in_a_row >= MAX_IN_A_ROW && !accepted_now && !accepted_before {
            return Err(self.reason.clone());
        }
        let mut trusted = std::mem::take(&mut self.waiting);
        if !accepted_now {
            // A vague refusal may be about us.
            trusted.retain(|refused| !refused.refusal.is_vague());
        }
        Ok(trusted)
    }
}

/// A run in progress.
struct Run {
    mailing: Arc<Mailing>,
    /// Mails being sent, each with its session.
    busy: JoinSet<(MailResult, Option<SmtpSession>)>,
    /// Sessions that wait for a mail.
    idle: Vec<SmtpSession>,
    report: Report,
    check: RefusalCheck,
    /// Recipients whose mail was sent out of order, for comparison.
    compared: HashSet<String>,
}

/// Sends an issue to everybody who doesn't have it; calls `progress` after each mail.
pub async fn send_issue(
    mailing: Arc<Mailing>,
    stop: &watch::Receiver<bool>,
    mut progress: impl FnMut(&Report),
) -> Report {
    let mut run = Run {
        mailing,
        busy: JoinSet::new(),
        idle: Vec::new(),
        report: Report::default(),
        check: RefusalCheck::default(),
        compared: HashSet::new(),
    };
    let deferred = Audience::DeferredBefore(run.mailing.store.now());
    for audience in [Audience::Untried, deferred] {
        run.report.stopped |= *stop.borrow();
        if run.report.stopped || run.report.gave_up.is_some() {
            break;
        }
        if let Err(error) = run.send_to(audience, stop, &mut progress).await {
            // Mails in progress are finished all the same.
            run.report.gave_up = Some(error.to_string());
        }
        while run.finish_one().await {
            progress(&run.report);
        }
    }
    if run.report.gave_up.is_none() {
        let (store, issue) = (&run.mailing.store, &run.mailing.issue.id);
        let counts = store.issue_counts(issue, store.now()).await;
        let accepted_before = counts.unwrap_or_default().sent > 0;
        match run.check.trusted(run.report.sent > 0, accepted_before) {
            Ok(refused) => run.record_refusals(refused).await,
            Err(reason) => run.report.gave_up = Some(reason),
        }
    }
    for session in run.idle {
        session.end().await;
    }
    run.report
}

impl Run {
    async fn send_to(
        &mut self,
        audience: Audience,
        stop: &watch::Receiver<bool>,
        progress: &mut impl FnMut(&Report),
    ) -> Result<(), StoreError> {
        let pause = match self.mailing.rate {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) / rate,
        };
        let (mut last_id, mut due) = (String::new(), Instant::now());
        self.check.nobody_to_compare = false;
        loop {
            let (store, issue) = (&self.mailing.store, &self.mailing.issue.id);
            let page = store
                .recipients(issue, audience, Some(&last_id), PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            last_id = last.id.clone();
            for recipient in page {
                while self.busy.len() >= MAX_SESSIONS {
                    self.finish_one().await;
                    progress(&self.report);
                }
                if self.check.needs_comparison() {
                    self.compare(audience).await?;
                    progress(&self.report);
                }
                let mut stopped = stop.clone();
                tokio::select! {
                    () = sleep_until(due) => {}
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
                self.report.stopped |= *stop.borrow();
                if self.report.stopped || self.report.gave_up.is_some() {
                    return Ok(());
                }
                if !self.compared.contains(&recipient.id) {
                    due = Instant::now() + pause;
                    self.begin(recipient);
                }
            }
        }
    }

    /// Called after many failures in a row. If a few recipients from elsewhere in the list fail,
    /// too, the server accepts no mail at all.
    async fn compare(&mut self, audience: Audience) -> Result<(), StoreError> {
        while self.finish_one().await {}
        if !self.check.needs_comparison() {
            return Ok(());
        }
        if !self.check.is_server_failing {
            let (store, issue) = (&self.mailing.store, &self.mailing.issue.id);
            let others = store.recipients(issue, audience, None, COMPARED).await?;
            if others.len() < COMPARED {
                self.check.nobody_to_compare = true;
                return Ok(());
            }
            for other in others {
                self.compared.insert(other.id.clone());
                self.begin(other);
                self.finish_one().await;
                if !self.check.needs_comparison() {
                    return Ok(());
                }
            }
        }
        self.report.gave_up = Some(self.check.reason.clone());
        Ok(())
    }

    fn begin(&mut self, recipient: Recipient) {
        let (mailing, session) = (self.mailing.clone(), self.idle.pop());
        self.busy
            .spawn(async move { mailing.mail(&recipient, session).await });
    }

    /// Waits for one mail in progress; returns false if there is none.
    async fn finish_one(&mut self) -> bool {
        let Some(finished) = self.busy.join_next().await else {
            return false;
        };
        let crashed = |_| (MailResult::Unsure("an internal error".into()), None);
        let (result, session) = finished.unwrap_or_else(crashed);
        self.idle.extend(session);
        self.report.count(&result);
        let is_accepted = matches!(result, MailResult::Sent);
        self.check.record(result);
        if is_accepted {
            let refused = std::mem::take(&mut self.check.waiting);
            self.record_refusals(refused).await;
        }
        true
    }

    async fn record_refusals(&mut self, refusals: Vec<Refused>) {
        let store = &self.mailing.store;
        let now = store.now();
        for refused in refusals {
            let (to, code) = (&refused.recipient, refused.refusal.in_short());
            let no_such_user = refused.refusal.is_no_such_user();
            let note = || store.record_refusal(to, &code, no_such_user, now);
            // If this fails, the mail stays noted as deferred.
            if retry_store(note).await.is_ok() {
                self.report.failed -= 1;
                self.report.refused.push(refused);
            }
        }
    }
}
