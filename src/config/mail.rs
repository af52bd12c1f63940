//! How mail goes out, and which mails the server sends about a lead.

use lettre::message::Mailbox;

use super::parse::{Parsed, switch};
use super::setting::settings;
use super::{ConfigError, SmtpServer};
use crate::content::SITE;

settings! {
    MailArgs in "Mail" => Option<OutgoingMail> {
        /// Mail server: `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS where offered)
        /// or `smtps://…` (TLS from the first byte); without it no mail is sent
        #[arg(env = "FRONTDOOR_SMTP_URL", value_name = "URL", hide_env_values = true)]
        smtp_url => server: SmtpServer = str::parse, or off;

        /// Sender of every e-mail
        #[arg(env = "FRONTDOOR_MAIL_FROM", value_name = "MAILBOX")]
        mail_from => from: Mailbox = mailbox, or site_sender as "the site's address";
    }
}

settings! {
    LeadMailArgs in "Mail" => LeadMail {
        /// Who is told of a new lead
        #[arg(env = "FRONTDOOR_NOTIFY_EMAIL", value_name = "MAILBOX")]
        notify_email => notify: Mailbox = mailbox, or site_mailbox as "the site's address";

        /// Answer every visitor with a short e-mail that names the booking page:
        /// `on` or `off`
        #[arg(env = "FRONTDOOR_AUTO_REPLY", value_name = "on|off")]
        auto_reply => auto_reply: bool = switch, or "off";
    }
}

#[derive(Debug, Clone)]
pub struct MailSettings {
    pub server: SmtpServer,
    pub from: Mailbox,
    pub notify: Mailbox,
    pub auto_reply: bool,
}

impl MailSettings {
    /// `None` when no mail server is set up.
    pub fn load(mail: &MailArgs, about_leads: &LeadMailArgs) -> Result<Option<Self>, ConfigError> {
        let (outgoing, LeadMail { notify, auto_reply }) = (mail.load()?, about_leads.load()?);
        Ok(outgoing.map(|OutgoingMail { server, from }| Self {
            server,
            from,
            notify,
            auto_reply,
        }))
    }
}

fn mailbox(text: &str) -> Parsed<Mailbox> {
    text.parse().map_err(|_| {
        "must be an e-mail address, like hello@example.org or Name <hello@example.org>".into()
    })
}

fn site_mailbox() -> Parsed<Mailbox> {
    mailbox(&SITE.email).map_err(|problem| format!("email in content/site.toml {problem}"))
}

fn site_sender() -> Parsed<Mailbox> {
    Ok(Mailbox::new(Some(SITE.name.clone()), site_mailbox()?.email))
}
