//! One mail of an issue: prepared, noted as offered, sent, noted as sent.

use std::time::Duration;

use jiff::Timestamp;
use lettre::address::Envelope;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use super::issue::Issue;
use crate::content::site;
use crate::domain::SecretToken;
use crate::mail::{
    MailRefusal, MailServer, SmtpSession, StepError, ascii_domain, list_headers, to_visitors,
    unsubscribe_url,
};
use crate::store::{Recipient, Result, Store, StoreError};

/// The server may close a session at any time; then a new one is opened.
const CONNECTION_TRIES: u32 = 3;

/// Many tries, because an accepted mail that can't be noted as sent is unsure.
const STORE_TRIES: u32 = 20;
const STORE_PAUSE: Duration = Duration::from_millis(250);

/// The parts that all mails of a run share.
pub struct Mailing {
    pub store: Store,
    pub server: MailServer,
    pub from: Mailbox,
    pub issue: Issue,
    /// The maximum number of mails per second; 0 means no limit.
    pub rate: u32,
}

/// The result of one mail. The reasons contain no personal data.
pub enum MailResult {
    Sent,
    /// Another run has offered the mail, or the subscriber left.
    Skipped,
    /// The mail server will never accept mail to this address.
    Refused(Refused),
    /// Not accepted for now, and for this address only.
    Deferred,
    /// The server rejected this mail for some other reason.
    Rejected(String),
    /// The server or the store failed; the mail wasn't accepted.
    Failed(String),
    /// Sent, but it is unknown whether it was accepted, or that couldn't be noted.
    Unsure(String),
}

/// A permanent refusal, noted as temporary at first.
pub struct Refused {
    pub recipient: Recipient,
    pub refusal: MailRefusal,
}

/// The mail to one subscriber. `name` distinguishes the mails of an issue and is the same on every
/// attempt, so that a mail program can recognize duplicates.
fn write_mail(
    issue: &Issue,
    from: &Mailbox,
    to: &Address,
    name: &str,
    unsubscribe: &SecretToken,
    now: Timestamp,
) -> anyhow::Result<Message> {
    let link = unsubscribe_url(site(), unsubscribe);
    let mail = to_visitors::issue(site(), &issue.subject, &issue.text, &issue.html, &link);
    let (issue_name, domain) = (&issue.id[..16], from.email.domain());
    let builder = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, ascii_domain(to)))
        .reply_to(site().email.parse()?)
        .date(now.into())
        .message_id(Some(format!("<{issue_name}.{name}@{domain}>")))
        .subject(mail.subject);
    let mut html = MultiPart::related().singlepart(SinglePart::html(mail.html.clone()));
    for picture in &issue.pictures {
        let part = Attachment::new_inline(picture.id.clone());
        html = html.singlepart(part.body(picture.bytes.clone(), picture.media_type.parse()?));
    }
    let bodies = if issue.pictures.is_empty() {
        MultiPart::alternative_plain_html(mail.text, mail.html)
    } else {
        MultiPart::alternative()
            .singlepart(SinglePart::plain(mail.text))
            .multipart(html)
    };
    Ok(list_headers(builder, site(), unsubscribe)?.multipart(bodies)?)
}

/// Sends the mail to one address, to see what it looks like.
pub async fn send_test(
    server: &MailServer,
    from: &Mailbox,
    issue: &Issue,
    to: &Address,
) -> anyhow::Result<()> {
    // The token isn't stored, so the link in a test mail leads to the page for dead links.
    let token = SecretToken::random();
    let subject = format!("[Test] {}", issue.subject);
    let issue = Issue {
        subject,
        ..issue.clone()
    };
    let mail = write_mail(&issue, from, to, "test", &token, Timestamp::now())?;
    server.send(&mail).await?;
    Ok(())
}

/// How far a mail got before it failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// This recipient wasn't named: any other mail would have failed, too.
    Before,
    /// The recipient was named and may be the cause.
    Named,
    /// The mail was noted as offered.
    Offered,
}

impl Mailing {
    /// Sends one mail and notes how far it got; returns the session if the mail was accepted.
    pub async fn mail(
        &self,
        to: &Recipient,
        session: Option<SmtpSession>,
    ) -> (MailResult, Option<SmtpSession>) {
        let (token, now) = (SecretToken::random(), self.store.now());
        let Ok(address) = to.email.parse() else {
            let refused = StepError::Refused(MailRefusal::NoAddress);
            return (
                self.record_failure(to, refused, Stage::Before).await,
                session,
            );
        };
        let mail = match write_mail(&self.issue, &self.from, &address, &to.id, &token, now) {
            Ok(mail) => mail,
            // The address was parsed, so it isn't the cause.
            Err(error) => {
                let reason = format!("no mail can be written: {error}");
                return (MailResult::Failed(reason), session);
            }
        };
        let mut session = match self.prepare(session, mail.envelope()).await {
            Ok(session) => session,
            Err((error, stage)) => return (self.record_failure(to, error, stage).await, None),
        };
        let store = &self.store;
        // The server waits for the message: a session that doesn't send it can't be reused.
        match store.offer(to, &token, now).await {
            Ok(true) => {}
            Ok(false) => return (MailResult::Skipped, None),
            Err(error) => {
                // The store may have committed although its reply was lost.
                return match retry_store(|| store.withdraw_offer(to, &token)).await {
                    Ok(()) => (MailResult::Failed(error.to_string()), None),
                    Err(error) => (MailResult::Unsure(error.to_string()), None),
                };
            }
        }
        match session.hand_over(&mail.formatted()).await {
            Ok(()) => match retry_store(|| store.mark_sent(to)).await {
                Ok(()) => (MailResult::Sent, Some(session)),
                Err(error) => (MailResult::Unsure(error.to_string()), Some(session)),
            },
            Err(StepError::Connection(reason)) => (MailResult::Unsure(reason), None),
            Err(error) => (self.record_failure(to, error, Stage::Offered).await, None),
        }
    }

    /// Returns a session in which the server waits for the message.
    async fn prepare(
        &self,
        mut idle: Option<SmtpSession>,
        envelope: &Envelope,
    ) -> std::result::Result<SmtpSession, (StepError, Stage)> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut session = match idle.take() {
                Some(session) => session,
                None => {
                    let connected = self.server.connect().await;
                    connected.map_err(|error| (error, Stage::Before))?
                }
            };
            match session.prepare(envelope).await {
                Ok(_) => return Ok(session),
                Err(StepError::Connection(_)) if tries < CONNECTION_TRIES => {}
                Err(error) if session.recipient_named => return Err((error, Stage::Named)),
                Err(error) => return Err((error, Stage::Before)),
            }
        }
    }

    /// Notes a recipient that the server doesn't accept, so that the next run continues with the
    /// others. Even a permanent refusal is noted as temporary at first: see `issue_run`.
    async fn record_failure(&self, to: &Recipient, error: StepError, stage: Stage) -> MailResult {
        let (code, result) = match error {
            StepError::Refused(refusal) => {
                let recipient = to.clone();
                let refused = Refused { recipient, refusal };
                (refusal.in_short(), MailResult::Refused(refused))
            }
            StepError::Deferred(refusal) => (refusal.in_short(), MailResult::Deferred),
            error if stage == Stage::Before => return MailResult::Failed(error.to_string()),
            StepError::Server(_) => (String::new(), MailResult::Rejected(error.to_string())),
            StepError::Connection(reason) => (String::new(), MailResult::Failed(reason)),
        };
        let (store, now) = (&self.store, self.store.now());
        let is_offered = stage == Stage::Offered;
        let note = || store.record_deferred(to, &code, is_offered, now);
        match retry_store(note).await {
            Ok(()) => result,
            Err(error) if is_offered => MailResult::Unsure(error.to_string()),
            Err(error) => MailResult::Failed(error.to_string()),
        }
    }
}

/// Retries until the store succeeds, for a minute or more: a mail that isn't noted is unsure.
pub async fn retry_store<F: Future<Output = Result<()>>>(work: impl Fn() -> F) -> Result<()> {
    let mut tries = 1;
    loop {
        match work().await {
            Err(StoreError::SendRecordGone) => return Err(StoreError::SendRecordGone),
            Err(_) if tries < STORE_TRIES => tries += 1,
            result => return result,
        }
        tokio::time::sleep(STORE_PAUSE).await;
    }
}
