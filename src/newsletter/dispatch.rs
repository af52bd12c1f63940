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
//! An address the server refuses for good is noted and not tried again; one
//! that it does not take for now, or fails at, comes last in the next run. So
//! nobody keeps the others from getting the issue: only a server (or a store)
//! that fails many times in a row, also for people from elsewhere in the list,
//! ends a run. Which refusals are believed is `trust`'s to say.
//!
//! A few conversations at once, because most of the time is spent waiting for
//! the mail server; no more than that many mails can ever be in doubt.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::edition::Edition;
use super::mailing::Mailing;
use super::report::{Refused, Report, Sent};
use super::trust::Trust;
use crate::mail::Session;
use crate::store::{Audience, Recipient, StoreError};

pub const CONVERSATIONS: usize = 4;
const PAGE: usize = 500;
/// So many who are not taken either are no accident.
const COMPARED: usize = 5;

pub struct Dispatch {
    pub edition: Arc<Edition>,
    /// The time from one mail to the next.
    pause: Duration,
}

/// The conversations: some at work, some waiting for the next mail.
#[derive(Default)]
struct Desk {
    busy: JoinSet<(Sent, Option<Session>)>,
    idle: Vec<Session>,
    report: Report,
    trust: Trust,
    /// Got their mail out of turn, to compare.
    compared: HashSet<String>,
}

impl Desk {
    /// Waits for one mail that is being sent; false when there is none.
    async fn finish_one(&mut self) -> bool {
        let Some(done) = self.busy.join_next().await else {
            return false;
        };
        let broken = || (Sent::Unsure("an internal error".into()), None);
        let (sent, session) = done.unwrap_or_else(|_| broken());
        self.idle.extend(session);
        self.report.count(&sent);
        self.trust.hear(sent);
        true
    }

    fn is_over(&self) -> bool {
        self.report.stopped || self.report.gave_up.is_some()
    }
}

impl Dispatch {
    /// At most so many mails a second; 0: as fast as the mail server takes them.
    pub fn new(edition: Edition, rate: u32) -> Self {
        let pause = match rate {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) / rate,
        };
        Self {
            edition: Arc::new(edition),
            pause,
        }
    }

    /// `progress` is called after each mail.
    pub async fn run(
        &self,
        stop: &watch::Receiver<bool>,
        mut progress: impl FnMut(&Report),
    ) -> Report {
        let mut desk = Desk::default();
        let deferred = Audience::DeferredBefore(self.edition.store.now());
        for audience in [Audience::Untried, deferred] {
            let sent = self.send_to(audience, &mut desk, stop, &mut progress);
            if let Err(error) = sent.await {
                // What is being sent is finished all the same.
                desk.report.gave_up = Some(error.to_string());
            }
            while self.finish_one(&mut desk).await {
                progress(&desk.report);
            }
        }
        if desk.report.gave_up.is_none() {
            self.conclude(&mut desk).await;
        }
        for session in desk.idle {
            session.end().await;
        }
        desk.report
    }

    async fn send_to(
        &self,
        audience: Audience,
        desk: &mut Desk,
        stop: &watch::Receiver<bool>,
        progress: &mut impl FnMut(&Report),
    ) -> Result<(), StoreError> {
        let (mut last_id, mut due) = (String::new(), Instant::now());
        desk.trust.begin();
        loop {
            let (store, issue) = (&self.edition.store, &self.edition.issue.id);
            let page = store
                .recipients(issue, audience, Some(&last_id), PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            last_id = last.id.clone();
            for recipient in page {
                while desk.busy.len() >= CONVERSATIONS {
                    self.finish_one(desk).await;
                    progress(&desk.report);
                }
                if desk.trust.is_shaken() {
                    self.compare(audience, desk).await?;
                    progress(&desk.report);
                }
                wait(due, stop).await;
                desk.report.stopped |= *stop.borrow();
                if desk.is_over() {
                    return Ok(());
                }
                if !desk.compared.contains(&recipient.id) {
                    due = Instant::now() + self.pause;
                    self.begin(recipient, desk);
                }
            }
        }
    }

    /// Many were not taken, one after the other. If a few people from elsewhere
    /// in the list are not, either, the server takes nobody's mail.
    async fn compare(&self, audience: Audience, desk: &mut Desk) -> Result<(), StoreError> {
        while self.finish_one(desk).await {}
        if !desk.trust.is_shaken() {
            return Ok(());
        }
        if desk.trust.can_compare() {
            let (store, issue) = (&self.edition.store, &self.edition.issue.id);
            let others = store.recipients(issue, audience, None, COMPARED).await?;
            if others.len() < COMPARED {
                desk.trust.nobody_to_compare();
                return Ok(());
            }
            for other in others {
                desk.compared.insert(other.id.clone());
                self.begin(other, desk);
                self.finish_one(desk).await;
                if !desk.trust.is_shaken() {
                    return Ok(());
                }
            }
        }
        desk.report.gave_up = Some(desk.trust.reason());
        Ok(())
    }

    async fn finish_one(&self, desk: &mut Desk) -> bool {
        let taken = desk.report.sent;
        let finished = desk.finish_one().await;
        if desk.report.sent > taken {
            let proven = desk.trust.proven();
            self.believe(proven, desk).await;
        }
        finished
    }

    /// Nobody is left who could prove or disprove the last refusals.
    async fn conclude(&self, desk: &mut Desk) {
        let (store, issue) = (&self.edition.store, &self.edition.issue.id);
        let counts = store.issue_counts(issue).await.unwrap_or_default();
        match desk.trust.last_word(desk.report.sent > 0, counts.sent > 0) {
            Ok(refused) => self.believe(refused, desk).await,
            Err(reason) => desk.report.gave_up = Some(reason),
        }
    }

    async fn believe(&self, all: Vec<Refused>, desk: &mut Desk) {
        for refused in all {
            // Otherwise it stays noted as not taken for now.
            if self.edition.note_refusal(&refused).await.is_ok() {
                desk.report.believe(refused);
            }
        }
    }

    fn begin(&self, recipient: Recipient, desk: &mut Desk) {
        let mailing = Mailing {
            edition: self.edition.clone(),
            recipient,
        };
        let session = desk.idle.pop();
        desk.busy.spawn(async move { mailing.send(session).await });
    }
}

async fn wait(due: Instant, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    tokio::select! {
        () = sleep_until(due) => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
}
