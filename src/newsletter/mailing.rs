//! One mail of an issue: agreed on, noted, handed over, noted again.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lettre::Message;
use lettre::address::Envelope;

use super::edition::{Edition, persist};
use super::report::{Refused, Sent};
use crate::domain::LinkToken;
use crate::mail::address::ascii_domain;
use crate::mail::{Refusal, Session, StepError};
use crate::store::{AddressRefusal, Recipient, Result};

/// A conversation may end at any time; then a new one is begun.
const CONNECTION_TRIES: u32 = 3;

/// An older offer is not being handed over any more: longer than the mail
/// server and then the store are waited for.
pub const LONGEST_HAND_OVER: Duration = Duration::from_secs(3 * 60);

pub struct Mailing {
    pub edition: Arc<Edition>,
    pub recipient: Recipient,
}

/// A conversation if it can be used again.
type Left = Option<Session>;

/// How far a mail came that was not taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not as far as this recipient: any other mail would have failed too.
    Before,
    /// The recipient was named, and may be why it failed.
    Named,
    /// It was noted as offered.
    Offered,
}

impl Mailing {
    /// Sends one mail; returns the conversation if it can be used again.
    pub async fn send(&self, session: Left) -> (Sent, Left) {
        let (token, now) = (LinkToken::random(), self.edition.store.now());
        let Ok(mail) = self.write(&token, now) else {
            let refused = StepError::Refused(Refusal::NoAddress);
            return (self.not_taken(refused, Stage::Before).await, session);
        };
        match self.prepare(session, mail.envelope()).await {
            Ok(session) => self.offer(session, &mail.formatted(), &token, now).await,
            Err((left, error, stage)) => (self.not_taken(error, stage).await, left),
        }
    }

    fn write(&self, token: &LinkToken, now: Timestamp) -> anyhow::Result<Message> {
        let Recipient { id, email } = &self.recipient;
        let (publisher, issue) = (&self.edition.publisher, &self.edition.issue);
        publisher.write(issue, &ascii_domain(&email.parse()?), id, token, now)
    }

    /// A conversation in which the server waits for the message.
    async fn prepare(
        &self,
        mut left: Left,
        envelope: &Envelope,
    ) -> std::result::Result<Session, (Left, StepError, Stage)> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut session = match left.take() {
                Some(session) => session,
                None => {
                    let connected = self.edition.server.connect().await;
                    connected.map_err(|error| (None, error, Stage::Before))?
                }
            };
            match session.prepare(envelope).await {
                Ok(()) => return Ok(session),
                Err(StepError::Connection(_)) if tries < CONNECTION_TRIES => {}
                Err(error) => {
                    let stage = match session.has_named_recipient() {
                        true => Stage::Named,
                        false => Stage::Before,
                    };
                    return Err((reusable(session).await, error, stage));
                }
            }
        }
    }

    async fn offer(
        &self,
        session: Session,
        message: &[u8],
        token: &LinkToken,
        now: Timestamp,
    ) -> (Sent, Left) {
        let (store, issue) = (&self.edition.store, &self.edition.issue.id);
        // Without the message, the server waits for it: only a new
        // conversation helps.
        match store.offer(issue, &self.recipient, token, now).await {
            Ok(true) => self.hand_over(session, message).await,
            Ok(false) => (Sent::No, None),
            Err(error) => {
                // It may have been written although nobody waited for it.
                let undone = persist(|| store.withdraw_offer(issue, &self.recipient, token)).await;
                match undone {
                    Ok(()) => (Sent::Failed(error.to_string()), None),
                    Err(error) => (Sent::Unsure(error.to_string()), None),
                }
            }
        }
    }

    async fn hand_over(&self, mut session: Session, message: &[u8]) -> (Sent, Left) {
        let (store, issue) = (&self.edition.store, &self.edition.issue.id);
        match session.hand_over(message).await {
            Ok(()) => {
                let sent = match persist(|| store.mark_sent(issue, &self.recipient)).await {
                    Ok(()) => Sent::Yes,
                    Err(error) => Sent::Unsure(error.to_string()),
                };
                (sent, Some(session))
            }
            Err(StepError::Connection(reason)) => (Sent::Unsure(reason), None),
            Err(error) => {
                let sent = self.not_taken(error, Stage::Offered).await;
                (sent, reusable(session).await)
            }
        }
    }

    /// Notes whom the server does not want, so that the next run goes on with
    /// the others.
    async fn not_taken(&self, error: StepError, stage: Stage) -> Sent {
        let code = match &error {
            StepError::Refused(refusal) | StepError::Deferred(refusal) => refusal.in_short(),
            _ => String::new(),
        };
        let sent = match error {
            StepError::Refused(refusal) => Sent::Refused(self.refused(refusal)),
            StepError::Deferred(_) => Sent::Deferred,
            error if stage == Stage::Before => return Sent::Failed(error.into_reason()),
            StepError::Server(_) => Sent::NotTaken(error.into_reason()),
            StepError::Connection(reason) => Sent::Failed(reason),
        };
        let offered = stage == Stage::Offered;
        match self.note(&code, offered).await {
            Ok(()) => sent,
            Err(error) if offered => Sent::Unsure(error.to_string()),
            Err(error) => Sent::Failed(error.to_string()),
        }
    }

    fn refused(&self, refusal: Refusal) -> Refused {
        Refused {
            recipient: self.recipient.clone(),
            refusal: AddressRefusal {
                code: refusal.in_short(),
                no_such_user: refusal.is_no_such_user(),
            },
            is_vague: refusal.is_vague(),
            reason: refusal.reason(),
        }
    }

    /// As not taken for now, whatever the server said: see `trust`.
    async fn note(&self, code: &str, offered: bool) -> Result<()> {
        let (store, issue) = (&self.edition.store, &self.edition.issue.id);
        let now = store.now();
        persist(|| store.note_deferred(issue, &self.recipient, code, offered, now)).await
    }
}

async fn reusable(mut session: Session) -> Left {
    session.reset().await.then_some(session)
}
