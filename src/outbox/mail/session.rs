//! One conversation with the mail server, step by step.
//!
//! The ordinary transport hands a mail over in one call. A newsletter needs
//! to know the one moment after which a mail may have arrived, so that it can
//! be written down before: everything up to [`Session::prepare`]'s end is
//! without consequence, [`Session::hand_over`] is not.

use std::error::Error;
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer::{Blame, Codes};
use crate::config::{Security, SmtpServer};
use crate::outbox::{cause, tls};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For each step; some mail servers think long about a message.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// A goodbye is a courtesy.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Where the mail server is and how to talk to it.
pub struct MailServer {
    host: String,
    port: u16,
    security: Security,
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
}

/// Why a step failed. Reasons are free of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepError {
    /// Mail to this recipient will never be taken.
    Refused(Refusal),
    /// Mail to this recipient is not taken now.
    Deferred(Refusal),
    /// The mail server said no to something else; the mail was not taken.
    Server(String),
    /// No answer: after the hand-over it cannot be told whether it was taken.
    Connection(String),
}

/// What stands against a recipient: the server's codes, or that it cannot
/// be asked at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Said(Codes),
    NoInternationalAddresses,
    NoAddress,
}

impl Refusal {
    /// In a few words, for a list.
    pub fn in_short(self) -> String {
        match self {
            Self::Said(codes) => codes.to_string(),
            Self::NoInternationalAddresses => "no international addresses".into(),
            Self::NoAddress => "no mail address".into(),
        }
    }

    fn reason(self) -> String {
        match self {
            Self::Said(codes) => answered(codes),
            Self::NoInternationalAddresses => {
                "the mail server takes no international addresses".into()
            }
            Self::NoAddress => "no mail can be written to this address".into(),
        }
    }
}

impl StepError {
    pub fn into_reason(self) -> String {
        match self {
            Self::Refused(refusal) | Self::Deferred(refusal) => refusal.reason(),
            Self::Server(reason) | Self::Connection(reason) => reason,
        }
    }
}

impl MailServer {
    pub fn new(settings: &SmtpServer) -> anyhow::Result<Self> {
        let tls = match settings.security {
            Security::None => None,
            _ => Some(tls::mail_parameters(&settings.host)?),
        };
        let login = settings.login.as_ref();
        Ok(Self {
            host: settings.host.clone(),
            port: settings.port,
            security: settings.security,
            tls,
            credentials: login.map(|login| {
                let (user, password) = (login.user.reveal(), login.password.reveal());
                Credentials::new(user.clone(), password.clone())
            }),
        })
    }

    pub async fn connect(&self) -> Result<Session, StepError> {
        let opening = timeout(STEP_TIMEOUT, self.open());
        let connection = opening.await.map_err(|_| timed_out(STEP_TIMEOUT))??;
        Ok(Session { connection })
    }

    async fn open(&self) -> Result<AsyncSmtpConnection, StepError> {
        let hello = ClientId::default();
        let server = (self.host.as_str(), self.port);
        if self.security == Security::FromTheFirstByte {
            let (limit, tls) = (Some(CONNECT_TIMEOUT), self.tls.clone());
            let opening = AsyncSmtpConnection::connect_tokio1(server, limit, &hello, tls, None);
            return self.log_in(opening.await.map_err(failed)?).await;
        }
        let connecting = timeout(CONNECT_TIMEOUT, TcpStream::connect(server));
        let connected = connecting.await.map_err(|_| timed_out(CONNECT_TIMEOUT))?;
        let stream = connected.map_err(|error| broken(&error))?;
        // A message and its end are two writes; without this the second one
        // waits until the first is acknowledged.
        stream.set_nodelay(true).map_err(|error| broken(&error))?;
        let opening = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello);
        let connection = self.encrypt(opening.await.map_err(failed)?, &hello).await?;
        self.log_in(connection).await
    }

    async fn encrypt(
        &self,
        mut connection: AsyncSmtpConnection,
        hello: &ClientId,
    ) -> Result<AsyncSmtpConnection, StepError> {
        let wanted = self.security == Security::Required || connection.can_starttls();
        if let Some(tls) = self.tls.clone().filter(|_| wanted) {
            connection.starttls(tls, hello).await.map_err(failed)?;
        }
        Ok(connection)
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

/// An open conversation.
pub struct Session {
    connection: AsyncSmtpConnection,
}

impl Session {
    /// Names sender and recipients and asks to go on. Nothing has been sent
    /// when it ends, well or not.
    pub async fn prepare(&mut self, from: &Address, to: &[Address]) -> Result<(), StepError> {
        let international = to.iter().any(|to| !AsRef::<str>::as_ref(to).is_ascii());
        let utf8 = self.connection.server_info();
        if international && !utf8.supports_feature(Extension::SmtpUtfEight) {
            return Err(StepError::Refused(Refusal::NoInternationalAddresses));
        }
        let options = match international {
            true => vec![MailParameter::SmtpUtfEight],
            false => Vec::new(),
        };
        let sender = Mail::new(Some(from.clone()), options);
        step(self.connection.command(sender), |_| Blame::Server).await?;
        for recipient in to {
            let recipient = Rcpt::new(recipient.clone(), Vec::new());
            let named = self.connection.command(recipient);
            step(named, Codes::blame_at_recipient).await?;
        }
        step(self.connection.command(Data), Codes::blame_at_message).await
    }

    /// Sends the message and waits until the server has taken it.
    pub async fn hand_over(&mut self, message: &[u8]) -> Result<(), StepError> {
        step(self.connection.message(message), Codes::blame_at_message).await
    }

    /// Ready for the next mail after one that failed; false when the
    /// conversation is over.
    pub async fn reset(&mut self) -> bool {
        let open = !self.connection.has_broken();
        open && step(self.connection.command(Rset), |_| Blame::Server)
            .await
            .is_ok()
    }

    pub async fn end(mut self) {
        let _ = timeout(QUIT_TIMEOUT, self.connection.quit()).await;
    }
}

async fn step<T>(
    answer: impl Future<Output = Result<T, smtp::Error>>,
    blame: impl FnOnce(Codes) -> Blame,
) -> Result<(), StepError> {
    let answered = timeout(STEP_TIMEOUT, answer).await;
    let error = match answered.map_err(|_| timed_out(STEP_TIMEOUT))? {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    Err(match Codes::of(&error).map(|codes| (codes, blame(codes))) {
        Some((codes, Blame::Address)) => StepError::Refused(Refusal::Said(codes)),
        Some((codes, Blame::AddressForNow)) => StepError::Deferred(Refusal::Said(codes)),
        _ => failed(error),
    })
}

fn timed_out(limit: Duration) -> StepError {
    StepError::Connection(format!("no answer within {} s", limit.as_secs()))
}

fn answered(codes: Codes) -> String {
    format!("the mail server answered {codes}")
}

fn failed(error: smtp::Error) -> StepError {
    match Codes::of(&error) {
        Some(codes) => StepError::Server(answered(codes)),
        None if error.is_response() => {
            StepError::Connection("the mail server's answer cannot be read".into())
        }
        None if error.is_client() => StepError::Connection(
            "the mail server does not offer what the settings ask for (TLS or a login)".into(),
        ),
        None => broken(&error),
    }
}

fn broken(error: &(dyn Error + 'static)) -> StepError {
    let words = cause::words(error);
    StepError::Connection(format!("the mail server cannot be used: {words}"))
}
