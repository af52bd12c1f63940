//! The mail server of the settings: where it is and how to talk to it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::net::{TcpStream, lookup_host};

use super::session::{STEP_TIMEOUT, Session, TurnedAway};
use super::step_error::StepError;
use crate::calls::{cause, tls};
use crate::config::{Security, SmtpServer};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub struct MailServer {
    host: String,
    port: u16,
    security: Security,
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
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

    /// A conversation for one mail. What comes back can only be ended: the
    /// mail is taken, whatever becomes of the goodbye.
    pub async fn send(&self, mail: &Message) -> Result<Session, StepError> {
        let mut session = self.connect().await?;
        session.prepare(mail.envelope()).await?;
        session.hand_over(&mail.formatted()).await?;
        Ok(session)
    }

    /// The same for several recipients at once, of whom some may not be taken.
    pub async fn send_to_some(
        &self,
        mail: &Message,
    ) -> Result<(Session, Vec<TurnedAway>), StepError> {
        let mut session = self.connect().await?;
        let turned_away = session.prepare_for_some(mail.envelope()).await?;
        session.hand_over(&mail.formatted()).await?;
        Ok((session, turned_away))
    }

    pub async fn connect(&self) -> Result<Session, StepError> {
        let connection = StepError::within(STEP_TIMEOUT, self.introduce()).await??;
        Ok(Session::new(connection))
    }

    /// Connected, greeted, encrypted and logged in, as the settings ask for.
    async fn introduce(&self) -> Result<AsyncSmtpConnection, StepError> {
        let hello = hello();
        let addresses = self.resolve().await?;
        let server = addresses.as_slice();
        let mut connection = match self.security {
            Security::FromTheFirstByte => {
                let (limit, tls) = (Some(CONNECT_TIMEOUT), self.tls.clone());
                AsyncSmtpConnection::connect_tokio1(server, limit, &hello, tls, None).await?
            }
            _ => {
                let stream = Box::new(reach(server).await?);
                AsyncSmtpConnection::connect_with_transport(stream, &hello).await?
            }
        };
        self.encrypt(&mut connection, &hello).await?;
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }

    /// Asked for by itself: a failed call does not tell a mistyped name.
    async fn resolve(&self) -> Result<Vec<SocketAddr>, StepError> {
        let looking_up = lookup_host((self.host.as_str(), self.port));
        let found = StepError::within(CONNECT_TIMEOUT, looking_up).await?;
        let addresses: Vec<_> = found.into_iter().flatten().collect();
        match addresses.is_empty() {
            true => Err(StepError::unusable(cause::NO_SUCH_NAME)),
            false => Ok(addresses),
        }
    }

    /// What is not encrypted from the first byte, if it can or must be.
    async fn encrypt(
        &self,
        connection: &mut AsyncSmtpConnection,
        hello: &ClientId,
    ) -> Result<(), StepError> {
        let wanted = match self.security {
            Security::None | Security::FromTheFirstByte => false,
            Security::Opportunistic => connection.can_starttls(),
            Security::Required => true,
        };
        match &self.tls {
            Some(tls) if wanted => Ok(connection.starttls(tls.clone(), hello).await?),
            _ => Ok(()),
        }
    }
}

async fn reach(server: &[SocketAddr]) -> Result<TcpStream, StepError> {
    let connecting = async {
        let stream = TcpStream::connect(server).await?;
        // A message and its end are two writes; without this the second one
        // waits until the first is acknowledged.
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    let connected: io::Result<_> = StepError::within(CONNECT_TIMEOUT, connecting).await?;
    connected.map_err(|error| StepError::broken(&error))
}

/// This machine by its name.
fn hello() -> ClientId {
    let machine = rustix::system::uname();
    let name = machine.nodename().to_str();
    name.map_or_else(
        |_| ClientId::default(),
        |name| ClientId::Domain(name.into()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_greeted_with_the_name_of_this_machine() {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert_eq!(hello(), ClientId::Domain(name.trim().into()));
    }
}
