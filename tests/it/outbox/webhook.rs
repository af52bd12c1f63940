//! What the automation webhook receives and what its answers lead to; and webhooks and mail servers
//! with certificates of a private authority that only the machine trusts.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdoor::config::{Secret, WebhookSettings};
use frontdoor::domain::{ContactForm, Source};
use frontdoor::outbox::schedule::DELAYS;
use frontdoor::outbox::webhook::{self, Webhook, sign};
use frontdoor::outbox::worker::Sender as _;
use frontdoor::store::DeliveryState;
use jiff::ToSpan;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokio::sync::watch;

use crate::support::{
    Answer, Authority, Database, MailServer, NOON, Process, Receiver, Security, Step, TIMEOUT,
    TestStore, closed, lead, post_lead, run, visitor, webhook_settings,
};

fn webhook(receiver: &Receiver) -> Webhook {
    Webhook::new(&webhook_settings(&receiver.url)).unwrap()
}

#[tokio::test]
async fn the_body_is_exactly_the_five_fields_in_order() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    test.add(visitor()).await;
    let form = ContactForm {
        phone: "+1 416 555 0100",
        message: "Quotes \" and \\ and 🍁",
        form_location: "contact",
        ..visitor()
    };
    let worker = test.worker(webhook(&receiver));
    worker.drain().await;
    test.add(form).await;
    worker.drain().await;

    let bodies: Vec<_> = receiver.calls().into_iter().map(|call| call.body).collect();
    assert_eq!(
        bodies,
        [
            r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"","message":"Hello\nthere","formLocation":"homepage"}"#,
            r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"+1 416 555 0100","message":"Quotes \" and \\ and 🍁","formLocation":"contact"}"#,
        ]
    );
    let call = &receiver.calls()[0];
    assert_eq!(call.header("content-type"), "application/json");
    let time = NOON.as_second().to_string();
    assert_eq!(call.header("webhook-timestamp"), time);
    assert!(!call.headers.contains_key("webhook-signature"));
    assert_eq!(test.store.delivery_counts().await.unwrap().delivered, 2);
}

#[tokio::test]
async fn with_a_secret_the_call_is_signed_and_with_a_header_it_carries_it() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    test.add(visitor()).await;
    let key = vec![7; 32];
    let settings = WebhookSettings {
        secret: Some(Secret::new(key.clone())),
        header: Some((
            "x-token".parse().unwrap(),
            Secret::new("abc".parse().unwrap()),
        )),
        ..webhook_settings(&receiver.url)
    };
    let webhook = Webhook::new(&settings).unwrap();
    test.worker(webhook).drain().await;

    let call = receiver.calls().remove(0);
    let id = call.header("webhook-id");
    let expected = sign(&key, id, NOON.as_second(), call.body.as_bytes()).unwrap();
    assert_eq!(call.header("webhook-signature"), expected);
    assert_eq!(STANDARD.decode(&expected[3..]).unwrap().len(), 32);
    assert_eq!(call.header("x-token"), "abc");
    assert!(!id.is_empty() && !id.contains('.'));
}

#[tokio::test]
async fn every_failing_status_is_retried_under_the_same_id() {
    let test = TestStore::at_noon().await;
    let statuses = [500, 404, 429, 302];
    let receiver =
        Receiver::start(move |call| Answer::Status(statuses.get(call).copied().unwrap_or(200)))
            .await;
    test.add(visitor()).await;
    let worker = test.worker(webhook(&receiver));
    for status in statuses {
        assert_eq!(worker.drain().await, 1);
        let waiting = test.only_delivery().await;
        assert_eq!(waiting.state, DeliveryState::Pending);
        assert_eq!(waiting.last_error, Some(format!("status {status}")));
        test.set_time(waiting.next_attempt_at.unwrap());
    }
    worker.drain().await;

    let calls = receiver.calls();
    assert_eq!(calls.len(), statuses.len() + 1);
    let id = calls[0].header("webhook-id");
    assert!(calls.iter().all(|call| call.header("webhook-id") == id));
    assert!(calls.is_sorted_by_key(|call| call.header("webhook-timestamp").to_owned()));
    let delivered = test.only_delivery().await;
    assert_eq!(delivered.state, DeliveryState::Delivered);
    assert_eq!(delivered.last_error, None);
    assert_eq!(delivered.attempts, 5);
}

#[tokio::test]
async fn gone_gives_up_at_once_and_a_receiver_that_asks_for_time_gets_it() {
    for (status, name, value, state) in [
        (410, "x-any", "", DeliveryState::GivenUp),
        (503, "retry-after", "3600", DeliveryState::Pending),
    ] {
        let test = TestStore::at_noon().await;
        let receiver = Receiver::start(move |_| Answer::Header(status, name, value.into())).await;
        test.add(visitor()).await;
        test.worker(webhook(&receiver)).drain().await;
        let delivery = test.only_delivery().await;
        assert_eq!(delivery.state, state);
        assert_eq!(delivery.last_error, Some(format!("status {status}")));
        let next = (state == DeliveryState::Pending).then(|| *NOON + 1.hour());
        assert_eq!(delivery.next_attempt_at, next);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let test = TestStore::at_noon().await;
    let elsewhere = Receiver::accepting().await;
    let target = elsewhere.url.clone();
    let receiver = Receiver::start(move |_| Answer::Header(307, "location", target.clone())).await;
    test.add(visitor()).await;
    test.worker(webhook(&receiver)).drain().await;
    assert!(elsewhere.calls().is_empty());
    let reason = test.only_delivery().await.last_error;
    assert_eq!(reason.as_deref(), Some("status 307"));
}

#[tokio::test]
async fn after_the_last_failure_it_is_given_up() {
    let test = TestStore::at_noon().await;
    let receiver = Receiver::start(|_| Answer::Status(500)).await;
    test.add(visitor()).await;
    let worker = test.worker(webhook(&receiver));
    while let Some(next) = test.only_delivery().await.next_attempt_at {
        test.set_time(next);
        assert_eq!(worker.drain().await, 1);
    }
    let delivery = test.only_delivery().await;
    assert_eq!(delivery.state, DeliveryState::GivenUp);
    assert_eq!(delivery.attempts as usize, DELAYS.len());
    assert_eq!(receiver.calls().len(), DELAYS.len());
}

#[tokio::test]
async fn without_a_connection_the_reason_says_so_and_names_no_address() {
    let test = TestStore::at_noon().await;
    let (_closed, address) = closed();
    let url = format!("http://{address}/hook");
    test.add(visitor()).await;
    let webhook = Webhook::new(&webhook_settings(&url)).unwrap();
    test.worker(webhook).drain().await;
    let delivery = test.only_delivery().await;
    assert_eq!(delivery.state, DeliveryState::Pending);
    let reason = delivery.last_error.unwrap();
    assert!(!reason.contains("/hook") && !reason.contains("ada"));
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left_after_ten_seconds() {
    assert_eq!(webhook::TIMEOUT, Duration::from_secs(10));
    assert!(
        Webhook::TIME_LIMIT > webhook::TIMEOUT,
        "the client's limit counts"
    );
    let test = TestStore::at_noon().await;
    let (_never_opened, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    test.add(visitor()).await;
    let limit = Duration::from_secs(1);
    let settings = webhook_settings(&receiver.url);
    let webhook = Webhook::with_limit(&settings, limit).unwrap();
    test.worker(webhook).drain().await;
    let reason = format!("no answer within {} s", limit.as_secs());
    assert_eq!(test.only_delivery().await.last_error, Some(reason));
}

#[tokio::test]
async fn event_lead_and_visit_travel_in_headers_and_what_is_unknown_is_absent() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    let known = test.add(visitor()).await;
    let mut visit = lead(visitor());
    let values = [Some("/prices?a=b"), Some("search.example"), None, None]
        .into_iter()
        .chain([Some("été \"2026\""), None, None])
        .map(|value| value.map(str::to_owned));
    let values: Vec<_> = values.collect();
    visit.source = Source::from_values(values.try_into().unwrap());
    test.store.add_lead(visit, test.now()).await.unwrap();
    let worker = test.worker(webhook(&receiver));
    worker.drain().await;

    let calls = receiver.calls();
    let mut all = calls.iter();
    let plain = all.find(|call| call.header("frontdoor-lead-id") == known);
    let plain = plain.unwrap();
    assert_eq!(plain.header("frontdoor-event"), "lead.created");
    assert_eq!(plain.header("frontdoor-lead-time"), "2025-03-01T12:00:00Z");
    for unknown in ["landing-path", "referrer", "campaign"] {
        let name = format!("frontdoor-{unknown}");
        assert!(!plain.headers.contains_key(&name), "{name}");
    }
    let mut all = calls.iter();
    let visit = all.find(|call| call.headers.contains_key("frontdoor-landing-path"));
    let visit = visit.unwrap();
    assert_eq!(visit.header("frontdoor-landing-path"), "/prices?a=b");
    assert_eq!(visit.header("frontdoor-referrer"), "search.example");
    let campaign = "%C3%A9t%C3%A9%20\"2026\"";
    assert_eq!(visit.header("frontdoor-campaign"), campaign);
}

/// A mail server that tells the login of each mail it took.
fn mail_server(security: Security) -> (MailServer, mpsc::Receiver<()>) {
    let (told, taken) = mpsc::channel();
    let server = MailServer::secured(security, move |moment| {
        if moment.step == Step::Message {
            told.send(()).unwrap();
        }
        None
    });
    (server, taken)
}

/// An HTTPS receiver that takes one call and passes its body on.
fn https_receiver(config: Arc<ServerConfig>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hook", listener.local_addr().unwrap());
    let (told, body) = mpsc::channel();
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
    let (url, body) = https_receiver(config.clone());
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
    let body = body.recv_timeout(TIMEOUT).expect("the webhook is trusted");
    assert!(body.contains("ada@example.org"), "{body}");
    let mail_is_taken = taken.recv_timeout(TIMEOUT);
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
    taken.recv_timeout(TIMEOUT).unwrap();
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
}
