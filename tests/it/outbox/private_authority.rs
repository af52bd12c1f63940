//! With certificates of a private authority that only the machine trusts, the program
//! reaches a webhook and a mail server, with a login.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::authority;
use crate::support::database::Database;
use crate::support::process::{Process, Said, frontdoor, post_lead, run};
use crate::support::scripted_smtp::{ScriptedServer, Security, Step};
use crate::support::wait::PATIENCE;

/// An authority of our own, and what a server on this machine needs to be trusted
/// by who trusts it.
struct Authority {
    folder: Database,
    server: Arc<ServerConfig>,
}

impl Authority {
    fn new() -> Self {
        let folder = Database::new();
        let server = authority::Authority::new(folder.folder()).server("127.0.0.1");
        Self { folder, server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }
}

/// A mail server that tells the login of each mail it took.
fn mail_server(security: Security) -> (ScriptedServer, Receiver<()>) {
    let (told, taken) = channel();
    let server = ScriptedServer::secured(security, move |step, _| {
        if step == Step::Message {
            told.send(()).unwrap();
        }
        None
    });
    (server, taken)
}

/// An HTTPS receiver that takes one call and passes its body on.
fn webhook(config: Arc<ServerConfig>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hook", listener.local_addr().unwrap());
    let (told, body) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Ok(text) = take_call(stream, config.clone()) {
                told.send(text).unwrap();
            }
        }
    });
    (url, body)
}

fn take_call(stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<String> {
    let tls = ServerConnection::new(config).unwrap();
    let mut reader = BufReader::new(StreamOwned::new(tls, stream));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    reader.get_mut().write_all(answer)?;
    reader.get_mut().flush()?;
    Ok(String::from_utf8(body).unwrap())
}

#[test]
fn a_lead_reaches_a_webhook_and_a_mail_server_of_a_private_authority() {
    let authority = Authority::new();
    let (url, body) = webhook(authority.server.clone());
    let (mail, taken) = mail_server(Security::OnRequest(authority.server.clone()));
    let smtp = format!("smtp://user:word@{}?tls=required", mail.address);
    let root = authority.path("root.pem");
    let server = Process::start(
        &authority.folder.url(),
        &[
            ("SSL_CERT_FILE", root.to_str().unwrap()),
            ("FRONTDOOR_WEBHOOK_URL", &url),
            ("FRONTDOOR_SMTP_URL", &smtp),
            // One mail, one login.
            ("FRONTDOOR_AUTO_REPLY", "off"),
        ],
    );
    post_lead(server.address, &[]);
    let body = body.recv_timeout(PATIENCE).expect("the webhook is trusted");
    assert!(body.contains("ada@example.org"), "{body}");
    taken
        .recv_timeout(PATIENCE)
        .expect("the mail server is trusted");
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
    server.terminate();
}

/// A test mail, from the first byte under TLS.
fn send_test(authority: &Authority, mail: &ScriptedServer, trust: bool) -> Said {
    let database = authority.folder.url();
    Process::start(&database, &[]).terminate();
    let file = authority.path("issue.md");
    std::fs::write(&file, "# News\n\nHello.\n").unwrap();
    let issue = file.to_str().unwrap();
    let mut command = frontdoor(&["newsletter", "send", issue, "--test", "owner@site.example"]);
    command.env("DATABASE_URL", &database).env(
        "FRONTDOOR_SMTP_URL",
        format!("smtps://user:word@{}", mail.address),
    );
    if trust {
        command.env("SSL_CERT_FILE", authority.path("root.pem"));
    }
    run(&mut command)
}

#[test]
fn mail_under_tls_from_the_first_byte_is_trusted_by_the_same_roots() {
    let authority = Authority::new();
    let (mail, taken) = mail_server(Security::FromTheFirstByte(authority.server.clone()));
    let said = send_test(&authority, &mail, true);
    assert_eq!(said.code, 0, "{}", said.err);
    taken.recv_timeout(PATIENCE).unwrap();
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
}

#[test]
fn a_stranger_is_not_trusted_and_the_reason_is_in_our_own_words() {
    let authority = Authority::new();
    let (mail, _taken) = mail_server(Security::FromTheFirstByte(authority.server.clone()));
    let said = send_test(&authority, &mail, false);
    assert_eq!(said.code, 1);
    let error = said.err;
    assert!(error.contains("certificate is not trusted"), "{error}");
    assert!(mail.heard("AUTH").is_empty());
}
