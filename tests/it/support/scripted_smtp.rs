//! An SMTP server that answers each step as a test tells it to, in the clear
//! or under TLS. `mail_server` has a real one for everything that goes well.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

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
}

/// The answer to a step and its line; `None`: that of a willing server.
pub type Script = dyn Fn(Step, &str) -> Option<String> + Send + Sync;

/// When encryption begins.
#[derive(Clone)]
pub enum Security {
    Never,
    OnRequest(Arc<ServerConfig>),
    FromTheFirstByte(Arc<ServerConfig>),
}

pub struct ScriptedServer {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    pub fn start(script: impl Fn(Step, &str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::secured(Security::Never, script)
    }

    pub fn secured(
        security: Security,
        script: impl Fn(Step, &str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let responder = Responder {
            script: Arc::new(script),
            heard: heard.clone(),
        };
        // Ends with the test process: it has nothing to clean up.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (responder, security) = (responder.clone(), security.clone());
                std::thread::spawn(move || responder.serve(stream, &security));
            }
        });
        Self { address, heard }
    }

    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Lines that begin with this word, in the order they came.
    pub fn heard(&self, word: &str) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let lines = heard.iter().filter(|line| line.starts_with(word));
        lines.cloned().collect()
    }
}

#[derive(Clone)]
struct Responder {
    script: Arc<Script>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Responder {
    fn serve(&self, mut stream: TcpStream, security: &Security) -> io::Result<()> {
        stream.set_nodelay(true)?;
        match security {
            Security::Never => self.converse(&mut stream, false, true).map(|_| ()),
            Security::OnRequest(config) => match self.converse(&mut stream, true, true)? {
                true => self
                    .converse(&mut encrypted(stream, config), false, false)
                    .map(|_| ()),
                false => Ok(()),
            },
            Security::FromTheFirstByte(config) => self
                .converse(&mut encrypted(stream, config), false, true)
                .map(|_| ()),
        }
    }

    /// True when the client has asked for encryption.
    fn converse<S: Read + Write>(
        &self,
        stream: &mut S,
        tls: bool,
        greet: bool,
    ) -> io::Result<bool> {
        if greet {
            self.answer(stream, Step::Greeting, "", "220 mail.test")?;
        }
        while let Some(line) = read_line(stream)? {
            self.heard.lock().unwrap().push(line.clone());
            let word = line.split([' ', ':']).next().unwrap_or_default();
            match word.to_ascii_uppercase().as_str() {
                "EHLO" if tls => say(stream, "250-mail.test\r\n250-STARTTLS\r\n250 8BITMIME")?,
                "EHLO" => say(stream, "250-mail.test\r\n250-AUTH PLAIN\r\n250 8BITMIME")?,
                "STARTTLS" => {
                    say(stream, "220 go on")?;
                    return Ok(true);
                }
                "AUTH" => self.answer(stream, Step::Login, &line, "235 welcome")?,
                "MAIL" => self.answer(stream, Step::From, &line, "250 OK")?,
                "RCPT" => self.answer(stream, Step::Recipient, &line, "250 OK")?,
                "DATA" => {
                    self.answer(stream, Step::Data, &line, "354 go on")?;
                    while read_line(stream)?.is_some_and(|line| line != ".") {}
                    self.answer(stream, Step::Message, "", "250 taken")?;
                }
                "QUIT" => return say(stream, "221 bye").map(|()| false),
                _ => say(stream, "250 OK")?,
            }
        }
        Ok(false)
    }

    fn answer<S: Write>(&self, stream: &mut S, step: Step, line: &str, ok: &str) -> io::Result<()> {
        match (self.script)(step, line) {
            Some(words) => say(stream, &words),
            None => say(stream, ok),
        }
    }
}

fn encrypted(
    stream: TcpStream,
    config: &Arc<ServerConfig>,
) -> StreamOwned<ServerConnection, TcpStream> {
    let connection = ServerConnection::new(config.clone()).unwrap();
    StreamOwned::new(connection, stream)
}

fn say<S: Write>(stream: &mut S, words: &str) -> io::Result<()> {
    stream.write_all(format!("{words}\r\n").as_bytes())?;
    stream.flush()
}

/// One byte at a time: what follows may have to be read by somebody else.
fn read_line<S: Read>(stream: &mut S) -> io::Result<Option<String>> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while stream.read(&mut byte)? > 0 {
        if byte[0] == b'\n' {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            return Ok(Some(text));
        }
        line.push(byte[0]);
    }
    Ok(None)
}
