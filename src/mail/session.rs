//! One conversation with the mail server, step by step.
//!
//! The ordinary transport hands a mail over in one call. A newsletter needs
//! to know the one moment after which a mail may have arrived, so that it can
//! be written down before: everything up to [`Session::prepare`]'s end is
//! without consequence, [`Session::hand_over`] is not.

use std::error::Error;
use std::fmt::Display;
use std::net::SocketAddr;
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::address::ascii_domain;
use super::answer::{Blame, Codes};
use super::{cause, tls};
use crate::config::{Security, SmtpServer};

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
    /// It may be about us and not about the recipient.
    pub fn is_vague(self) -> bool {
        matches!(self, Self::Said(codes) if codes.is_vague())
    }

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
        Ok(Session {
            connection,
            patience: STEP_TIMEOUT,
            recipient_named: false,
            out_of_step: false,
        })
    }

    async fn open(&self) -> Result<AsyncSmtpConnection, StepError> {
        let hello = ClientId::default();
        let addresses = self.resolve().await?;
        let server = addresses.as_slice();
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

    /// Asked for by itself: a failed call does not tell a mistyped name.
    async fn resolve(&self) -> Result<Vec<SocketAddr>, StepError> {
        let looking_up = timeout(
            CONNECT_TIMEOUT,
            lookup_host((self.host.as_str(), self.port)),
        );
        let found = looking_up.await.map_err(|_| timed_out(CONNECT_TIMEOUT))?;
        let addresses: Vec<_> = found.into_iter().flatten().collect();
        match addresses.is_empty() {
            true => Err(unusable(cause::NO_SUCH_NAME)),
            false => Ok(addresses),
        }
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
    /// For each step.
    patience: Duration,
    recipient_named: bool,
    /// An answer did not come in time, or not whole. It may come yet and would
    /// be taken for that of the next step, so there is no next step.
    out_of_step: bool,
}

impl Session {
    /// Names sender and recipients and asks to go on. Nothing has been sent
    /// when it ends, well or not.
    pub async fn prepare(&mut self, from: &Address, to: &[Address]) -> Result<(), StepError> {
        self.recipient_named = false;
        let to: Vec<_> = to.iter().map(ascii_domain).collect();
        let international = to.iter().any(|to| !AsRef::<str>::as_ref(to).is_ascii());
        let utf8 = self.connection.server_info();
        if international && !utf8.supports_feature(Extension::SmtpUtfEight) {
            return Err(StepError::Deferred(Refusal::NoInternationalAddresses));
        }
        let options = match international {
            true => vec![MailParameter::SmtpUtfEight],
            false => Vec::new(),
        };
        let sender = Mail::new(Some(ascii_domain(from)), options);
        self.command(sender, |_| Blame::Server).await?;
        self.recipient_named = true;
        for recipient in to {
            let recipient = Rcpt::new(recipient, Vec::new());
            self.command(recipient, Codes::blame_at_recipient).await?;
        }
        self.command(Data, Codes::blame_at_message).await
    }

    /// The last [`Session::prepare`] came as far as the recipient: if it
    /// failed, it may have failed because of them.
    pub fn has_named_recipient(&self) -> bool {
        self.recipient_named
    }

    /// Sends the message and waits until the server has taken it.
    pub async fn hand_over(&mut self, message: &[u8]) -> Result<(), StepError> {
        self.is_in_step()?;
        let answer = step(
            self.patience,
            self.connection.message(message),
            Codes::blame_at_message,
        );
        let answer = answer.await;
        self.watch(answer)
    }

    /// Ready for the next mail after one that failed; false when the
    /// conversation is over.
    pub async fn reset(&mut self) -> bool {
        let open = !self.connection.has_broken();
        open && self.command(Rset, |_| Blame::Server).await.is_ok()
    }

    pub async fn end(mut self) {
        let _ = timeout(QUIT_TIMEOUT, self.connection.quit()).await;
    }

    async fn command(
        &mut self,
        command: impl Display,
        blame: impl FnOnce(Codes) -> Blame,
    ) -> Result<(), StepError> {
        self.is_in_step()?;
        let answer = step(self.patience, self.connection.command(command), blame).await;
        self.watch(answer)
    }

    fn is_in_step(&self) -> Result<(), StepError> {
        match self.out_of_step {
            true => Err(unusable("an earlier answer is still to come")),
            false => Ok(()),
        }
    }

    fn watch(&mut self, answer: Result<(), StepError>) -> Result<(), StepError> {
        self.out_of_step |= matches!(answer, Err(StepError::Connection(_)));
        answer
    }
}

async fn step<T>(
    patience: Duration,
    answer: impl Future<Output = Result<T, smtp::Error>>,
    blame: impl FnOnce(Codes) -> Blame,
) -> Result<(), StepError> {
    let answered = timeout(patience, answer).await;
    let error = match answered.map_err(|_| timed_out(patience))? {
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
    unusable(cause::words(error))
}

fn unusable(words: &str) -> StepError {
    StepError::Connection(format!("the mail server cannot be used: {words}"))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Says 250 to everything, but to `MAIL` only when it is told to.
    fn late_server(go_on: Receiver<()>) -> SmtpServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            stream.write_all(b"220 mail.test\r\n").unwrap();
            for line in lines.map_while(Result::ok) {
                if line.starts_with("MAIL") {
                    go_on.recv().unwrap();
                }
                stream.write_all(b"250 OK\r\n").unwrap();
            }
        });
        url.parse().unwrap()
    }

    #[tokio::test]
    async fn a_conversation_with_an_answer_still_to_come_is_over() {
        let (tell, go_on) = channel();
        let server = MailServer::new(&late_server(go_on)).unwrap();
        let mut session = server.connect().await.unwrap();
        session.patience = Duration::from_millis(1);
        let address: Address = "ada@example.org".parse().unwrap();
        let prepared = session
            .prepare(&address, std::slice::from_ref(&address))
            .await;
        assert!(matches!(prepared, Err(StepError::Connection(_))));
        assert!(!session.has_named_recipient());

        session.patience = STEP_TIMEOUT;
        tell.send(()).unwrap();
        assert!(
            !session.reset().await,
            "the late answer is not that to RSET"
        );
        assert!(session.hand_over(b"Hello").await.is_err());
    }
}
