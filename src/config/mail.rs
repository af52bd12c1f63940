//! How mail goes out, and which mails the server sends about a lead.
//!
//! The mail server's address says how safe the connection must be. `smtps://` is TLS from
//! the first byte. `smtp://` is plain on this machine; elsewhere it is STARTTLS where
//! offered, and with a password STARTTLS or nothing. `?tls=required` and
//! `?tls=opportunistic` say it outright.

use std::net::IpAddr;
use std::str::FromStr;

use anyhow::anyhow;
use lettre::message::{Mailbox, Mailboxes};
use percent_encoding::percent_decode_str;
use url::Url;

use super::setting::{Parsed, Secret, settings, switch};
use crate::content::site;

settings! {
    MailArgs in "Mail" => Option<MailSettings> {
        /// Mail server: `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS where offered)
        /// or `smtps://…` (TLS from the first byte); without it no mail is sent
        #[setting("FRONTDOOR_SMTP_URL", "URL", secret)]
        smtp_url => server: SmtpServer = str::parse, or off;

        /// Sender of every e-mail
        #[setting("FRONTDOOR_MAIL_FROM", "MAILBOX")]
        mail_from => from: Option<Mailbox> = mailbox, or none as "the site's address";

        /// Addresses to notify of new leads, waiting leads and faults, separated by commas
        #[setting("FRONTDOOR_NOTIFY_EMAIL", "MAILBOXES")]
        notify_email => notify: Option<Vec<Mailbox>> = mailboxes, or none as "the site's address";

        /// Hour of the day, in the site's time zone, of the digest of what is waiting or
        /// failing, if anything: 0 to 23, or `off`
        #[setting("FRONTDOOR_DIGEST_HOUR", "HOUR")]
        digest_hour => digest_hour: Option<i8> = hour, or "8";

        /// Whether every visitor gets a short e-mail that names the booking page: `on` or
        /// `off`
        #[setting("FRONTDOOR_AUTO_REPLY", "on|off")]
        auto_reply => auto_reply: bool = switch, or "off";
    }
}

/// Where an address is not set it is the site's, looked up each time: another release
/// may have another.
impl MailSettings {
    pub fn from(&self) -> anyhow::Result<Mailbox> {
        match &self.from {
            Some(from) => Ok(from.clone()),
            None => Ok(Mailbox::new(
                Some(site().name.clone()),
                site_mailbox()?.email,
            )),
        }
    }

    pub fn notify(&self) -> anyhow::Result<Vec<Mailbox>> {
        match &self.notify {
            Some(notify) => Ok(notify.clone()),
            None => Ok(vec![site_mailbox()?]),
        }
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

fn hour(text: &str) -> Parsed<Option<i8>> {
    match text.parse() {
        Ok(hour @ 0..24) => Ok(Some(hour)),
        _ if text == "off" => Ok(None),
        _ => Err("must be an hour from 0 to 23, or `off`".into()),
    }
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
    pub login: Option<Login>,
}

#[derive(Debug, Clone)]
pub struct Login {
    pub user: Secret<String>,
    pub password: Secret<String>,
}

impl FromStr for SmtpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "smtp" | "smtps"))
            .ok_or("must be an address that starts with smtp:// or smtps://")?;
        let host = host(&url).ok_or("must name the mail server, like smtp://mail.example.org")?;
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

fn security(url: &Url, host: &str, login: bool) -> Result<Security, String> {
    let mut tls = None;
    for (name, value) in url.query_pairs() {
        match &*name {
            "tls" => tls = Some(value),
            _ => return Err("has an unknown parameter: `tls` is the only one".into()),
        }
    }
    match (url.scheme(), tls.as_deref()) {
        ("smtps", None) => Ok(Security::FromTheFirstByte),
        ("smtps", _) => Err("must not have `tls` where smtps:// says it already".into()),
        (_, Some("required")) => Ok(Security::Required),
        (_, Some("opportunistic")) => Ok(Security::Opportunistic),
        (_, Some(_)) => Err("must have `required` or `opportunistic` as its `tls`".into()),
        (_, None) if is_this_machine(host) => Ok(Security::None),
        (_, None) if login => Ok(Security::Required),
        (_, None) => Ok(Security::Opportunistic),
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn host(url: &Url) -> Option<String> {
    // A socket address wants an IPv6 address without its brackets.
    let host = url.host_str()?.trim_matches(['[', ']']);
    (!host.is_empty()).then(|| host.to_owned())
}

fn login(url: &Url) -> Result<Option<Login>, String> {
    let Some(password) = url.password() else {
        return match url.username() {
            "" => Ok(None),
            _ => Err("names a user without a password".into()),
        };
    };
    let plain = |text| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.map_err(|_| "has a password that isn't UTF-8 text")
    };
    Ok(Some(Login {
        user: Secret::new(plain(url.username())?.into_owned()),
        password: Secret::new(plain(password)?.into_owned()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_decides_on_port_and_encryption() {
        use Security::{FromTheFirstByte, None, Opportunistic, Required};
        for (url, host, port, security) in [
            (
                "smtps://mail.example",
                "mail.example",
                465,
                FromTheFirstByte,
            ),
            (
                "smtp://user:word@mail.example",
                "mail.example",
                587,
                Required,
            ),
            ("smtp://mail.example", "mail.example", 587, Opportunistic),
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
    fn an_address_that_cant_be_used_is_refused_without_repeating_it() {
        for bad in [
            "",
            "mail.secret",
            "http://mail.secret",
            "smtp://",
            "smtp://mail.secret?tls=maybe",
            "smtps://mail.secret?tls=required",
            "smtp://mail.secret?timeout=5",
            "smtp://secret@mail.example",
            "smtp://user:secret%FF@mail.example",
        ] {
            let problem = bad.parse::<SmtpServer>().unwrap_err();
            assert!(!problem.contains("secret"), "{problem}");
        }
    }

    #[test]
    fn a_password_is_decoded_keeps_its_plus_sign_and_is_never_shown() {
        let server: SmtpServer = "smtp://me%40x:a%40b+c%2Fd@h".parse().unwrap();
        assert!(!format!("{server:?}").contains("a@b"));
        let login = server.login.unwrap();
        assert_eq!(login.user.reveal(), "me@x");
        assert_eq!(login.password.reveal(), "a@b+c/d");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(smtps?://)?\\PC*") {
            let _ = text.parse::<SmtpServer>();
        }
    }
}
