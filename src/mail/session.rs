//! One conversation with the mail server, step by step.
//!
//! The ordinary transport hands a mail over in one call. A newsletter needs
//! to know the one moment after which a mail may have arrived, so that it can
//! be written down before: everything up to [`Session::prepare`]'s end is
//! without consequence, [`Session::hand_over`] is not.

use std::fmt::Display;
use std::time::Duration;

use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailParameter};
use tokio::time::timeout;

use super::address::ascii_domain;
use super::answer::{Blame, Codes};
use super::step_error::{Refusal, StepError};

/// For each step; some mail servers think long about a message.
pub const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// A goodbye is a courtesy.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// One of several recipients whom the server did not take.
pub struct TurnedAway {
    pub recipient: Address,
    pub why: StepError,
}

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
    pub fn new(connection: AsyncSmtpConnection) -> Self {
        Self {
            connection,
            patience: STEP_TIMEOUT,
            recipient_named: false,
            out_of_step: false,
        }
    }

    /// Names sender and recipient and asks to go on. Nothing has been sent
    /// when it ends, well or not.
    pub async fn prepare(&mut self, envelope: &Envelope) -> Result<(), StepError> {
        let turned_away = self.prepare_for_some(envelope).await?;
        let first = turned_away.into_iter().next();
        first.map_or(Ok(()), |turned_away| Err(turned_away.why))
    }

    /// The same for several recipients: whoever is not taken is left out and
    /// told of, and the others get the mail. It fails when nobody is left.
    pub async fn prepare_for_some(
        &mut self,
        envelope: &Envelope,
    ) -> Result<Vec<TurnedAway>, StepError> {
        self.recipient_named = false;
        let (to, mut turned_away) = self.speakable(envelope);
        let international = to.iter().any(|to| !is_ascii(to));
        let options = match international {
            true => vec![MailParameter::SmtpUtfEight],
            false => Vec::new(),
        };
        if !to.is_empty() {
            let sender = Mail::new(envelope.from().map(ascii_domain), options);
            self.command(sender, |_| Blame::Server).await?;
            self.recipient_named = true;
        }
        for recipient in to {
            let named = Rcpt::new(ascii_domain(&recipient), Vec::new());
            match self.command(named, Codes::blame_at_recipient).await {
                Ok(()) => {}
                Err(error @ StepError::Connection(_)) => return Err(error),
                Err(why) => turned_away.push(TurnedAway { recipient, why }),
            }
        }
        match turned_away.len() < envelope.to().len() {
            true => self.command(Data, Codes::blame_at_message).await?,
            false => return Err(turned_away.swap_remove(0).why),
        }
        Ok(turned_away)
    }

    /// Those whom the server can be asked for, and those it cannot.
    fn speakable(&self, envelope: &Envelope) -> (Vec<Address>, Vec<TurnedAway>) {
        let any = self
            .connection
            .server_info()
            .supports_feature(Extension::SmtpUtfEight);
        let (to, unspeakable): (Vec<_>, Vec<_>) = envelope
            .to()
            .iter()
            .cloned()
            .partition(|to| any || is_ascii(to));
        let turned_away = unspeakable.into_iter().map(|recipient| TurnedAway {
            recipient,
            why: StepError::Deferred(Refusal::NoInternationalAddresses),
        });
        (to, turned_away.collect())
    }

    /// The last [`Session::prepare`] came as far as the recipient: if it
    /// failed, it may have failed because of them.
    pub fn has_named_recipient(&self) -> bool {
        self.recipient_named
    }

    /// Sends the message and waits until the server has taken it.
    pub async fn hand_over(&mut self, message: &[u8]) -> Result<(), StepError> {
        self.is_in_step()?;
        let answer = StepError::within(self.patience, self.connection.message(message)).await;
        self.judge(answer, Codes::blame_at_message)
    }

    /// Ready for the next mail after one that failed; false when the
    /// conversation is over.
    pub async fn reset(&mut self) -> bool {
        let usable = !self.connection.has_broken();
        usable && self.command(Rset, |_| Blame::Server).await.is_ok()
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
        let answer = StepError::within(self.patience, self.connection.command(command)).await;
        self.judge(answer, blame)
    }

    fn is_in_step(&self) -> Result<(), StepError> {
        match self.out_of_step {
            true => Err(StepError::unusable("an earlier answer is still to come")),
            false => Ok(()),
        }
    }

    fn judge<T>(
        &mut self,
        answer: Result<Result<T, smtp::Error>, StepError>,
        blame: impl FnOnce(Codes) -> Blame,
    ) -> Result<(), StepError> {
        let judged = answer.and_then(|answer| match answer {
            Ok(_) => Ok(()),
            Err(error) => Err(StepError::judged(&error, blame)),
        });
        self.out_of_step |= matches!(judged, Err(StepError::Connection(_)));
        judged
    }
}

/// Written as every mail server takes it.
fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(&ascii_domain(address)).is_ascii()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::mpsc::{Receiver, channel};

    use lettre::transport::smtp::extension::ClientId;

    use super::*;

    /// Says 250 to everything, but to `MAIL` only when it is told to.
    fn late_server(go_on: Receiver<()>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
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
        address
    }

    #[tokio::test]
    async fn a_conversation_with_an_answer_still_to_come_is_over() {
        let (tell, go_on) = channel();
        let (server, hello) = (late_server(go_on), ClientId::default());
        let connecting = AsyncSmtpConnection::connect_tokio1(server, None, &hello, None, None);
        let mut session = Session::new(connecting.await.unwrap());
        session.patience = Duration::from_millis(1);
        let to = vec!["ada@example.org".parse().unwrap()];
        let prepared = session.prepare(&Envelope::new(None, to).unwrap()).await;
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
