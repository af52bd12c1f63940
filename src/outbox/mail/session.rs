//! One conversation with the mail server, step by step.
//!
//! The ordinary transport hands a mail over in one call. A newsletter needs
//! to know the one moment after which a mail may have arrived, so that it can
//! be written down before: everything up to [`Session::prepare`]'s end is
//! without consequence, [`Session::hand_over`] is not.

use std::io;
use std::time::Duration;

use anyhow::Context as _;
use lettre::Address;
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use super::transport::{self, CONNECT_TIMEOUT};

/// For each step; some mail servers think long about a message.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    None,
    Opportunistic,
    Required,
    FromTheFirstByte,
}

/// Where the mail server is and how to talk to it.
pub struct MailServer {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
}

/// Why a step failed. Reasons are free of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepError {
    /// The mail server does not want this recipient.
    Recipient(String),
    /// The mail server said no to something else; the mail was not taken.
    Server(String),
    /// No answer: after the hand-over it cannot be told whether it was taken.
    Connection(String),
}

impl StepError {
    pub fn into_reason(self) -> String {
        let (Self::Recipient(reason) | Self::Server(reason) | Self::Connection(reason)) = self;
        reason
    }
}

impl MailServer {
    pub fn parse(url: &str) -> anyhow::Result<Self> {
        let url = transport::with_tls_choice(url)?;
        let tls = url.query_pairs().find(|(name, _)| name == "tls");
        let security = match (url.scheme(), tls.as_ref().map(|(_, value)| &**value)) {
            ("smtps", None) => Security::FromTheFirstByte,
            ("smtp", None) => Security::None,
            ("smtp", Some("required")) => Security::Required,
            ("smtp", Some("opportunistic")) => Security::Opportunistic,
            _ => anyhow::bail!("the mail server's address cannot be used"),
        };
        let default_port = match security {
            Security::FromTheFirstByte => smtp::SUBMISSIONS_PORT,
            Security::Required | Security::Opportunistic => smtp::SUBMISSION_PORT,
            Security::None => smtp::SMTP_PORT,
        };
        Ok(Self {
            host: host(&url)?,
            port: url.port().unwrap_or(default_port),
            security,
            credentials: credentials(&url)?,
        })
    }

    pub async fn connect(&self) -> Result<Session, StepError> {
        let opening = timeout(STEP_TIMEOUT, self.open());
        let connection = opening.await.map_err(|_| timed_out())??;
        Ok(Session { connection })
    }

    async fn open(&self) -> Result<AsyncSmtpConnection, StepError> {
        let hello = ClientId::default();
        let tls = || TlsParameters::new(self.host.clone()).map_err(failed);
        let server = (self.host.as_str(), self.port);
        if self.security == Security::FromTheFirstByte {
            let limit = Some(CONNECT_TIMEOUT);
            let opening =
                AsyncSmtpConnection::connect_tokio1(server, limit, &hello, Some(tls()?), None);
            return self.log_in(opening.await.map_err(failed)?).await;
        }
        let stream = TcpStream::connect(server).await.map_err(unreachable)?;
        // A message and its end are two writes; without this the second one
        // waits until the first is acknowledged.
        stream.set_nodelay(true).map_err(unreachable)?;
        let opening = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello);
        let mut connection = opening.await.map_err(failed)?;
        let offered = connection.can_starttls();
        if self.security == Security::Required
            || (self.security == Security::Opportunistic && offered)
        {
            connection.starttls(tls()?, &hello).await.map_err(failed)?;
        }
        self.log_in(connection).await
    }

    async fn log_in(
        &self,
        mut connection: AsyncSmtpConnection,
    ) -> Result<AsyncSmtpConnection, StepError> {
        if let Some(credentials) = &self.credentials {
            let answer = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            answer.map_err(failed)?;
        }
        Ok(connection)
    }
}

fn host(url: &Url) -> anyhow::Result<String> {
    let host = url.host_str().context("the mail server has no name")?;
    // A socket address wants an IPv6 address without its brackets.
    Ok(host.trim_matches(['[', ']']).to_owned())
}

fn credentials(url: &Url) -> anyhow::Result<Option<Credentials>> {
    let Some(password) = url.password() else {
        return Ok(None);
    };
    let plain = |text: &str| -> anyhow::Result<String> {
        let decoded = percent_decode(text);
        String::from_utf8(decoded).context("the mail server's password cannot be read")
    };
    let (user, password) = (plain(url.username())?, plain(password)?);
    Ok(Some(Credentials::new(user, password)))
}

fn percent_decode(text: &str) -> Vec<u8> {
    // A plus sign is a plus sign here, unlike in a form.
    let form = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    let value = form_urlencoded::parse(form.as_bytes()).next();
    value.map_or_else(Vec::new, |(_, value)| value.into_owned().into_bytes())
}

/// An open conversation.
pub struct Session {
    connection: AsyncSmtpConnection,
}

impl Session {
    /// Names sender and recipient and asks to go on. Nothing has been sent
    /// when it ends, well or not.
    pub async fn prepare(&mut self, from: &Address, to: &Address) -> Result<(), StepError> {
        let utf8 = self.connection.server_info();
        let utf8 = utf8.supports_feature(Extension::SmtpUtfEight);
        let international = !AsRef::<str>::as_ref(to).is_ascii();
        if international && !utf8 {
            let reason = "the mail server takes no international addresses";
            return Err(StepError::Recipient(reason.into()));
        }
        let options = match international {
            true => vec![MailParameter::SmtpUtfEight],
            false => Vec::new(),
        };
        let sender = Mail::new(Some(from.clone()), options);
        step(self.connection.command(sender)).await?;
        let recipient = Rcpt::new(to.clone(), Vec::new());
        match step(self.connection.command(recipient)).await {
            Err(StepError::Server(reason)) => return Err(StepError::Recipient(reason)),
            other => other?,
        }
        step(self.connection.command(Data)).await
    }

    /// Sends the message and waits until the server has taken it.
    pub async fn hand_over(&mut self, message: &[u8]) -> Result<(), StepError> {
        step(self.connection.message(message)).await
    }

    /// Ready for the next mail after one that failed; false when the
    /// conversation is over.
    pub async fn reset(&mut self) -> bool {
        !self.connection.has_broken() && step(self.connection.command(Rset)).await.is_ok()
    }

    pub async fn end(mut self) {
        let _ = timeout(STEP_TIMEOUT, self.connection.quit()).await;
    }
}

async fn step<T>(answer: impl Future<Output = Result<T, smtp::Error>>) -> Result<(), StepError> {
    let answered = timeout(STEP_TIMEOUT, answer).await;
    answered
        .map_err(|_| timed_out())?
        .map(|_| ())
        .map_err(failed)
}

fn timed_out() -> StepError {
    let reason = format!("no answer within {} s", STEP_TIMEOUT.as_secs());
    StepError::Connection(reason)
}

fn unreachable(error: io::Error) -> StepError {
    StepError::Connection(format!("the mail server cannot be reached: {error}"))
}

fn failed(error: smtp::Error) -> StepError {
    let reason = transport::reason(&error);
    match error.status() {
        Some(_) => StepError::Server(reason),
        None => StepError::Connection(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_decides_on_port_and_encryption() {
        let parsed = |url: &str| {
            let server = MailServer::parse(url).unwrap();
            (server.host, server.port, server.security)
        };
        let at = |host: &str, port, security| (host.to_owned(), port, security);
        assert_eq!(
            parsed("smtps://mail.example"),
            at("mail.example", 465, Security::FromTheFirstByte)
        );
        assert_eq!(
            parsed("smtp://user:word@mail.example"),
            at("mail.example", 587, Security::Required)
        );
        assert_eq!(
            parsed("smtp://mail.example"),
            at("mail.example", 587, Security::Opportunistic)
        );
        assert_eq!(parsed("smtp://[::1]:2525"), at("::1", 2525, Security::None));
        assert!(MailServer::parse("http://mail.example").is_err());
        assert!(MailServer::parse("smtp://mail.example?tls=maybe").is_err());
    }

    #[test]
    fn a_password_is_decoded_and_keeps_its_plus_sign() {
        assert_eq!(percent_decode("a%40b+c%2Fd&e"), b"a@b+c/d&e");
    }
}
