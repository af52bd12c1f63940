//! One mail of an issue: agreed on, noted, handed over, noted again.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lettre::address::Envelope;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use super::issue::Issue;
use crate::content::SITE;
use crate::domain::LinkToken;
use crate::mail::{
    MailServer, Refusal, Session, StepError, ascii_domain, list_headers, to_visitors,
    unsubscribe_url,
};
use crate::store::{AddressRefusal, Recipient, Result, Store, StoreError};

/// The server may end a conversation at any time; then a new one is begun.
const CONNECTION_TRIES: u32 = 3;

/// Without an answer from the store a mail that was taken would be in doubt.
const STORE_TRIES: u32 = 20;
const STORE_PAUSE: Duration = Duration::from_millis(250);

/// An older offer is not being handed over any more: longer than the time limits of
/// the mail server and the store together.
pub const LONGEST_HAND_OVER: Duration = Duration::from_secs(3 * 60);

/// Everything the mails of one run have in common.
pub struct IssueRun {
    pub store: Store,
    pub server: MailServer,
    pub from: Mailbox,
    pub issue: Issue,
    /// At most so many mails a second; 0: as fast as the mail server takes them.
    pub rate: u32,
}

/// What became of one mail. Reasons are free of personal data.
pub enum Sent {
    Yes,
    /// Not needed any more.
    No,
    /// The mail server says that it will never take mail to this address.
    Refused(Refused),
    /// Not now, and for this address only.
    Deferred,
    /// The server did not take this mail, for a reason of its own.
    NotTaken(String),
    /// The server or the store failed; the mail was not taken.
    Failed(String),
    /// Handed over, but it is not known whether it was taken, or noted.
    Unsure(String),
}

/// A refusal that is noted as one for now.
pub struct Refused {
    pub recipient: Recipient,
    pub refusal: AddressRefusal,
    /// It may be about us and not about the address.
    pub is_vague: bool,
    pub reason: String,
}

/// The mail for one subscriber. `name` tells mails of one issue apart. It's the same on
/// every attempt, so that a mailbox can tell a repetition.
pub fn write_mail(
    issue: &Issue,
    from: &Mailbox,
    to: &Address,
    name: &str,
    unsubscribe: &LinkToken,
    now: Timestamp,
) -> anyhow::Result<Message> {
    let link = unsubscribe_url(&SITE, unsubscribe);
    let mail = to_visitors::issue(&SITE, &issue.subject, &issue.text, &issue.html, &link);
    let (issue_name, domain) = (&issue.id[..16], from.email.domain());
    let builder = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, ascii_domain(to)))
        .reply_to(SITE.email.parse()?)
        .date(now.into())
        .message_id(Some(format!("<{issue_name}.{name}@{domain}>")))
        .subject(mail.subject);
    let mut html = MultiPart::related().singlepart(SinglePart::html(mail.html.clone()));
    for picture in &issue.pictures {
        let part = Attachment::new_inline(picture.id.clone());
        html = html.singlepart(part.body(picture.bytes.clone(), picture.media_type.parse()?));
    }
    let bodies = match issue.pictures.is_empty() {
        true => MultiPart::alternative_plain_html(mail.text, mail.html),
        false => MultiPart::alternative()
            .singlepart(SinglePart::plain(mail.text))
            .multipart(html),
    };
    Ok(list_headers(builder, &SITE, unsubscribe)?.multipart(bodies)?)
}

pub struct Mailing {
    pub run: Arc<IssueRun>,
    pub recipient: Recipient,
}

/// How far a mail came that was not taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not as far as this recipient: any other mail would have failed, too.
    Before,
    /// The recipient was named, and may be why it failed.
    Named,
    /// It was noted as offered.
    Offered,
}

impl Mailing {
    /// Sends one mail; returns the conversation if it can be used again.
    pub async fn send(&self, session: Option<Session>) -> (Sent, Option<Session>) {
        let (token, now) = (LinkToken::random(), self.run.store.now());
        let Recipient { id, email } = &self.recipient;
        let written = email.parse().map_err(anyhow::Error::from);
        let (issue, from) = (&self.run.issue, &self.run.from);
        let written = written.and_then(|to| write_mail(issue, from, &to, id, &token, now));
        let Ok(mail) = written else {
            let refused = StepError::Refused(Refusal::NoAddress);
            return (self.not_taken(refused, Stage::Before).await, session);
        };
        match self.prepare(session, mail.envelope()).await {
            Ok(session) => self.offer(session, &mail.formatted(), &token, now).await,
            Err((session, error, stage)) => (self.not_taken(error, stage).await, session),
        }
    }

    /// A conversation in which the server waits for the message.
    async fn prepare(
        &self,
        mut idle: Option<Session>,
        envelope: &Envelope,
    ) -> std::result::Result<Session, (Option<Session>, StepError, Stage)> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut session = match idle.take() {
                Some(session) => session,
                None => {
                    let connected = self.run.server.connect().await;
                    connected.map_err(|error| (None, error, Stage::Before))?
                }
            };
            match session.prepare(envelope).await {
                Ok(_) => return Ok(session),
                Err(StepError::Connection(_)) if tries < CONNECTION_TRIES => {}
                Err(error) => {
                    let stage = match session.has_named_recipient() {
                        true => Stage::Named,
                        false => Stage::Before,
                    };
                    return Err((session.reusable_after(&error).await, error, stage));
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
    ) -> (Sent, Option<Session>) {
        let (store, issue) = (&self.run.store, &self.run.issue.id);
        // Where nothing is handed over, the server still waits for the message, so the
        // conversation can't be used again.
        match store.offer(issue, &self.recipient, token, now).await {
            Ok(true) => self.hand_over(session, message).await,
            Ok(false) => (Sent::No, None),
            Err(error) => {
                // The store may have written it although its answer was lost.
                let undone = persist(|| store.withdraw_offer(issue, &self.recipient, token)).await;
                match undone {
                    Ok(()) => (Sent::Failed(error.to_string()), None),
                    Err(error) => (Sent::Unsure(error.to_string()), None),
                }
            }
        }
    }

    async fn hand_over(&self, mut session: Session, message: &[u8]) -> (Sent, Option<Session>) {
        let (store, issue) = (&self.run.store, &self.run.issue.id);
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
                let session = session.reusable_after(&error).await;
                (self.not_taken(error, Stage::Offered).await, session)
            }
        }
    }

    /// Notes a recipient whom the server does not accept, so that the next run goes on
    /// with the others. Even a refusal is noted as one for now: see `issue_run`.
    async fn not_taken(&self, error: StepError, stage: Stage) -> Sent {
        let (code, sent) = match error {
            StepError::Refused(refusal) => {
                (refusal.in_short(), Sent::Refused(self.refused(refusal)))
            }
            StepError::Deferred(refusal) => (refusal.in_short(), Sent::Deferred),
            error if stage == Stage::Before => return Sent::Failed(error.into_reason()),
            StepError::Server(_) => (String::new(), Sent::NotTaken(error.into_reason())),
            StepError::Connection(reason) => (String::new(), Sent::Failed(reason)),
        };
        let (store, issue, recipient) = (&self.run.store, &self.run.issue.id, &self.recipient);
        let (is_offered, now) = (stage == Stage::Offered, store.now());
        let note = || store.note_deferred(issue, recipient, &code, is_offered, now);
        match persist(note).await {
            Ok(()) => sent,
            Err(error) if is_offered => Sent::Unsure(error.to_string()),
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
}

/// Asks the store until it answers, for a few seconds.
pub async fn persist<F: Future<Output = Result<()>>>(work: impl Fn() -> F) -> Result<()> {
    let mut tries = 1;
    loop {
        match work().await {
            Err(StoreError::NoteGone) => return Err(StoreError::NoteGone),
            Err(_) if tries < STORE_TRIES => tries += 1,
            done => return done,
        }
        tokio::time::sleep(STORE_PAUSE).await;
    }
}
