//! A real SMTP server (the `mailin` package) on a port of its own.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A moment in a conversation, before the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Recipient,
    /// The message is about to come.
    Data,
    /// The mail is taken, for good.
    Taken,
}

/// Called at each moment with the number of mails taken so far; the server's
/// answer waits until it returns.
pub type Watcher = Arc<dyn Fn(Moment, usize) + Send + Sync>;

pub struct MailServer {
    pub url: String,
    taken: watch::Sender<Vec<Mail>>,
    down: Arc<AtomicBool>,
}

impl MailServer {
    /// `unknown` names the recipient it answers 550 to.
    pub fn start(unknown: Option<&'static str>) -> Self {
        Self::watched(unknown, Arc::new(|_, _| {}))
    }

    pub fn watched(unknown: Option<&'static str>, watcher: Watcher) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let taken = watch::Sender::new(Vec::new());
        let clerk = taken.clone();
        let down = Arc::<AtomicBool>::default();
        let closed = down.clone();
        // Ends with the test process: it has nothing to clean up.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let clerk = Clerk {
                    taken: clerk.clone(),
                    unknown,
                    watcher: watcher.clone(),
                    mail: Mail::default(),
                };
                // Whoever is not listened to is hung up on.
                if !closed.load(Ordering::SeqCst) {
                    std::thread::spawn(move || converse(stream, clerk));
                }
            }
        });
        Self { url, taken, down }
    }

    /// From now on it says nothing to anybody, or works again.
    pub fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
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

fn converse(stream: TcpStream, clerk: Clerk) -> io::Result<()> {
    let address = stream.peer_addr()?.ip();
    let mut session = SessionBuilder::new("mail.test").build(address, clerk);
    stream.set_nodelay(true)?;
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
    watcher: Watcher,
    mail: Mail,
}

impl Clerk {
    fn tell(&self, moment: Moment) {
        let taken = self.taken.borrow().len();
        (self.watcher)(moment, taken);
    }
}

impl Handler for Clerk {
    fn rcpt(&mut self, to: &str) -> Response {
        self.tell(Moment::Recipient);
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
        self.tell(Moment::Data);
        OK
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.mail.data.extend_from_slice(bytes);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let mail = std::mem::take(&mut self.mail);
        self.taken.send_modify(|mails| mails.push(mail));
        self.tell(Moment::Taken);
        OK
    }
}
