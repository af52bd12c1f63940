//! Deliveries by mail: notices to the owner (new, due and held leads, the digest, a failing
//! webhook), automatic replies to visitors, and confirmation mails to new subscribers.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};
use url::Url;

use super::worker::{SendResult, Sender};
use crate::config::MailSettings;
use crate::content::{SiteFacts, site};
use crate::domain::one_line;
use crate::mail::to_owner::{DeskLinks, LeadMailContext};
use crate::mail::{
    MailRefusal, MailServer, MailText, Rejected, StepError, ascii_domain, list_headers, to_owner,
    to_visitors,
};
use crate::store::{self, Channel, Claim, ClaimedContent, DeliveryKind, Lead, Store, StoreError};
use crate::upkeep::Backups;

pub struct Mailer {
    server: MailServer,
    settings: MailSettings,
    store: Store,
    promise: SignedDuration,
    backups: Option<Backups>,
    /// The desk's address, if it is set: mails to the owner link to it.
    desk: Option<Url>,
}

impl Mailer {
    pub fn new(
        settings: &MailSettings,
        store: Store,
        promise: SignedDuration,
        backups: Option<Backups>,
        desk: Option<Url>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            server: MailServer::new(&settings.server)?,
            settings: settings.clone(),
            store,
            promise,
            backups,
            desk,
        })
    }

    /// Returns `None` if there is nothing left to report.
    async fn write(&self, claim: &Claim, now: Timestamp) -> anyhow::Result<Option<Message>> {
        let from = match &claim.content {
            ClaimedContent::Reply { reply, .. } => self.settings.reply_from(&reply.who)?,
            _ => self.settings.from()?,
        };
        // The same on every attempt, so that a mail program can recognize duplicates.
        let id = format!("<{}@{}>", claim.delivery_id, from.email.domain());
        let builder = Message::builder().from(from).date(now.into());
        let builder = builder.message_id(Some(id));
        let (builder, mail) = match &claim.content {
            ClaimedContent::Lead(lead) if claim.kind == DeliveryKind::AutoReply => {
                let builder = for_visitor(builder, &lead.email, "auto-replied")?;
                (builder, to_visitors::auto_reply(site(), lead))
            }
            // A reply to the owner's mail goes to the visitor.
            ClaimedContent::Lead(lead) => {
                let (visitor, desk) = (reply_address(lead), self.desk_links().await?);
                let context = LeadMailContext {
                    site: site(),
                    can_reply: visitor.is_some(),
                    desk: desk.as_ref(),
                };
                let mail = to_owner::about_lead(context, claim.kind, lead, self.promise, now);
                let builder = self.for_owner(builder, claim)?;
                let builder = visitor.into_iter().fold(builder, MessageBuilder::reply_to);
                (builder, mail)
            }
            ClaimedContent::Reply {
                lead,
                reply,
                thread,
            } => {
                let mail = to_visitors::reply(site(), lead, reply, self.settings.auto_reply);
                (self.for_reply(builder, lead, thread)?, mail)
            }
            ClaimedContent::Held { leads, number } => {
                let desk = self.desk_links().await?;
                let mail = to_owner::held(site(), leads, *number, desk.as_ref());
                (self.for_owner(builder, claim)?, mail)
            }
            ClaimedContent::Subscriber(invitation) => {
                let builder = for_visitor(builder, &invitation.email, "auto-generated")?;
                let builder = list_headers(builder, site(), &invitation.unsubscribe)?;
                let mail = to_visitors::confirmation(site(), &invitation.confirm);
                (builder, mail)
            }
            ClaimedContent::Site => match self.report(claim.kind, now).await? {
                Some(report) => (self.for_owner(builder, claim)?, report),
                None => return Ok(None),
            },
        };
        let bodies = MultiPart::alternative_plain_html(mail.text, mail.html);
        Ok(Some(builder.subject(mail.subject).multipart(bodies)?))
    }

    /// Adds the owner's reply to the thread of earlier mails. The owner's addresses get copies
    /// without being named in the headers; the visitor comes first in the envelope.
    fn for_reply(
        &self,
        builder: MessageBuilder,
        lead: &Lead,
        thread: &[String],
    ) -> anyhow::Result<MessageBuilder> {
        let (from, to) = (self.settings.from()?, visitor(&lead.email)?);
        let mut all = vec![to.email.clone()];
        if self.settings.reply_copy {
            all.extend(self.settings.notify()?.into_iter().map(|copy| copy.email));
        }
        let domain = from.email.domain();
        let ids: Vec<_> = thread.iter().map(|id| format!("<{id}@{domain}>")).collect();
        let envelope = Envelope::new(Some(from.email), all)?;
        let builder = builder.to(to).reply_to(site().email.parse()?);
        let builder = builder.envelope(envelope);
        Ok(match ids.last() {
            Some(last) => builder.in_reply_to(last.clone()).references(ids.join(" ")),
            None => builder,
        })
    }

    /// Addresses the mail to all of the owner's addresses, but sends it only to those that don't
    /// have it yet.
    fn for_owner(&self, builder: MessageBuilder, claim: &Claim) -> anyhow::Result<MessageBuilder> {
        let (from, to) = (self.settings.from()?, self.settings.notify()?);
        let envelope = Envelope::new(Some(from.email), unreached(&to, claim))?;
        let builder = to.into_iter().fold(builder, MessageBuilder::to);
        let builder = builder.envelope(envelope);
        Ok(builder.raw_header(automatic("auto-generated")))
    }

    async fn desk_links(&self) -> store::Result<Option<DeskLinks>> {
        let Some(desk) = self.desk.clone() else {
            return Ok(None);
        };
        let key = self.store.link_key().await?;
        Ok(Some(DeskLinks { desk, key }))
    }

    /// The current digest or state of the webhook; `None` if there is nothing left to report.
    async fn report(&self, kind: DeliveryKind, now: Timestamp) -> store::Result<Option<MailText>> {
        let mut digest = self.store.digest(self.promise, now).await?;
        if kind == DeliveryKind::Digest {
            if let Some(backups) = &self.backups {
                backups.add_to_digest(&mut digest);
            }
            let mail = || to_owner::digest(site(), &digest, self.promise, now);
            return Ok(digest.has_something_to_say().then(mail));
        }
        let is_webhook = |channel| channel == Channel::Webhook;
        digest
            .failing
            .retain(|each| is_webhook(each.kind.channel()));
        let channels = self.store.channels().await?;
        let webhook = channels.iter().find(|each| is_webhook(each.channel));
        Ok(webhook
            .filter(|_| !digest.failing.is_empty())
            .map(|webhook| to_owner::webhook_fails(site(), webhook, &digest.failing)))
    }

    async fn hand_over(&self, message: &Message, claim: &Claim) -> SendResult {
        let is_for_owner = claim.kind.is_for_owner();
        let sent = if claim.kind == DeliveryKind::Reply {
            // Without a copy to the owner, which would look as if the visitor had it, too.
            let sent = self.server.send_with_copies(message).await;
            sent.map(|()| Vec::new())
        } else {
            self.server.send(message).await
        };
        match sent {
            Ok(rejected) => judge(message.envelope().to(), rejected),
            // A visitor's mistyped address stays wrong. Mail to the owner is always retried: the
            // owner will fix the settings.
            Err(StepError::Refused(refusal)) if !is_for_owner => {
                SendResult::Refused(refusal.to_string())
            }
            Err(StepError::Deferred(refusal)) if !is_for_owner => {
                SendResult::Deferred(refusal.to_string())
            }
            Err(error) => SendResult::failed(error.to_string()),
        }
    }
}

/// The addresses that don't have the mail yet.
fn unreached(all: &[Mailbox], claim: &Claim) -> Vec<Address> {
    let is_reached = |to: &&Address| {
        claim
            .reached
            .iter()
            .any(|reached| *reached == to.to_string())
    };
    let all = all.iter().map(|mailbox| &mailbox.email);
    all.filter(|to| !is_reached(to)).cloned().collect()
}

fn judge(to: &[Address], rejected: Vec<Rejected>) -> SendResult {
    let is_rejected = |to: &Address| rejected.iter().any(|each| each.recipient == *to);
    let reached = to.iter().filter(|to| !is_rejected(to));
    let reached = reached.map(ToString::to_string).collect();
    let (number, all) = (rejected.len(), to.len());
    match rejected.into_iter().next() {
        None => SendResult::Accepted,
        Some(first) => SendResult::Partly {
            reached,
            reason: format!("{number} of {all} addresses refused: {}", first.why),
        },
    }
}

fn visitor(email: &str) -> anyhow::Result<Mailbox> {
    Ok(Mailbox::new(None, ascii_domain(&email.parse()?)))
}

fn for_visitor(
    builder: MessageBuilder,
    email: &str,
    origin: &str,
) -> anyhow::Result<MessageBuilder> {
    let builder = builder.to(visitor(email)?).reply_to(site().email.parse()?);
    Ok(builder.raw_header(automatic(origin)))
}

/// Keeps auto-responders from answering (RFC 3834).
fn automatic(value: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    HeaderValue::new(name, value.into())
}

/// Returns `None` for an address that can't be in a header; the mail's text still contains it.
fn reply_address(lead: &Lead) -> Option<Mailbox> {
    let address = ascii_domain(&lead.email.parse::<Address>().ok()?);
    let writable = AsRef::<str>::as_ref(&address).is_ascii();
    writable.then(|| Mailbox::new(Some(one_line(&lead.name)), address))
}

impl Sender for Mailer {
    const KINDS: &'static [DeliveryKind] = &[
        DeliveryKind::LeadMail,
        DeliveryKind::ReminderMail,
        DeliveryKind::CallCancelled,
        DeliveryKind::FaultMail,
        DeliveryKind::AutoReply,
        DeliveryKind::Reply,
        DeliveryKind::Confirm,
        DeliveryKind::HeldNotice,
        DeliveryKind::Digest,
    ];
    // Covers the whole session; some mail servers delay their greeting on purpose.
    const SEND_TIMEOUT: Duration = Duration::from_secs(20);

    async fn send(&self, claim: &Claim, now: Timestamp) -> SendResult {
        if let Some(reason) = SiteFacts::unreadable() {
            return SendResult::Deferred(reason.into());
        }
        let has_arrived = |to: Vec<_>| unreached(&to, claim).is_empty();
        if claim.kind.is_for_owner() && self.settings.notify().is_ok_and(has_arrived) {
            return SendResult::Accepted;
        }
        match self.write(claim, now).await {
            Ok(Some(message)) => self.hand_over(&message, claim).await,
            Ok(None) => SendResult::Withdrawn,
            Err(error) if error.is::<StoreError>() => {
                SendResult::Deferred("the store did not answer".into())
            }
            // The owner will fix the address.
            Err(error) if claim.kind.is_for_owner() => {
                SendResult::failed(format!("no mail can be written: {error}"))
            }
            Err(_) => SendResult::Refused(MailRefusal::NoAddress.to_string()),
        }
    }
}
