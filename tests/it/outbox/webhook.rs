//! What the automation webhook receives and what its answers lead to; and webhooks and mail servers
//! with certificates of a private authority that only the machine trusts.

use std::io::{Read as _, Write as _};
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
use frontdoor::store::{Delivery, DeliveryState, Retry};
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

/// What becomes of one delivery in one attempt.
async fn attempted(webhook: Webhook) -> Delivery {
    let test = TestStore::at_noon().await;
    test.add(visitor()).await;
    assert_eq!(test.worker(webhook).drain().await, 1);
    test.only_delivery().await
}

#[tokio::test]
async fn every_failing_status_is_retried_under_the_same_id_until_it_is_given_up() {
    let (test, all) = (TestStore::at_noon().await, DELAYS.len());
    let status = |attempt: usize| [500, 404, 429, 302][attempt % 4];
    let answer = move |call| Answer::Status(if call < all { status(call) } else { 200 });
    let receiver = Receiver::start(answer).await;
    test.add(visitor()).await;
    let worker = test.worker(webhook(&receiver));
    for attempt in 0..all {
        assert_eq!(worker.drain().await, 1);
        let delivery = test.only_delivery().await;
        let reason = format!("status {}", status(attempt));
        assert_eq!(delivery.last_error, Some(reason));
        match delivery.next_attempt_at {
            Some(next) => test.set_time(next),
            None => assert_eq!(attempt, all - 1, "the last"),
        }
    }
    let given_up = test.only_delivery().await;
    assert_eq!(given_up.state, DeliveryState::GivenUp);
    assert_eq!(given_up.attempts as usize, all);
    test.store.retry(Retry::All, test.now()).await.unwrap();
    worker.drain().await;
    let delivered = test.only_delivery().await;
    assert_eq!(delivered.state, DeliveryState::Delivered);
    assert_eq!(delivered.last_error, None);

    let calls = receiver.calls();
    let id = calls[0].header("webhook-id");
    assert!(calls.iter().all(|call| call.header("webhook-id") == id));
    assert!(calls.is_sorted_by_key(|call| call.header("webhook-timestamp").to_owned()));
}

#[tokio::test]
async fn gone_gives_up_at_once_who_asks_for_time_gets_it_and_a_redirect_is_not_followed() {
    let elsewhere = Receiver::accepting().await;
    let (hour, soon) = (*NOON + 1.hour(), *NOON + DELAYS[1]);
    for (status, name, value, state, next) in [
        (410, "x-any", "", DeliveryState::GivenUp, None),
        (
            503,
            "retry-after",
            "3600",
            DeliveryState::Pending,
            Some(hour),
        ),
        (
            307,
            "location",
            &elsewhere.url,
            DeliveryState::Pending,
            Some(soon),
        ),
    ] {
        let value = value.to_owned();
        let answer = move |_| Answer::Header(status, name, value.clone());
        let receiver = Receiver::start(answer).await;
        let delivery = attempted(webhook(&receiver)).await;
        assert_eq!(delivery.state, state);
        assert_eq!(delivery.last_error, Some(format!("status {status}")));
        assert_eq!(delivery.next_attempt_at, next);
    }
    assert!(elsewhere.calls().is_empty());
}

#[tokio::test]
async fn without_a_connection_the_reason_says_so_and_names_no_address() {
    let (_closed, address) = closed();
    let settings = webhook_settings(&format!("http://{address}/hook"));
    let delivery = attempted(Webhook::new(&settings).unwrap()).await;
    assert_eq!(delivery.state, DeliveryState::Pending);
    let reason = "the webhook did not accept it: it refuses connections";
    assert_eq!(delivery.last_error.as_deref(), Some(reason));
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left_after_ten_seconds() {
    assert_eq!(webhook::TIMEOUT, Duration::from_secs(10));
    assert!(
        Webhook::TIME_LIMIT > webhook::TIMEOUT,
        "the client's limit counts"
    );
    let (_never_opened, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    let (settings, limit) = (webhook_settings(&receiver.url), Duration::from_secs(1));
    let delivery = attempted(Webhook::with_limit(&settings, limit).unwrap()).await;
    let reason = "no answer within 1 s";
    assert_eq!(delivery.last_error.as_deref(), Some(reason));
}

#[tokio::test]
async fn event_lead_and_visit_travel_in_headers_and_what_is_unknown_is_absent() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    let known = test.add(visitor()).await;
    let mut visit = lead(visitor());
    let mut values = [const { None }; 7];
    for (place, value) in [
        (0, "/prices?a=b"),
        (1, "search.example"),
        (4, "été \"2026\""),
    ] {
        values[place] = Some(value.to_owned());
    }
    visit.source = Source::from_values(values);
    test.store.add_lead(visit, test.now()).await.unwrap();
    let worker = test.worker(webhook(&receiver));
    worker.drain().await;

    let (plain, visit): (Vec<_>, Vec<_>) = receiver
        .calls()
        .into_iter()
        .partition(|call| call.header("frontdoor-lead-id") == known);
    let (plain, visit) = (&plain[0], &visit[0]);
    assert_eq!(plain.header("frontdoor-event"), "lead.created");
    assert_eq!(plain.header("frontdoor-lead-time"), "2025-03-01T12:00:00Z");
    for unknown in ["landing-path", "referrer", "campaign"] {
        let name = format!("frontdoor-{unknown}");
        assert!(!plain.headers.contains_key(&name), "{name}");
    }
    assert_eq!(visit.header("frontdoor-landing-path"), "/prices?a=b");
    assert_eq!(visit.header("frontdoor-referrer"), "search.example");
    let campaign = "%C3%A9t%C3%A9%20\"2026\"";
    assert_eq!(visit.header("frontdoor-campaign"), campaign);
}

/// A mail server that tells of each message that comes.
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

/// An HTTPS receiver that passes on what it is called with.
fn https_receiver(config: Arc<ServerConfig>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hook", listener.local_addr().unwrap());
    let (told, calls) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Ok(text) = take_call(stream, config.clone()) {
                told.send(text).unwrap();
            }
        }
    });
    (url, calls)
}

fn take_call(stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<String> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let (mut call, mut byte) = (Vec::new(), [0]);
    // The end of its JSON.
    while !call.ends_with(b"\"}") {
        stream.read_exact(&mut byte)?;
        call.extend(byte);
    }
    stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")?;
    stream.flush()?;
    Ok(String::from_utf8(call).unwrap())
}

#[test]
fn a_lead_reaches_a_webhook_and_a_mail_server_of_a_private_authority() {
    let database = Database::new();
    let authority = Authority::new(database.folder());
    let config = authority.server("127.0.0.1");
    let (url, calls) = https_receiver(config.clone());
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
    let call = calls.recv_timeout(TIMEOUT).expect("a trusted webhook");
    assert!(call.contains("ada@example.org"), "{call}");
    taken.recv_timeout(TIMEOUT).expect("a trusted mail server");
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
