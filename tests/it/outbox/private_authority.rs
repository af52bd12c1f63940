//! With certificates of a private authority that only the machine trusts, the program
//! reaches a webhook and a mail server, with a login.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::authority::Authority;
use crate::support::database::Database;
use crate::support::mail_server::{MailServer, Security, Step};
use crate::support::process::{Process, post_lead, run};
use crate::support::test_store::TestStore;
use crate::support::wait::PATIENCE;

/// A mail server that tells the login of each mail it took.
fn mail_server(security: Security) -> (MailServer, Receiver<()>) {
    let (told, taken) = channel();
    let server = MailServer::secured(security, move |moment| {
        if moment.step == Step::Message {
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
    let database = Database::new();
    let authority = Authority::new(database.folder());
    let config = authority.server("127.0.0.1");
    let (url, body) = webhook(config.clone());
    let (mail, taken) = mail_server(Security::OnRequest(config));
    let smtp = format!("smtp://user:word@{}?tls=required", mail.address);
    let server = Process::start(
        &database.url(),
        &[
            ("SSL_CERT_FILE", authority.root.to_str().unwrap()),
            ("FRONTDOOR_WEBHOOK_URL", &url),
            ("FRONTDOOR_SMTP_URL", &smtp),
            // One mail, one login.
            ("FRONTDOOR_AUTO_REPLY", "off"),
        ],
    );
    post_lead(server.address, &[]);
    let body = body.recv_timeout(PATIENCE).expect("the webhook is trusted");
    assert!(body.contains("ada@example.org"), "{body}");
    let mail_is_taken = taken.recv_timeout(PATIENCE);
    mail_is_taken.expect("the mail server is trusted");
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
    server.terminate();
}

#[tokio::test]
async fn mail_under_tls_from_the_first_byte_is_trusted_by_the_same_roots_and_by_no_others() {
    let test = TestStore::new().await;
    let authority = Authority::new(test.database.folder());
    let security = Security::FromTheFirstByte(authority.server("127.0.0.1"));
    let (mail, taken) = mail_server(security);
    let file = test.write("issue.md", "# News\n\nHello.\n");
    let send = ["newsletter", "send", file.to_str().unwrap()];
    let send = [&send[..], &["--test", "owner@site.example"]].concat();
    let mut command = test.command(&send);
    let url = format!("smtps://user:word@{}", mail.address);
    let said = run(command.env("FRONTDOOR_SMTP_URL", url));
    said.fails(1, "certificate is not trusted");
    assert!(mail.heard("AUTH").is_empty());
    run(command.env("SSL_CERT_FILE", &authority.root)).succeeds();
    taken.recv_timeout(PATIENCE).unwrap();
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
}
