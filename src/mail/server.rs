//! The configured mail server, and a step-by-step SMTP session with it.
//!
//! lettre's transport sends a mail in one call. The newsletter must record a mail before it may be
//! delivered: [`SmtpSession::prepare`] has no effect, [`SmtpSession::hand_over`] sends the message.

use std::error::Error;
use std::fmt::Display;
use std::net::SocketAddr;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::{Address, Message};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::ascii_domain;
use super::refusal::{Cause, Codes};
use crate::calls;
use crate::config::{Security, SmtpServer};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of each step; some mail servers take long to check a message.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

pub struct MailServer {
    settings: SmtpServer,
    tls: Option<TlsParameters>,
}

impl MailServer {
    pub fn new(settings: &SmtpServer) -> anyhow::Result<Self> {
        let tls = match settings.security {
            Security::None => None,
            _ => Some(calls::mail_tls(&settings.host)?),
        };
        let settings = settings.clone();
        Ok(Self { settings, tls })
    }

    /// Sends one mail and returns the recipients that were rejected while others were accepted.
    pub async fn send(&self, mail: &Message) -> Result<Vec<Rejected>, StepError> {
        let mut session = self.connect().await?;
        let rejected = session.prepare(mail.envelope()).await?;
        session.hand_over(&mail.formatted()).await?;
        // The mail is accepted, whether or not QUIT succeeds.
        tokio::spawn(session.end());
        Ok(rejected)
    }

    /// Sends one mail, but to nobody if its first recipient is rejected: the others get copies.
    pub async fn send_with_copies(&self, mail: &Message) -> Result<(), StepError> {
        let mut session = self.connect().await?;
        let mut rejected = session.prepare(mail.envelope()).await?;
        let is_first = |each: &Rejected| each.recipient == mail.envelope().to()[0];
        if let Some(first) = rejected.iter().position(is_first) {
            return Err(rejected.swap_remove(first).why);
        }
        session.hand_over(&mail.formatted()).await?;
        tokio::spawn(session.end());
        Ok(())
    }

    pub async fn connect(&self) -> Result<SmtpSession, StepError> {
        let connection = within(STEP_TIMEOUT, self.open_connection()).await??;
        Ok(SmtpSession {
            connection,
            recipient_named: false,
        })
    }

    /// Connects, greets, encrypts and logs in as configured.
    async fn open_connection(&self) -> Result<AsyncSmtpConnection, StepError> {
        let hello = client_id();
        let addresses = self.resolve().await?;
        let server = addresses.as_slice();
        let mut connection = match self.settings.security {
            Security::FromTheFirstByte => {
                let (limit, tls) = (Some(CONNECT_TIMEOUT), self.tls.clone());
                AsyncSmtpConnection::connect_tokio1(server, limit, &hello, tls, None).await?
            }
            _ => {
                let stream = Box::new(connect_to(server).await?);
                AsyncSmtpConnection::connect_with_transport(stream, &hello).await?
            }
        };
        let starttls = match self.settings.security {
            Security::None | Security::FromTheFirstByte => false,
            Security::Opportunistic => connection.can_starttls(),
            Security::Required => true,
        };
        if let Some(tls) = self.tls.as_ref().filter(|_| starttls) {
            connection.starttls(tls.clone(), &hello).await?;
        }
        if let Some(login) = &self.settings.login {
            connection.auth(DEFAULT_MECHANISMS, login).await?;
        }
        Ok(connection)
    }

    /// Resolves the host separately, so that a mistyped name is reported as such.
    async fn resolve(&self) -> Result<Vec<SocketAddr>, StepError> {
        let lookup = lookup_host((self.settings.host.as_str(), self.settings.port));
        let found = within(CONNECT_TIMEOUT, lookup).await?;
        let addresses: Vec<_> = found.into_iter().flatten().collect();
        if addresses.is_empty() {
            Err(StepError::unusable(calls::NO_SUCH_NAME))
        } else {
            Ok(addresses)
        }
    }
}

async fn connect_to(server: &[SocketAddr]) -> Result<TcpStream, StepError> {
    let connected = within(CONNECT_TIMEOUT, TcpStream::connect(server)).await?;
    let stream = connected.map_err(|error| StepError::connection_failed(&error))?;
    // A message and its end are two writes; without this, the second waits until the first is
    // acknowledged.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// The machine's host name.
fn client_id() -> ClientId {
    let machine = rustix::system::uname();
    ClientId::Domain(machine.nodename().to_string_lossy().into_owned())
}

async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, StepError> {
    let timed_out = |_| StepError::Connection(format!("no answer within {} s", limit.as_secs()));
    timeout(limit, work).await.map_err(timed_out)
}

/// A recipient that the server rejected, out of several.
pub struct Rejected {
    pub recipient: Address,
    pub why: StepError,
}

pub struct SmtpSession {
    connection: AsyncSmtpConnection,
    /// Whether the last [`SmtpSession::prepare`] named a recipient, who may be why it failed.
    pub recipient_named: bool,
}

impl SmtpSession {
    /// Sends the envelope and DATA, but no message yet. Returns the rejected recipients; fails if
    /// all are rejected.
    pub async fn prepare(&mut self, envelope: &Envelope) -> Result<Vec<Rejected>, StepError> {
        self.recipient_named = false;
        let extensions = self.connection.server_info();
        let accepts_any = extensions.supports_feature(Extension::SmtpUtfEight);
        let (to, international): (Vec<_>, Vec<_>) = envelope
            .to()
            .iter()
            .cloned()
            .partition(|to| accepts_any || is_ascii(to));
        let international = international.into_iter().map(|recipient| Rejected {
            recipient,
            why: StepError::Deferred(MailRefusal::NoInternationalAddresses),
        });
        let mut rejected: Vec<_> = international.collect();
        if !to.is_empty() {
            let options = if to.iter().all(is_ascii) {
                Vec::new()
            } else {
                vec![MailParameter::SmtpUtfEight]
            };
            let sender = Mail::new(envelope.from().map(ascii_domain), options);
            self.command(sender, |_| Cause::Server).await?;
            self.recipient_named = true;
        }
        for recipient in to {
            let command = Rcpt::new(ascii_domain(&recipient), Vec::new());
            match self.command(command, Codes::blame_at_recipient).await {
                Ok(()) => {}
                Err(error @ StepError::Connection(_)) => return Err(error),
                Err(why) => rejected.push(Rejected { recipient, why }),
            }
        }
        if rejected.len() == envelope.to().len() {
            return Err(rejected.swap_remove(0).why);
        }
        self.command(Data, Codes::blame_at_message).await?;
        Ok(rejected)
    }

    /// Sends the message and waits until the server accepts it.
    pub async fn hand_over(&mut self, message: &[u8]) -> Result<(), StepError> {
        let answer = within(STEP_TIMEOUT, self.connection.message(message)).await?;
        answer.map_err(|error| StepError::classified(&error, Codes::blame_at_message))?;
        Ok(())
    }

    pub async fn end(mut self) {
        let _ = timeout(QUIT_TIMEOUT, self.connection.quit()).await;
    }

    async fn command(
        &mut self,
        command: impl Display,
        blame: impl FnOnce(Codes) -> Cause,
    ) -> Result<(), StepError> {
        let answer = within(STEP_TIMEOUT, self.connection.command(command)).await?;
        answer.map_err(|error| StepError::classified(&error, blame))?;
        Ok(())
    }
}

/// Whether servers without support for international addresses accept it.
fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(&ascii_domain(address)).is_ascii()
}

/// Why a step failed. The reasons contain no personal data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// Mail to this recipient will never be accepted.
    #[error("{0}")]
    Refused(MailRefusal),
    /// Mail to this recipient isn't accepted for now.
    #[error("{0}")]
    Deferred(MailRefusal),
    /// The server rejected something else; the mail wasn't accepted.
    #[error("the mail server answered {0}")]
    Server(Codes),
    /// No reply: after the message was sent, it is unknown whether it was accepted.
    #[error("{0}")]
    Connection(String),
}

/// The server's codes for a recipient, or why no mail to the recipient can be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailRefusal {
    #[error("the mail server answered {0}")]
    Said(Codes),
    #[error("the mail server accepts no international addresses")]
    NoInternationalAddresses,
    #[error("no mail can be written to this address")]
    NoAddress,
}

impl MailRefusal {
    /// Whether the refusal may be about us and not about the recipient.
    pub fn is_vague(self) -> bool {
        matches!(self, Self::Said(codes) if codes.is_vague())
    }

    pub fn is_no_such_user(self) -> bool {
        matches!(self, Self::Said(codes) if codes.is_no_such_user())
    }

    /// A short form for lists.
    pub fn in_short(self) -> String {
        match self {
            Self::Said(codes) => codes.to_string(),
            Self::NoInternationalAddresses => "no international addresses".into(),
            Self::NoAddress => "no mail address".into(),
        }
    }
}

impl StepError {
    fn classified(error: &smtp::Error, blame: impl FnOnce(Codes) -> Cause) -> Self {
        let Some(codes) = Codes::from_error(error) else {
            let reason = match error {
                _ if error.is_response() => "the mail server's answer can't be read",
                _ if error.is_client() => {
                    "the mail server doesn't offer what the settings ask for (TLS or a login)"
                }
                _ => return Self::connection_failed(error),
            };
            return Self::Connection(reason.into());
        };
        match blame(codes) {
            Cause::Address => Self::Refused(MailRefusal::Said(codes)),
            Cause::AddressForNow => Self::Deferred(MailRefusal::Said(codes)),
            Cause::Server => Self::Server(codes),
        }
    }

    fn connection_failed(error: &(dyn Error + 'static)) -> Self {
        Self::unusable(calls::reason(error))
    }

    fn unusable(reason: &str) -> Self {
        Self::Connection(format!("the mail server can't be used: {reason}"))
    }
}

/// Before a recipient is named, only the server can be the cause.
impl From<smtp::Error> for StepError {
    fn from(error: smtp::Error) -> Self {
        Self::classified(&error, |_| Cause::Server)
    }
}
