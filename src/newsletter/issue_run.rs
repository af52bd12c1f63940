//! Sends an issue to everybody who is to get it, each of them once.
//!
//! A mail server's answer and our own note of it can't be one step: a process that is
//! killed between the two does not know whether the mail was taken. So the note comes
//! first. Sender and recipient are agreed on with the server (which has no consequence),
//! "offered" is noted, and only then the message is handed over; after the server's
//! answer the note becomes "sent". A run sends only where there is no note: nobody gets an
//! issue twice. A mail that was cut off between the note and the answer is in doubt; it is
//! reported, and sent again only if the owner asks for it.
//!
//! An address the server refuses for good is noted and not tried again; one that it does
//! not accept for now, or fails at, comes last in the next run. So nobody keeps the others
//! from getting the issue: only a server (or a store) that fails many times in a row, also
//! for people from elsewhere in the list, ends a run. [`RefusalCheck`] decides which
//! refusals are believed.
//!
//! A few conversations run at once, because most of the time is spent waiting for the mail
//! server; no more than that many mails can ever be in doubt.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::mailing::{IssueRun, Mailing, Refused, Sent, persist};
use crate::mail::Session;
use crate::store::{Audience, Recipient, StoreError};

pub const CONVERSATIONS: usize = 4;
const PAGE: usize = 500;
/// So many people from elsewhere in the list are compared.
const COMPARED: usize = 5;
/// So many failures in a row may have another cause than the addresses.
const MOST_IN_A_ROW: u32 = 10;

/// For the owner's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAddress {
    pub email: String,
    /// The mail server's codes.
    pub code: String,
}

/// What a run has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub sent: u64,
    /// Not tried again without being asked to.
    pub refused: Vec<RefusedAddress>,
    /// Not taken by the mail server; the next run tries them again.
    pub failed: u64,
    /// Handed over, but the connection broke before the server's answer.
    pub unsure: u64,
    /// The run was told to end early.
    pub stopped: bool,
    /// Why it ended early by itself.
    pub gave_up: Option<String>,
}

impl Report {
    pub fn done(&self) -> u64 {
        self.sent + self.refused.len() as u64 + self.failed + self.unsure
    }

    fn count(&mut self, sent: &Sent) {
        match sent {
            Sent::No => {}
            Sent::Yes => self.sent += 1,
            Sent::Unsure(_) => self.unsure += 1,
            Sent::Refused(_) | Sent::Deferred | Sent::NotTaken(_) | Sent::Failed(_) => {
                self.failed += 1;
            }
        }
    }
}

/// Whether refusals of addresses can be believed.
///
/// A refused address is its subscriber's problem, a server that refuses everybody is
/// ours. Several refusals in a row may be either: dead addresses that happen to stand
/// together, or a server that has turned against us. So a refusal waits here until the
/// server has taken another mail, and after many in a row a few people from elsewhere in
/// the list are tried to tell which it is.
#[derive(Default)]
struct RefusalCheck {
    /// Failures since the last mail that was taken.
    in_a_row: u32,
    /// Why the last one failed.
    reason: String,
    /// One of them was not an answer about one mail, so no other mail can do better.
    is_server_failing: bool,
    /// There is nobody left to compare with.
    nobody_to_compare: bool,
    /// Refusals since the last mail that was taken.
    waiting: Vec<Refused>,
}

impl RefusalCheck {
    fn record(&mut self, sent: Sent) {
        match sent {
            Sent::Yes => {
                self.in_a_row = 0;
                self.is_server_failing = false;
            }
            Sent::No | Sent::Deferred => {}
            Sent::Refused(refused) => {
                self.fail(refused.reason.clone());
                self.waiting.push(refused);
            }
            Sent::NotTaken(reason) => self.fail(reason),
            Sent::Failed(reason) | Sent::Unsure(reason) => {
                self.is_server_failing = true;
                self.fail(reason);
            }
        }
    }

    fn fail(&mut self, reason: String) {
        self.in_a_row += 1;
        self.reason = reason;
    }

    fn is_in_doubt(&self) -> bool {
        self.in_a_row >= MOST_IN_A_ROW && !self.nobody_to_compare
    }

    /// Nothing more comes: the refusals to believe, or why none is believed. `took`: the
    /// server took a mail in this run; `took_before`: in an earlier one.
    fn conclude(&mut self, took: bool, took_before: bool) -> Result<Vec<Refused>, String> {
        let mut waiting = std::mem::take(&mut self.waiting);
        if took {
            return Ok(waiting);
        }
        waiting.retain(|refused| !refused.is_vague);
        match self.in_a_row < MOST_IN_A_ROW || took_before {
            true => Ok(waiting),
            false => Err(self.reason.clone()),
        }
    }
}

/// The conversations: some at work, some waiting for the next mail.
#[derive(Default)]
struct SendPool {
    busy: JoinSet<(Sent, Option<Session>)>,
    idle: Vec<Session>,
    report: Report,
    check: RefusalCheck,
    /// Recipients who got their mail out of turn, to compare.
    compared: HashSet<String>,
}

impl IssueRun {
    /// `progress` is called after each mail.
    pub async fn run(
        self: &Arc<Self>,
        stop: &watch::Receiver<bool>,
        mut progress: impl FnMut(&Report),
    ) -> Report {
        let mut pool = SendPool::default();
        let deferred = Audience::DeferredBefore(self.store.now());
        for audience in [Audience::Untried, deferred] {
            let sent = self.send_to(audience, &mut pool, stop, &mut progress);
            if let Err(error) = sent.await {
                // What is being sent is finished all the same.
                pool.report.gave_up = Some(error.to_string());
            }
            while self.finish_one(&mut pool).await {
                progress(&pool.report);
            }
        }
        if pool.report.gave_up.is_none() {
            let counts = self.store.issue_counts(&self.issue.id).await;
            let took_before = counts.unwrap_or_default().sent > 0;
            match pool.check.conclude(pool.report.sent > 0, took_before) {
                Ok(refused) => self.believe(refused, &mut pool).await,
                Err(reason) => pool.report.gave_up = Some(reason),
            }
        }
        for session in pool.idle {
            session.end().await;
        }
        pool.report
    }

    async fn send_to(
        self: &Arc<Self>,
        audience: Audience,
        pool: &mut SendPool,
        stop: &watch::Receiver<bool>,
        progress: &mut impl FnMut(&Report),
    ) -> Result<(), StoreError> {
        let pause = match self.rate {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) / rate,
        };
        let (mut last_id, mut due) = (String::new(), Instant::now());
        pool.check.nobody_to_compare = false;
        loop {
            let (store, issue) = (&self.store, &self.issue.id);
            let page = store
                .recipients(issue, audience, Some(&last_id), PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            last_id = last.id.clone();
            for recipient in page {
                while pool.busy.len() >= CONVERSATIONS {
                    self.finish_one(pool).await;
                    progress(&pool.report);
                }
                if pool.check.is_in_doubt() {
                    self.compare(audience, pool).await?;
                    progress(&pool.report);
                }
                let mut stopped = stop.clone();
                tokio::select! {
                    () = sleep_until(due) => {}
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
                pool.report.stopped |= *stop.borrow();
                if pool.report.stopped || pool.report.gave_up.is_some() {
                    return Ok(());
                }
                if !pool.compared.contains(&recipient.id) {
                    due = Instant::now() + pause;
                    self.begin(recipient, pool);
                }
            }
        }
    }

    /// Many in a row were not taken. If a few people from elsewhere in the list aren't,
    /// either, the server takes nobody's mail.
    async fn compare(
        self: &Arc<Self>,
        audience: Audience,
        pool: &mut SendPool,
    ) -> Result<(), StoreError> {
        while self.finish_one(pool).await {}
        if !pool.check.is_in_doubt() {
            return Ok(());
        }
        if !pool.check.is_server_failing {
            let (store, issue) = (&self.store, &self.issue.id);
            let others = store.recipients(issue, audience, None, COMPARED).await?;
            if others.len() < COMPARED {
                pool.check.nobody_to_compare = true;
                return Ok(());
            }
            for other in others {
                pool.compared.insert(other.id.clone());
                self.begin(other, pool);
                self.finish_one(pool).await;
                if !pool.check.is_in_doubt() {
                    return Ok(());
                }
            }
        }
        pool.report.gave_up = Some(pool.check.reason.clone());
        Ok(())
    }

    fn begin(self: &Arc<Self>, recipient: Recipient, pool: &mut SendPool) {
        let run = self.clone();
        let mailing = Mailing { run, recipient };
        let session = pool.idle.pop();
        pool.busy.spawn(async move { mailing.send(session).await });
    }

    /// Waits for one mail that is being sent; false when there is none.
    async fn finish_one(&self, pool: &mut SendPool) -> bool {
        let Some(done) = pool.busy.join_next().await else {
            return false;
        };
        let crashed = |_| (Sent::Unsure("an internal error".into()), None);
        let (sent, session) = done.unwrap_or_else(crashed);
        pool.idle.extend(session);
        pool.report.count(&sent);
        let is_taken = matches!(sent, Sent::Yes);
        pool.check.record(sent);
        if is_taken {
            let refused = std::mem::take(&mut pool.check.waiting);
            self.believe(refused, pool).await;
        }
        true
    }

    async fn believe(&self, all: Vec<Refused>, pool: &mut SendPool) {
        let (store, issue, now) = (&self.store, &self.issue.id, self.store.now());
        for Refused {
            recipient, refusal, ..
        } in all
        {
            let noted = persist(|| store.note_refusal(issue, &recipient, &refusal, now)).await;
            // Otherwise it stays noted as not taken for now.
            if noted.is_ok() {
                pool.report.failed -= 1;
                pool.report.refused.push(RefusedAddress {
                    email: recipient.email,
                    code: refusal.code,
                });
            }
        }
    }
}
