//! How mail goes out, and which mails the server sends about a lead.

use anyhow::anyhow;
use lettre::message::{Mailbox, Mailboxes};

use super::parse::{Parsed, switch};
use super::setting::settings;
use super::{ConfigError, SmtpServer};
use crate::content::SITE;

/// More would be a mailing list, which the mail server has.
const MOST_MAILBOXES: usize = 20;

settings! {
    MailArgs in "Mail" => Option<OutgoingMail> {
        /// Mail server: `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS where offered)
        /// or `smtps://…` (TLS from the first byte); without it no mail is sent
        #[arg(env = "FRONTDOOR_SMTP_URL", value_name = "URL", hide_env_values = true)]
        smtp_url => server: SmtpServer = str::parse, or off;

        /// Sender of every e-mail
        #[arg(env = "FRONTDOOR_MAIL_FROM", value_name = "MAILBOX")]
        mail_from => from: Option<Mailbox> = mailbox, or none as "the site's address";
    }
}

settings! {
    LeadMailArgs in "Mail" => LeadMail {
        /// Who is told of new leads, of those that wait, and of faults: one address,
        /// or several separated by commas
        #[arg(env = "FRONTDOOR_NOTIFY_EMAIL", value_name = "MAILBOXES")]
        notify_email => notify: Option<Vec<Mailbox>> = mailboxes, or none as "the site's address";

        /// Hour of the day, in the site's time zone, at which the owner is mailed what
        /// waits and what fails, if there is any: 0 to 23, or `off`
        #[arg(env = "FRONTDOOR_DIGEST_HOUR", value_name = "HOUR")]
        digest_hour => digest_hour: Option<i8> = hour, or "8";

        /// Answer every visitor with a short e-mail that names the booking page:
        /// `on` or `off`
        #[arg(env = "FRONTDOOR_AUTO_REPLY", value_name = "on|off")]
        auto_reply => auto_reply: bool = switch, or "off";
    }
}

#[derive(Debug, Clone)]
pub struct MailSettings {
    pub server: SmtpServer,
    /// As it is set: see [`MailSettings::from`].
    pub from: Option<Mailbox>,
    /// As it is set: see [`MailSettings::notify`].
    pub notify: Option<Vec<Mailbox>>,
    pub digest_hour: Option<i8>,
    pub auto_reply: bool,
}

impl MailSettings {
    /// `None` when no mail server is set up.
    pub fn load(mail: &MailArgs, about_leads: &LeadMailArgs) -> Result<Option<Self>, ConfigError> {
        let (outgoing, about_leads) = (mail.load()?, about_leads.load()?);
        Ok(outgoing.map(|OutgoingMail { server, from }| Self {
            server,
            from,
            notify: about_leads.notify,
            digest_hour: about_leads.digest_hour,
            auto_reply: about_leads.auto_reply,
        }))
    }

    /// The sender of a mail that is written now.
    pub fn from(&self) -> anyhow::Result<Mailbox> {
        sender(self.from.as_ref())
    }

    /// The owner, as of now.
    pub fn notify(&self) -> anyhow::Result<Vec<Mailbox>> {
        match &self.notify {
            Some(notify) => Ok(notify.clone()),
            None => Ok(vec![site_mailbox()?]),
        }
    }
}

impl OutgoingMail {
    pub fn from(&self) -> anyhow::Result<Mailbox> {
        sender(self.from.as_ref())
    }
}

/// Unless it is set, the site's address: another release may have another.
fn sender(set: Option<&Mailbox>) -> anyhow::Result<Mailbox> {
    match set {
        Some(set) => Ok(set.clone()),
        None => Ok(Mailbox::new(Some(SITE.name.clone()), site_mailbox()?.email)),
    }
}

fn mailbox(text: &str) -> Parsed<Mailbox> {
    text.parse().map_err(|_| {
        "must be an e-mail address, like hello@example.org or Name <hello@example.org>".into()
    })
}

/// Each once, in the order they were written.
fn mailboxes(text: &str) -> Parsed<Vec<Mailbox>> {
    let wrong = || {
        format!(
            "must be e-mail addresses separated by commas, at most {MOST_MAILBOXES}, like \
            hello@example.org, Name <team@example.org>"
        )
    };
    let written: Mailboxes = text.parse().map_err(|_| wrong())?;
    let mut all: Vec<Mailbox> = Vec::new();
    for mailbox in written {
        if all.iter().all(|known| known.email != mailbox.email) {
            all.push(mailbox);
        }
    }
    match all.len() {
        1..=MOST_MAILBOXES => Ok(all),
        _ => Err(wrong()),
    }
}

fn hour(text: &str) -> Parsed<Option<i8>> {
    let hour = text.parse().ok().filter(|hour| (0..24).contains(hour));
    match (text, hour) {
        ("off", _) => Ok(None),
        (_, Some(hour)) => Ok(Some(hour)),
        _ => Err("must be an hour from 0 to 23, or `off`".into()),
    }
}

fn site_mailbox() -> anyhow::Result<Mailbox> {
    mailbox(&SITE.email).map_err(|problem| anyhow!("email in content/site.toml {problem}"))
}
