//! A real SMTP server (the `mailin` package) on a port of its own.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use mailin::response::{NO_MAILBOX, OK};
use mailin::{Action, Handler, Response, SessionBuilder};
use tokio::sync::watch;

/// A mail as the server took it.
#[derive(Clone, Default)]
pub struct Mail {
    pub envelope_from: String,
    pub envelope_to: Vec<String>,
    pub data: Vec<u8>,
}

pub struct MailServer {
    pub url: String,
    taken: watch::Sender<Vec<Mail>>,
}

impl MailServer {
    /// `unknown` names the recipient it answers 550 to.
    pub fn start(unknown: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let taken = watch::Sender::new(Vec::new());
        let clerk = taken.clone();
        // Ends with the test process: it has nothing to clean up.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let clerk = clerk.clone();
                std::thread::spawn(move || converse(stream, clerk, unknown));
            }
        });
        Self { url, taken }
    }

    pub fn taken(&self) -> Vec<Mail> {
        self.taken.borrow().clone()
    }

    /// Returns as soon as so many mails have been taken.
    pub async fn wait_for_mails(&self, number: usize) {
        let mut taken = self.taken.subscribe();
        taken.wait_for(|mails| mails.len() >= number).await.unwrap();
    }
}

fn converse(
    stream: TcpStream,
    taken: watch::Sender<Vec<Mail>>,
    unknown: Option<&'static str>,
) -> io::Result<()> {
    let clerk = Clerk {
        taken,
        unknown,
        mail: Mail::default(),
    };
    let address = stream.peer_addr()?.ip();
    let mut session = SessionBuilder::new("mail.test").build(address, clerk);
    let mut output = stream.try_clone()?;
    let mut input = BufReader::new(stream);
    session.greeting().write_to(&mut output)?;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let response = session.process(&line);
        response.write_to(&mut output)?;
        output.flush()?;
        if response.action == Action::Close {
            break;
        }
        line.clear();
    }
    Ok(())
}

struct Clerk {
    taken: watch::Sender<Vec<Mail>>,
    unknown: Option<&'static str>,
    mail: Mail,
}

impl Handler for Clerk {
    fn rcpt(&mut self, to: &str) -> Response {
        if self.unknown == Some(to) {
            return NO_MAILBOX;
        }
        OK
    }

    fn data_start(&mut self, _domain: &str, from: &str, _8bit: bool, to: &[String]) -> Response {
        self.mail = Mail {
            envelope_from: from.to_owned(),
            envelope_to: to.to_vec(),
            data: Vec::new(),
        };
        OK
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.mail.data.extend_from_slice(bytes);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let mail = std::mem::take(&mut self.mail);
        self.taken.send_modify(|mails| mails.push(mail));
        OK
    }
}
