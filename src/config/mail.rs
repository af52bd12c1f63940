//! How mail goes out, and which mails the server sends about a lead.
//!
//! The mail server's address decides on encryption. `smtps://` is TLS from the first byte.
//! `smtp://` is plain on this machine; on others it uses STARTTLS if the server offers it, and
//! requires it if there is a password. `?tls=required` and `?tls=opportunistic` override this.

use std::str::FromStr;

use anyhow::anyhow;
use lettre::message::{Mailbox, Mailboxes};
use lettre::transport::smtp::authentication::Credentials;
use percent_encoding::percent_decode_str;
use url::Url;

use super::setting::{Parsed, is_this_machine, number, or_off, settings, switch};
use crate::content::site;
use crate::store::UNNAMED;

settings! {
    MailArgs in "Mail" => Option<MailSettings> {
        /// Mail server: `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS if offered, always
        /// with a password) or `smtps://…` (TLS from the first byte); without it, no mail is sent
        #[setting("FRONTDOOR_SMTP_URL", "URL", secret)]
        smtp_url => server: SmtpServer = str::parse, or off;

        /// Sender of every mail
        #[setting("FRONTDOOR_MAIL_FROM", "MAILBOX")]
        mail_from => from: Option<Mailbox> = mailbox, or site;

        /// Addresses to notify of new leads, waiting leads and faults, separated by commas
        #[setting("FRONTDOOR_NOTIFY_EMAIL", "MAILBOXES")]
        notify_email => notify: Option<Vec<Mailbox>> = mailboxes, or site;

        /// Hour, from 0 to 23 in the site's time zone, of the daily mail that says what is waiting
        /// or failing, if anything is; `off` turns it off
        #[setting("FRONTDOOR_DIGEST_HOUR", "HOUR|off")]
        digest_hour => digest_hour: Option<i8> = or_off(|text| number(text, 0..=23)), or "8";

        /// Whether everyone who sends the contact form gets a short mail with a link to
        /// the booking page, at most one a day: `on` or `off`
        #[setting("FRONTDOOR_AUTO_REPLY", "on|off")]
        auto_reply => auto_reply: bool = switch, or "off";

        /// Whether you get a copy of every reply from the desk: `on`, or `off` if your mail
        /// provider keeps sent mails itself
        #[setting("FRONTDOOR_REPLY_COPY", "on|off")]
        reply_copy => reply_copy: bool = switch, or "on";
    }
}

/// An address that isn't set is the site's. It is looked up each time, because another release may
/// change it.
impl MailSettings {
    pub fn from(&self) -> anyhow::Result<Mailbox> {
        let name = || Some(site().name.clone());
        let sites = || Ok(Mailbox::new(name(), site_mailbox()?.email));
        self.from.clone().map_or_else(sites, Ok)
    }

    /// The sender of a reply from the desk: `Anna at Maplewire`.
    pub fn reply_from(&self, who: &str) -> anyhow::Result<Mailbox> {
        let name = match who {
            UNNAMED => site().name.clone(),
            who => format!("{who} at {}", site().name),
        };
        Ok(Mailbox::new(Some(name), self.from()?.email))
    }

    pub fn notify(&self) -> anyhow::Result<Vec<Mailbox>> {
        let sites = || Ok(vec![site_mailbox()?]);
        self.notify.clone().map_or_else(sites, Ok)
    }
}

fn site_mailbox() -> anyhow::Result<Mailbox> {
    mailbox(&site().email).map_err(|problem| anyhow!("email in content/site.toml {problem}"))
}

fn mailbox(text: &str) -> Parsed<Mailbox> {
    text.parse().map_err(|_| {
        "must be an e-mail address, like hello@example.org or Name <hello@example.org>".into()
    })
}

fn mailboxes(text: &str) -> Parsed<Vec<Mailbox>> {
    let mailboxes: Mailboxes = text.parse().map_err(|_| {
        "must be e-mail addresses separated by commas, like hello@example.org, \
        Name <team@example.org>"
    })?;
    Ok(mailboxes.into_iter().collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    None,
    Opportunistic,
    Required,
    FromTheFirstByte,
}

#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub login: Option<Credentials>,
}

impl FromStr for SmtpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "smtp" | "smtps"))
            .ok_or("must be an address that starts with smtp:// or smtps://")?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or("must name the mail server, like smtp://mail.example.org")?;
        // In a socket address, an IPv6 address has no brackets.
        let host = host.trim_matches(['[', ']']).to_owned();
        let login = login(&url)?;
        let security = security(&url, &host, login.is_some())?;
        let usual_port = match security {
            Security::FromTheFirstByte => 465,
            Security::Required | Security::Opportunistic => 587,
            Security::None => 25,
        };
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual_port),
            security,
            login,
        })
    }
}

fn security(url: &Url, host: &str, login: bool) -> Parsed<Security> {
    match (url.scheme(), url.query()) {
        ("smtps", None) => Ok(Security::FromTheFirstByte),
        ("smtps", Some(_)) => Err("must have nothing after `?`: smtps:// is always TLS".into()),
        (_, Some("tls=required")) => Ok(Security::Required),
        (_, Some("tls=opportunistic")) => Ok(Security::Opportunistic),
        (_, Some(_)) => {
            Err("must have nothing after `?` but tls=required or tls=opportunistic".into())
        }
        (_, None) if is_this_machine(host) => Ok(Security::None),
        (_, None) if login => Ok(Security::Required),
        (_, None) => Ok(Security::Opportunistic),
    }
}

fn login(url: &Url) -> Parsed<Option<Credentials>> {
    let plain = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        (_, None) => Err("must have a password after the user name: smtp://USER:PASSWORD@…".into()),
        (user, Some(password)) => Ok(Some(Credentials::new(plain(user), plain(password)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_decides_on_port_and_encryption() {
        use Security::{FromTheFirstByte, None, Opportunistic, Required};
        for (url, host, port, security) in [
            ("smtps://a.example", "a.example", 465, FromTheFirstByte),
            ("smtp://me:word@a.example", "a.example", 587, Required),
            ("smtp://a.example", "a.example", 587, Opportunistic),
            ("smtp://127.0.0.1?tls=required", "127.0.0.1", 587, Required),
            ("smtp://localhost:2525", "localhost", 2525, None),
            ("smtp://user:word@[::1]", "::1", 25, None),
        ] {
            let server: SmtpServer = url.parse().unwrap();
            let found = (&*server.host, server.port, server.security);
            assert_eq!(found, (host, port, security), "{url}");
        }
    }

    #[test]
    fn a_password_is_decoded_keeps_its_plus_sign_and_is_never_shown() {
        let server: SmtpServer = "smtp://me%40x:a%40b+c%2Fd@h".parse().unwrap();
        assert!(!format!("{server:?}").contains("a@b"));
        let login = Credentials::new("me@x".to_owned(), "a@b+c/d".to_owned());
        assert_eq!(server.login, Some(login));
    }
}
