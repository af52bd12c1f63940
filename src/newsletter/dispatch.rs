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
//! A few conversations at once, because most of the time is spent waiting for
//! the mail server; no more than that many mails can ever be in doubt.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lettre::Address;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::{Issue, Sender};
use crate::domain::LinkToken;
use crate::outbox::mail::session::{MailServer, Session, StepError};
use crate::store::{Recipient, Store};

pub const CONVERSATIONS: usize = 4;
const PAGE: usize = 500;
/// So many in a row mean that something else is wrong than their addresses.
const MOST_FAILURES_IN_A_ROW: u32 = 10;
/// A conversation may end at any time; then a new one is begun.
const CONNECTION_TRIES: u32 = 3;

pub struct Dispatch {
    pub store: Store,
    pub server: MailServer,
    pub sender: Sender,
    pub issue: Issue,
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

/// The conversations: some at work, some waiting for the next mail.
#[derive(Default)]
struct Desk {
    busy: JoinSet<anyhow::Result<(Sent, Option<Session>)>>,
    idle: Vec<Session>,
    report: Report,
    failures_in_a_row: u32,
}

impl Desk {
    /// Waits for one mail that is being sent; false when there is none.
    async fn finish_one(&mut self) -> anyhow::Result<bool> {
        let Some(done) = self.busy.join_next().await else {
            return Ok(false);
        };
        let (sent, session) = done??;
        self.count(sent);
        self.idle.extend(session);
        Ok(true)
    }

    fn count(&mut self, sent: Sent) {
        let (number, reason) = match sent {
            Sent::No => return,
            Sent::Yes => (&mut self.report.sent, None),
            Sent::Failed(reason) => (&mut self.report.failed, Some(reason)),
            Sent::Unsure(reason) => (&mut self.report.unsure, Some(reason)),
        };
        *number += 1;
        match reason {
            None => self.failures_in_a_row = 0,
            Some(_) => self.failures_in_a_row += 1,
        }
        if self.failures_in_a_row >= MOST_FAILURES_IN_A_ROW {
            self.report.gave_up = reason;
        }
    }
}

impl Dispatch {
    /// `progress` is called after each mail.
    pub async fn run(
        self: Arc<Self>,
        stop: &watch::Receiver<bool>,
        mut progress: impl FnMut(&Report),
    ) -> anyhow::Result<Report> {
        let mut desk = Desk::default();
        let (mut last_id, mut due) = (String::new(), Instant::now());
        'pages: loop {
            let page = self
                .store
                .recipients(&self.issue.id, &last_id, PAGE)
                .await?;
            let Some(last) = page.last() else { break };
            last_id = last.id.clone();
            for recipient in page {
                while desk.busy.len() >= CONVERSATIONS {
                    desk.finish_one().await?;
                    progress(&desk.report);
                }
                wait(due, stop).await;
                desk.report.stopped = *stop.borrow();
                if desk.report.stopped || desk.report.gave_up.is_some() {
                    break 'pages;
                }
                due = Instant::now() + self.pause;
                let (dispatch, session) = (self.clone(), desk.idle.pop());
                desk.busy
                    .spawn(async move { dispatch.send(&recipient, session).await });
            }
        }
        while desk.finish_one().await? {
            progress(&desk.report);
        }
        for session in desk.idle {
            session.end().await;
        }
        Ok(desk.report)
    }

    /// Sends one mail; returns the conversation if it can be used again.
    async fn send(
        &self,
        recipient: &Recipient,
        session: Option<Session>,
    ) -> anyhow::Result<(Sent, Option<Session>)> {
        let (token, now, issue) = (LinkToken::random(), Timestamp::now(), &self.issue.id);
        let Ok(to) = recipient.email.parse::<Address>() else {
            let reason = "no mail can be written to this address".into();
            return Ok((Sent::Failed(reason), session));
        };
        let mail = self
            .sender
            .write(&self.issue, &to, &recipient.id, &token, now)?;
        let message = mail.formatted();
        let mut session = match self.prepare(session, &to).await {
            Ok(session) => session,
            Err((left, error)) => return Ok((Sent::Failed(error.into_reason()), left)),
        };
        if !self.store.offer(issue, recipient, &token, now).await? {
            // The server waits for a message: only a new conversation helps.
            return Ok((Sent::No, None));
        }
        match session.hand_over(&message).await {
            Ok(()) => {
                self.store.mark_sent(issue, recipient).await?;
                Ok((Sent::Yes, Some(session)))
            }
            Err(StepError::Connection(reason)) => Ok((Sent::Unsure(reason), None)),
            Err(refused) => {
                self.store.withdraw_offer(issue, recipient).await?;
                Ok((
                    Sent::Failed(refused.into_reason()),
                    still_open(session).await,
                ))
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
            match open.prepare(from, std::slice::from_ref(to)).await {
                Ok(()) => return Ok(open),
                Err(StepError::Connection(_)) if tries < CONNECTION_TRIES => {}
                Err(error) => return Err((still_open(open).await, error)),
            }
        }
    }
}

async fn wait(due: Instant, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    tokio::select! {
        () = sleep_until(due) => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
}

async fn still_open(mut session: Session) -> Option<Session> {
    session.reset().await.then_some(session)
}
