//! An SMTP server that accepts every mail, or answers each step as a test says, with or without TLS.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use frontdoor::content::site;
use frontdoor::domain::SecretToken;
use mail_parser::{Message, MessageParser};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokio::sync::watch;
use tokio::time::timeout;

use super::TIMEOUT;

/// A mail as the server received it.
#[derive(Clone, Default)]
pub struct Mail {
    pub envelope_from: String,
    pub envelope_to: Vec<String>,
    pub data: Vec<u8>,
}

impl Mail {
    pub fn message(&self) -> Message<'_> {
        MessageParser::new().parse(&self.data).unwrap()
    }

    pub fn subject(&self) -> String {
        self.message().subject().unwrap().to_owned()
    }

    pub fn text(&self) -> String {
        let text = self.message().body_text(0).unwrap().into_owned();
        text.replace("\r\n", "\n")
    }

    pub fn html(&self) -> String {
        self.message().body_html(0).unwrap().into_owned()
    }

    /// Of its link to confirm or to unsubscribe.
    pub fn token(&self, purpose: &str) -> SecretToken {
        let message = self.message();
        let header = message.header_raw("List-Unsubscribe").unwrap_or_default();
        let text = format!("{} {header}", self.text());
        let start = format!("{}/newsletter/{purpose}?token=", site().url);
        let (_, token) = text.split_once(&start).expect(purpose);
        SecretToken::parse(&token[..43]).expect("a whole token")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Greeting,
    Login,
    From,
    Recipient,
    /// The message is about to come.
    Data,
    /// The message has come.
    Message,
    /// The mail counts as taken, but the client hasn't been told yet.
    Taken,
}

/// A moment in a conversation, before the server answers.
pub struct Moment<'a> {
    pub step: Step,
    /// The recipient that was named last.
    pub recipient: &'a str,
    /// How many mails were taken in all.
    pub taken: usize,
}

/// The answer at a moment; `None` means the usual one. The conversation waits for it.
type Script = dyn Fn(&Moment) -> Option<String> + Send + Sync;

/// When encryption begins.
#[derive(Clone)]
pub enum Security {
    Never,
    OnRequest(Arc<ServerConfig>),
    FromTheFirstByte(Arc<ServerConfig>),
}

pub struct MailServer {
    pub url: String,
    pub address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    taken: watch::Sender<Vec<Mail>>,
    heard: Mutex<Vec<String>>,
    is_down: AtomicBool,
}

impl MailServer {
    pub fn start() -> Self {
        Self::scripted(|_| None)
    }

    /// Gives this answer at one step of every conversation.
    pub fn answering(step: Step, words: &'static str) -> Self {
        Self::scripted(move |moment| (moment.step == step).then(|| words.to_owned()))
    }

    /// Refuses mail to this address, for good.
    pub fn refusing(address: &'static str) -> Self {
        Self::scripted(move |moment| {
            let is_meant = moment.step == Step::Recipient && moment.recipient == address;
            is_meant.then(|| "550 no such user".to_owned())
        })
    }

    pub fn scripted(script: impl Fn(&Moment) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::secured(Security::Never, script)
    }

    pub fn secured(
        security: Security,
        script: impl Fn(&Moment) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::<State>::default();
        let (script, shared): (Arc<Script>, _) = (Arc::new(script), state.clone());
        // Ends with the test's process: it has nothing to clean up.
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                if shared.is_down.load(Ordering::SeqCst) {
                    continue;
                }
                let (script, state, security) = (script.clone(), shared.clone(), security.clone());
                std::thread::spawn(move || {
                    let mut conversation = Conversation {
                        script,
                        state,
                        stream: match &security {
                            Security::FromTheFirstByte(config) => encrypted(&tcp, config)?,
                            _ => BufReader::new(Box::new(tcp.try_clone()?)),
                        },
                        recipient: String::new(),
                        mail: Mail::default(),
                    };
                    conversation.serve(&tcp, security)
                });
            }
        });
        Self {
            url: format!("smtp://{address}"),
            address,
            state,
        }
    }

    /// Whether it closes every connection at once.
    pub fn set_down(&self, is_down: bool) {
        self.state.is_down.store(is_down, Ordering::SeqCst);
    }

    pub fn taken(&self) -> Vec<Mail> {
        self.state.taken.borrow().clone()
    }

    /// Waits until this many mails have been taken.
    pub async fn wait_for_mails(&self, number: usize) {
        let mut taken = self.state.taken.subscribe();
        let arrived = timeout(TIMEOUT, taken.wait_for(|mails| mails.len() >= number));
        arrived.await.expect("mails in time").unwrap();
    }

    /// The client's lines that begin with this word, in order.
    pub fn heard(&self, word: &str) -> Vec<String> {
        let heard = self.state.heard.lock().unwrap();
        let lines = heard.iter().filter(|line| line.starts_with(word));
        lines.cloned().collect()
    }
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

fn encrypted(
    tcp: &TcpStream,
    config: &Arc<ServerConfig>,
) -> io::Result<BufReader<Box<dyn Stream>>> {
    let connection = ServerConnection::new(config.clone()).unwrap();
    let stream = StreamOwned::new(connection, tcp.try_clone()?);
    Ok(BufReader::new(Box::new(stream)))
}

struct Conversation {
    script: Arc<Script>,
    state: Arc<State>,
    stream: BufReader<Box<dyn Stream>>,
    recipient: String,
    mail: Mail,
}

impl Conversation {
    fn serve(&mut self, tcp: &TcpStream, mut security: Security) -> io::Result<()> {
        tcp.set_nodelay(true)?;
        self.answer(Step::Greeting, "220 mail.test")?;
        while let Some(line) = self.read_line()? {
            let line = String::from_utf8_lossy(&line).into_owned();
            self.state.heard.lock().unwrap().push(line.clone());
            let word = line.split([' ', ':']).next().unwrap_or_default();
            match (word, &security) {
                ("EHLO", Security::OnRequest(_)) => {
                    self.say("250-mail.test\r\n250-STARTTLS\r\n250 8BITMIME")?;
                }
                ("EHLO", _) => self.say("250-mail.test\r\n250-AUTH PLAIN\r\n250 8BITMIME")?,
                ("STARTTLS", Security::OnRequest(config)) => {
                    self.say("220 go on")?;
                    self.stream = encrypted(tcp, config)?;
                    security = Security::Never;
                }
                ("AUTH", _) => {
                    self.answer(Step::Login, "235 welcome")?;
                }
                ("MAIL", _) => {
                    self.mail = Mail {
                        envelope_from: address_in(&line),
                        ..Mail::default()
                    };
                    self.answer(Step::From, "250 OK")?;
                }
                ("RCPT", _) => {
                    self.recipient = address_in(&line);
                    if self.answer(Step::Recipient, "250 OK")? {
                        self.mail.envelope_to.push(self.recipient.clone());
                    }
                }
                ("DATA", _) => self.take_message()?,
                ("QUIT", _) => return self.say("221 bye"),
                _ => self.say("250 OK")?,
            }
        }
        Ok(())
    }

    fn take_message(&mut self) -> io::Result<()> {
        if !self.answer(Step::Data, "354 go on")? {
            return Ok(());
        }
        loop {
            let Some(line) = self.read_line()? else {
                return Ok(());
            };
            if line == b"." {
                break;
            }
            // A dot at the beginning of a line is doubled on its way.
            let text = line.strip_prefix(b".").unwrap_or(&line);
            self.mail.data.extend_from_slice(text);
            self.mail.data.extend_from_slice(b"\r\n");
        }
        if let Some(words) = self.scripted(Step::Message) {
            return self.say(&words);
        }
        let mail = std::mem::take(&mut self.mail);
        self.state.taken.send_modify(|mails| mails.push(mail));
        self.scripted(Step::Taken);
        self.say("250 taken")
    }

    fn scripted(&self, step: Step) -> Option<String> {
        // Read before the call: other mails are taken while the script waits.
        let taken = self.state.taken.borrow().len();
        let recipient = &self.recipient;
        (self.script)(&Moment {
            step,
            recipient,
            taken,
        })
    }

    /// Gives the script's answer, or this one; returns whether it was this one.
    fn answer(&mut self, step: Step, willing: &str) -> io::Result<bool> {
        let scripted = self.scripted(step);
        self.say(scripted.as_deref().unwrap_or(willing))?;
        Ok(scripted.is_none())
    }

    fn say(&mut self, words: &str) -> io::Result<()> {
        let stream = self.stream.get_mut();
        stream.write_all(format!("{words}\r\n").as_bytes())?;
        stream.flush()
    }

    /// Without its end; `None` when the client has hung up.
    fn read_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line)?;
        Ok(line.strip_suffix(b"\r\n").map(<[u8]>::to_vec))
    }
}

fn address_in(line: &str) -> String {
    let after = line.split_once('<').map_or("", |(_, after)| after);
    after.split('>').next().unwrap_or_default().to_owned()
}
