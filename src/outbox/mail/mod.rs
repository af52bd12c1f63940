//! Deliveries by e-mail: the owner is told of a lead, or that one is held, the
//! visitor thanked, a new subscriber asked to confirm.

mod address;
mod answer;
mod auto_reply;
mod confirmation;
mod held_notice;
pub mod list;
mod notification;
pub mod page;
pub mod session;

use std::time::Duration;

use jiff::Timestamp;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};

pub use self::address::ascii_domain;
use self::session::{MailServer, StepError};
use super::worker::{Sender, Verdict};
use crate::config::MailSettings;
use crate::content::SITE;
use crate::domain::one_line;
use crate::store::{About, Claim, DeliveryKind, Lead};

pub struct Mailer {
    server: MailServer,
    from: Mailbox,
    notify: Mailbox,
}

/// A mail's words, both ways of showing them.
pub struct Letter {
    pub subject: String,
    pub text: String,
    pub html: String,
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
        let (builder, letter) = match &claim.about {
            About::Lead(lead) if claim.kind == DeliveryKind::AutoReply => {
                let visitor = Mailbox::new(None, ascii_domain(&lead.email.parse()?));
                let builder = builder
                    .to(visitor)
                    .reply_to(SITE.email.parse()?)
                    .raw_header(automatic("auto-replied")?);
                (builder, auto_reply::letter(&SITE))
            }
            About::Held { lead, number } => {
                let builder = builder
                    .to(self.notify.clone())
                    .raw_header(automatic("auto-generated")?);
                (builder, held_notice::letter(&SITE, lead, *number))
            }
            About::Lead(lead) => {
                let builder = builder
                    .to(self.notify.clone())
                    .raw_header(automatic("auto-generated")?);
                let visitor = reply_address(lead);
                let letter = notification::letter(&SITE, lead, visitor.is_some());
                let builder = match visitor {
                    Some(visitor) => builder.reply_to(visitor),
                    None => builder,
                };
                (builder, letter)
            }
            About::Subscriber(invitation) => {
                let builder = builder
                    .to(Mailbox::new(None, ascii_domain(&invitation.email.parse()?)))
                    .reply_to(SITE.email.parse()?)
                    .raw_header(automatic("auto-generated")?);
                let builder = list::headers(builder, &SITE, &invitation.unsubscribe)?;
                (builder, confirmation::letter(&SITE, &invitation.confirm))
            }
        };
        let bodies = MultiPart::alternative_plain_html(letter.text, letter.html);
        Ok(builder.subject(letter.subject).multipart(bodies)?)
    }

    /// One conversation for one mail.
    async fn hand_over(&self, message: &Message) -> Result<(), StepError> {
        let mut session = self.server.connect().await?;
        let to = message.envelope().to();
        session.prepare(&self.from.email, to).await?;
        session.hand_over(&message.formatted()).await?;
        // The mail is taken, whatever becomes of the goodbye.
        tokio::spawn(session.end());
        Ok(())
    }

    fn message_id(&self, delivery_id: &str) -> String {
        format!("<{delivery_id}@{}>", self.from.email.domain())
    }
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
            let reason = "no mail can be written to this address".into();
            return Verdict::Refused { reason };
        };
        match self.hand_over(&message).await {
            Ok(()) => Verdict::Accepted,
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
