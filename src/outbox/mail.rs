//! Deliveries by e-mail: the owner is told of a lead, that one waits or is held,
//! and how things are; the visitor is thanked, a new subscriber asked to confirm.

use std::time::Duration;

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};

use super::report::Report;
use super::sender::{Sender, Verdict};
use crate::config::MailSettings;
use crate::content::{Facts, SITE};
use crate::domain::one_line;
use crate::mail::address::ascii_domain;
use crate::mail::letters::{
    Letter, auto_reply, confirmation, due_notice, held_notice, notification,
};
use crate::mail::list;
use crate::mail::{MailServer, Refusal, StepError, TurnedAway};
use crate::store::{About, Claim, DeliveryKind, Lead, Store};
use crate::upkeep::Backups;

pub struct Mailer {
    server: MailServer,
    settings: MailSettings,
    /// Without it nothing that tells how things are can be written.
    report: Option<Report>,
}

impl Mailer {
    /// For what is about a visitor.
    pub fn new(settings: &MailSettings) -> anyhow::Result<Self> {
        Ok(Self {
            server: MailServer::new(&settings.server)?,
            settings: settings.clone(),
            report: None,
        })
    }

    /// For everything.
    pub fn reporting(
        settings: &MailSettings,
        store: Store,
        promise: SignedDuration,
        backups: Option<Backups>,
    ) -> anyhow::Result<Self> {
        let report = Report {
            store,
            promise,
            backups,
        };
        Ok(Self {
            report: Some(report),
            ..Self::new(settings)?
        })
    }

    /// `said`: of a mail that is about nobody.
    fn write(
        &self,
        claim: &Claim,
        said: Option<Letter>,
        now: Timestamp,
    ) -> anyhow::Result<Message> {
        let from = self.settings.from()?;
        // The same on every attempt: a mailbox that got it twice can tell.
        let id = format!("<{}@{}>", claim.delivery_id, from.email.domain());
        let builder = Message::builder()
            .from(from)
            .date(now.into())
            .message_id(Some(id));
        let (builder, letter) = self.address(builder, claim, said, now)?;
        let bodies = MultiPart::alternative_plain_html(letter.text, letter.html);
        Ok(builder.subject(letter.subject).multipart(bodies)?)
    }

    fn address(
        &self,
        builder: MessageBuilder,
        claim: &Claim,
        said: Option<Letter>,
        now: Timestamp,
    ) -> anyhow::Result<(MessageBuilder, Letter)> {
        Ok(match &claim.about {
            About::Lead(lead) if claim.kind == DeliveryKind::AutoReply => {
                let builder = to_visitor(builder, &lead.email, "auto-replied")?;
                (builder, auto_reply::letter(&SITE))
            }
            About::Lead(lead) => {
                let (builder, visitor) = (self.to_owner(builder, claim)?, reply_address(lead));
                let letter = self.about_lead(claim.kind, lead, visitor.is_some(), now);
                let reply_to = visitor.into_iter();
                (reply_to.fold(builder, MessageBuilder::reply_to), letter)
            }
            About::Held { lead, number } => {
                let builder = self.to_owner(builder, claim)?;
                (builder, held_notice::letter(&SITE, lead, *number))
            }
            About::Subscriber(invitation) => {
                let builder = to_visitor(builder, &invitation.email, "auto-generated")?;
                let builder = list::headers(builder, &SITE, &invitation.unsubscribe)?;
                (builder, confirmation::letter(&SITE, &invitation.confirm))
            }
            About::Site => {
                let said = said.context("there is nothing to say")?;
                (self.to_owner(builder, claim)?, said)
            }
        })
    }

    fn about_lead(
        &self,
        kind: DeliveryKind,
        lead: &Lead,
        can_reply: bool,
        now: Timestamp,
    ) -> Letter {
        match &self.report {
            Some(report) if kind == DeliveryKind::DueMail => {
                due_notice::letter(&SITE, lead, report.promise, can_reply, now)
            }
            _ => notification::letter(&SITE, lead, can_reply),
        }
    }

    /// All are named, so that each sees who else knows; it is handed over for
    /// those who do not have it yet.
    fn to_owner(&self, builder: MessageBuilder, claim: &Claim) -> anyhow::Result<MessageBuilder> {
        let (from, to) = (self.settings.from()?, self.settings.notify()?);
        let envelope = Envelope::new(Some(from.email), left(&to, claim))?;
        let builder = to.into_iter().fold(builder, MessageBuilder::to);
        let builder = builder.envelope(envelope);
        Ok(builder.raw_header(automatic("auto-generated")?))
    }

    /// `Err`: nothing can be sent, and why.
    async fn said(&self, claim: &Claim, now: Timestamp) -> Result<Option<Letter>, Verdict> {
        if !claim.kind.is_about_site() {
            return Ok(None);
        }
        let Some(report) = &self.report else {
            return Err(Verdict::failed("nobody here knows what to say"));
        };
        match report.letter(claim.kind, now).await {
            Ok(Some(letter)) => Ok(Some(letter)),
            Ok(None) => Err(Verdict::Withdrawn),
            Err(_) => Err(Verdict::Deferred {
                reason: "the store did not answer".into(),
            }),
        }
    }

    async fn hand_over(&self, message: &Message, claim: &Claim) -> Verdict {
        match self.server.send_to_some(message).await {
            Ok((session, turned_away)) => {
                tokio::spawn(session.end());
                taken(message.envelope().to(), turned_away)
            }
            // A visitor's mistyped address stays wrong. The owner's is worth
            // every retry: it is the settings that will be mended.
            Err(error @ StepError::Refused(_)) if !claim.kind.is_for_owner() => {
                let reason = error.into_reason();
                Verdict::Refused { reason }
            }
            Err(error @ StepError::Deferred(_)) if !claim.kind.is_for_owner() => {
                let reason = error.into_reason();
                Verdict::Deferred { reason }
            }
            Err(error) => Verdict::failed(error.into_reason()),
        }
    }
}

/// Whom it has not reached yet.
fn left(all: &[Mailbox], claim: &Claim) -> Vec<Address> {
    let has_it = |to: &&Address| claim.reached.iter().any(|known| *known == to.to_string());
    let all = all.iter().map(|mailbox| &mailbox.email);
    all.filter(|to| !has_it(to)).cloned().collect()
}

/// By all of them, or by some.
fn taken(to: &[Address], turned_away: Vec<TurnedAway>) -> Verdict {
    let is_away = |to: &Address| turned_away.iter().any(|away| away.recipient == *to);
    let reached = to.iter().filter(|to| !is_away(to));
    let reached: Vec<_> = reached.map(ToString::to_string).collect();
    let (number, all) = (turned_away.len(), to.len());
    match turned_away.into_iter().next() {
        None => Verdict::Accepted,
        Some(first) => Verdict::Partly {
            reached,
            reason: format!(
                "{number} of {all} addresses not taken: {}",
                first.why.into_reason()
            ),
        },
    }
}

fn to_visitor(
    builder: MessageBuilder,
    email: &str,
    origin: &str,
) -> anyhow::Result<MessageBuilder> {
    let visitor = Mailbox::new(None, ascii_domain(&email.parse()?));
    let builder = builder.to(visitor).reply_to(SITE.email.parse()?);
    Ok(builder.raw_header(automatic(origin)?))
}

/// Keeps other mail programs from answering a program (RFC 3834).
fn automatic(value: &str) -> anyhow::Result<HeaderValue> {
    let name = HeaderName::new_from_ascii("Auto-Submitted".into())?;
    Ok(HeaderValue::new(name, value.into()))
}

/// An address that no mail header can carry stands in the text only.
fn reply_address(lead: &Lead) -> Option<Mailbox> {
    let address = ascii_domain(&lead.email.parse::<Address>().ok()?);
    let writable = AsRef::<str>::as_ref(&address).is_ascii();
    writable.then(|| Mailbox::new(Some(one_line(&lead.name)), address))
}

impl Sender for Mailer {
    const KINDS: &'static [DeliveryKind] = &[
        DeliveryKind::Notify,
        DeliveryKind::DueMail,
        DeliveryKind::FaultMail,
        DeliveryKind::AutoReply,
        DeliveryKind::Confirm,
        DeliveryKind::HeldNotice,
        DeliveryKind::Digest,
    ];
    // For the whole conversation; some mail servers greet slowly on purpose.
    const TIME_LIMIT: Duration = Duration::from_secs(20);

    async fn send(&self, claim: &Claim, now: Timestamp) -> Verdict {
        if let Some(reason) = Facts::unreadable() {
            let reason = reason.into();
            return Verdict::Deferred { reason };
        }
        let has_arrived = |to: Vec<_>| left(&to, claim).is_empty();
        if claim.kind.is_for_owner() && self.settings.notify().is_ok_and(has_arrived) {
            return Verdict::Accepted;
        }
        let said = match self.said(claim, now).await {
            Ok(said) => said,
            Err(verdict) => return verdict,
        };
        match self.write(claim, said, now) {
            Ok(message) => self.hand_over(&message, claim).await,
            Err(_) => Verdict::Refused {
                reason: Refusal::NoAddress.reason(),
            },
        }
    }
}
