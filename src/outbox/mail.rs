//! Deliveries by e-mail: the owner is told of a lead, or that one is held, the
//! visitor thanked, a new subscriber asked to confirm.

use std::time::Duration;

use jiff::Timestamp;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};

use super::sender::{Sender, Verdict};
use crate::config::MailSettings;
use crate::content::SITE;
use crate::domain::one_line;
use crate::mail::address::ascii_domain;
use crate::mail::letters::{Letter, auto_reply, confirmation, held_notice, notification};
use crate::mail::list;
use crate::mail::{MailServer, Refusal, StepError};
use crate::store::{About, Claim, DeliveryKind, Lead};

pub struct Mailer {
    server: MailServer,
    from: Mailbox,
    notify: Mailbox,
}

impl Mailer {
    pub fn new(settings: &MailSettings) -> anyhow::Result<Self> {
        Ok(Self {
            server: MailServer::new(&settings.server)?,
            from: settings.from.clone(),
            notify: settings.notify.clone(),
        })
    }

    fn write(&self, claim: &Claim, now: Timestamp) -> anyhow::Result<Message> {
        let builder = Message::builder()
            .from(self.from.clone())
            .date(now.into())
            // The same on every attempt: a mailbox that got it twice can tell.
            .message_id(Some(self.message_id(&claim.delivery_id)));
        let (builder, letter) = self.address(builder, claim)?;
        let bodies = MultiPart::alternative_plain_html(letter.text, letter.html);
        Ok(builder.subject(letter.subject).multipart(bodies)?)
    }

    fn address(
        &self,
        builder: MessageBuilder,
        claim: &Claim,
    ) -> anyhow::Result<(MessageBuilder, Letter)> {
        Ok(match &claim.about {
            About::Lead(lead) if claim.kind == DeliveryKind::AutoReply => {
                let builder = to_visitor(builder, &lead.email, "auto-replied")?;
                (builder, auto_reply::letter(&SITE))
            }
            About::Lead(lead) => {
                let (builder, visitor) = (self.to_owner(builder)?, reply_address(lead));
                let letter = notification::letter(&SITE, lead, visitor.is_some());
                let reply_to = visitor.into_iter();
                (reply_to.fold(builder, MessageBuilder::reply_to), letter)
            }
            About::Held { lead, number } => {
                let builder = self.to_owner(builder)?;
                (builder, held_notice::letter(&SITE, lead, *number))
            }
            About::Subscriber(invitation) => {
                let builder = to_visitor(builder, &invitation.email, "auto-generated")?;
                let builder = list::headers(builder, &SITE, &invitation.unsubscribe)?;
                (builder, confirmation::letter(&SITE, &invitation.confirm))
            }
        })
    }

    fn to_owner(&self, builder: MessageBuilder) -> anyhow::Result<MessageBuilder> {
        let builder = builder.to(self.notify.clone());
        Ok(builder.raw_header(automatic("auto-generated")?))
    }

    fn message_id(&self, delivery_id: &str) -> String {
        format!("<{delivery_id}@{}>", self.from.email.domain())
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
        DeliveryKind::AutoReply,
        DeliveryKind::Confirm,
        DeliveryKind::HeldNotice,
    ];
    // For the whole conversation; some mail servers greet slowly on purpose.
    const TIME_LIMIT: Duration = Duration::from_secs(20);

    async fn send(&self, claim: &Claim, now: Timestamp) -> Verdict {
        let Ok(message) = self.write(claim, now) else {
            let reason = Refusal::NoAddress.reason();
            return Verdict::Refused { reason };
        };
        match self.server.send(&message).await {
            Ok(session) => {
                tokio::spawn(session.end());
                Verdict::Accepted
            }
            // A visitor's mistyped address stays wrong. The owner's is worth
            // every retry: it is the settings that will be mended.
            Err(error @ StepError::Refused(_)) if !claim.kind.is_for_owner() => {
                let reason = error.into_reason();
                Verdict::Refused { reason }
            }
            Err(error) => Verdict::failed(error.into_reason()),
        }
    }
}
