//! Sends an issue to everybody who is to get it, each of them once.
//!
//! Nobody can make a mail server's answer and our own note of it one: a
//! process that is killed between the two cannot know whether the mail was
//! taken. So the note comes first. Sender and recipient are agreed on with the
//! server (which has no consequence), "offered" is written down, and only then
//! the message is handed over; after the server's word it becomes "sent". A
//! run that finds no note sends; a run that finds one does not: nobody gets an
//! issue twice. A mail that was cut off between the note and the server's word
//! is in doubt; it is reported, and sent again only if the owner asks for it.
//!
//! One mail at a time: at most one is in doubt, whatever happens.

use std::time::Duration;

use jiff::Timestamp;
use lettre::Address;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{Issue, Sender};
use crate::domain::LinkToken;
use crate::outbox::mail::session::{MailServer, Session, StepError};
use crate::store::{Recipient, Store};

const PAGE: usize = 500;
/// So many in a row mean that something else is wrong than their addresses.
const MOST_FAILURES_IN_A_ROW: u32 = 10;
/// A conversation may end at any time; then a new one is begun.
const CONNECTION_TRIES: u32 = 3;

pub struct Dispatch<'a> {
    pub store: &'a Store,
    pub server: &'a MailServer,
    pub sender: &'a Sender<'a>,
    pub issue: &'a Issue,
    /// The time from one mail to the next.
    pub pause: Duration,
}

/// What a run has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub sent: u64,
    /// Not taken by the mail server; the next run tries them again.
    pub failed: u64,
    /// Handed over, but the connection broke before the server's answer.
    pub unsure: u64,
    /// The run ended early, because it was told to.
    pub stopped: bool,
    /// Why it ended early by itself.
    pub gave_up: Option<String>,
}

enum Sent {
    Yes,
    /// Not needed any more.
    No,
    Failed(String),
    Unsure(String),
}

impl Report {
    /// Adds one; returns how many in a row have failed by now.
    fn count(&mut self, sent: &Sent, failures: u32) -> u32 {
        match sent {
            Sent::Yes => self.sent += 1,
            Sent::Failed(_) => self.failed += 1,
            Sent::Unsure(_) => self.unsure += 1,
            Sent::No => return failures,
        }
        match sent {
            Sent::Yes => 0,
            _ => failures + 1,
        }
    }
}

impl Dispatch<'_> {
    /// `progress` is called after each recipient.
    pub async fn run(
        &self,
        stop: &watch::Receiver<bool>,
        mut progress: impl FnMut(&Report),
    ) -> anyhow::Result<Report> {
        let mut report = Report::default();
        let mut session = None;
        let (mut last_id, mut failures) = (String::new(), 0);
        let mut due = Instant::now();
        'pages: loop {
            let page = self
                .store
                .recipients(&self.issue.id, &last_id, PAGE)
                .await?;
            let Some(last) = page.last() else { break };
            last_id = last.id.clone();
            for recipient in &page {
                self.wait(due, stop).await;
                if *stop.borrow() {
                    report.stopped = true;
                    break 'pages;
                }
                due = Instant::now() + self.pause;
                let sent = self.send(recipient, &mut session).await?;
                failures = report.count(&sent, failures);
                progress(&report);
                if let (Sent::Failed(reason) | Sent::Unsure(reason), MOST_FAILURES_IN_A_ROW..) =
                    (sent, failures)
                {
                    report.gave_up = Some(reason);
                    break 'pages;
                }
            }
        }
        if let Some(session) = session {
            session.end().await;
        }
        Ok(report)
    }

    async fn wait(&self, due: Instant, stop: &watch::Receiver<bool>) {
        let mut stop = stop.clone();
        tokio::select! {
            () = sleep_until(due) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }

    async fn send(
        &self,
        recipient: &Recipient,
        session: &mut Option<Session>,
    ) -> anyhow::Result<Sent> {
        let token = LinkToken::random();
        let Ok(to) = recipient.email.parse::<Address>() else {
            let reason = "no mail can be written to this address".into();
            return Ok(Sent::Failed(reason));
        };
        let now = Timestamp::now();
        let message = self
            .sender
            .write(self.issue, &to, &recipient.id, &token, now)?
            .formatted();
        let mut open = match self.prepare(session.take(), &to).await {
            Ok(open) => open,
            Err((left, error)) => {
                *session = left;
                return Ok(Sent::Failed(error.reason().to_owned()));
            }
        };
        let issue = &self.issue.id;
        if !self.store.offer(issue, recipient, &token, now).await? {
            // The server waits for a message: only a new conversation helps.
            return Ok(Sent::No);
        }
        match open.hand_over(&message).await {
            Ok(()) => {
                self.store.mark_sent(issue, recipient).await?;
                *session = Some(open);
                Ok(Sent::Yes)
            }
            Err(StepError::Connection(reason)) => Ok(Sent::Unsure(reason)),
            Err(refused) => {
                self.store.withdraw_offer(issue, recipient).await?;
                *session = still_open(open).await;
                Ok(Sent::Failed(refused.reason().to_owned()))
            }
        }
    }

    /// A conversation in which the server waits for the message.
    async fn prepare(
        &self,
        mut session: Option<Session>,
        to: &Address,
    ) -> Result<Session, (Option<Session>, StepError)> {
        let from = &self.sender.from.email;
        let mut tries = 0;
        loop {
            tries += 1;
            let mut open = match session.take() {
                Some(open) => open,
                None => self.server.connect().await.map_err(|error| (None, error))?,
            };
            match open.prepare(from, to).await {
                Ok(()) => return Ok(open),
                Err(StepError::Connection(_)) if tries < CONNECTION_TRIES => {}
                Err(error) => return Err((still_open(open).await, error)),
            }
        }
    }
}

async fn still_open(mut session: Session) -> Option<Session> {
    session.reset().await.then_some(session)
}
