//! What the automation's webhook receives and the effect of its answers; also webhooks and mail
//! servers with certificates of a private authority that only the machine trusts.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::time::Duration;

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
    Answer, Authority, Database, MailServer, NOON, Process, Receiver, Security, TIMEOUT, TestStore,
    closed, lead, post_lead, run, visitor, webhook_settings,
};

fn webhook(receiver: &Receiver) -> Webhook {
    Webhook::new(&webhook_settings(&receiver.url)).unwrap()
}

#[tokio::test]
async fn the_body_is_the_five_fields_in_order_and_headers_carry_event_lead_visit_and_signature() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    let known = test.add(visitor()).await;
    test.worker(webhook(&receiver)).drain().await;
    let mut visit = lead(ContactForm {
        phone: "+1 416 555 0100",
        message: "Quotes \" and \\ and 🍁",
        form_location: "contact",
        ..visitor()
    });
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
    let key = vec![7; 32];
    let settings = WebhookSettings {
        secret: Some(Secret::new(key.clone())),
        header: Some((
            "x-token".parse().unwrap(),
            Secret::new("abc".parse().unwrap()),
        )),
        ..webhook_settings(&receiver.url)
    };
    let signing = Webhook::new(&settings).unwrap();
    test.worker(signing).drain().await;

    let [plain, visit] = &receiver.calls()[..] else {
        panic!("two calls");
    };
    assert_eq!(
        plain.body,
        r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"","message":"Hello\nthere","formLocation":"homepage"}"#
    );
    assert_eq!(plain.header("content-type"), "application/json");
    assert_eq!(plain.header("frontdoor-event"), "lead.created");
    assert_eq!(plain.header("frontdoor-lead-id"), known);
    assert_eq!(plain.header("frontdoor-lead-time"), "2025-03-01T12:00:00Z");
    for absent in [
        "frontdoor-landing-path",
        "frontdoor-referrer",
        "frontdoor-campaign",
        "webhook-signature",
    ] {
        assert!(!plain.headers.contains_key(absent), "{absent}");
    }
    assert_eq!(
        visit.body,
        r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"+1 416 555 0100","message":"Quotes \" and \\ and 🍁","formLocation":"contact"}"#
    );
    assert_eq!(visit.header("frontdoor-landing-path"), "/prices?a=b");
    assert_eq!(visit.header("frontdoor-referrer"), "search.example");
    let campaign = "%C3%A9t%C3%A9%20\"2026\"";
    assert_eq!(visit.header("frontdoor-campaign"), campaign);
    assert_eq!(visit.header("x-token"), "abc");
    let time = NOON.as_second();
    assert_eq!(visit.header("webhook-timestamp"), time.to_string());
    let id = visit.header("webhook-id");
    let signature = sign(&key, id, time, visit.body.as_bytes()).unwrap();
    assert_eq!(visit.header("webhook-signature"), signature);
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
    for started_over in [1, 0] {
        let retried = test.store.retry_deliveries(Retry::All, test.now());
        assert_eq!(retried.await, Ok(started_over));
    }
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
async fn status_410_gives_up_at_once_retry_after_is_respected_and_redirects_are_not_followed() {
    use DeliveryState::{GivenUp, Pending};
    let elsewhere = Receiver::accepting().await;
    let (hour, soon) = (*NOON + 1.hour(), *NOON + DELAYS[1]);
    for (status, name, value, state, next) in [
        (410, "x-any", "", GivenUp, None),
        (503, "retry-after", "3600", Pending, Some(hour)),
        (307, "location", &elsewhere.url, Pending, Some(soon)),
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
async fn without_a_connection_or_an_answer_within_ten_seconds_the_reason_names_no_address() {
    let (_closed, address) = closed();
    let settings = webhook_settings(&format!("http://{address}/hook"));
    let delivery = attempted(Webhook::new(&settings).unwrap()).await;
    assert_eq!(delivery.state, DeliveryState::Pending);
    let reason = "the webhook did not accept it: it refuses connections";
    assert_eq!(delivery.last_error.as_deref(), Some(reason));

    assert_eq!(webhook::TIMEOUT, Duration::from_secs(10));
    assert!(
        Webhook::SEND_TIMEOUT > webhook::TIMEOUT,
        "the client's limit counts"
    );
    let (_never_opened, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    let (settings, limit) = (webhook_settings(&receiver.url), Duration::from_secs(1));
    let delivery = attempted(Webhook::with_limit(&settings, limit).unwrap()).await;
    let reason = "no answer within 1 s";
    assert_eq!(delivery.last_error.as_deref(), Some(reason));
}

/// An HTTPS receiver that tells how each call begins, and leaves it.
fn https_receiver(config: Arc<ServerConfig>) -> (String, mpsc::Receiver<[u8; 4]>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hook", listener.local_addr().unwrap());
    let (told, calls) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut begin = [0; 4];
            let read = StreamOwned::new(connection, stream).read_exact(&mut begin);
            if read.is_ok() {
                told.send(begin).unwrap();
            }
        }
    });
    (url, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_reaches_a_webhook_and_a_mail_server_of_a_private_authority() {
    let database = Database::new();
    let authority = Authority::new(database.folder());
    let config = authority.server("127.0.0.1");
    let (url, calls) = https_receiver(config.clone());
    let mail = MailServer::secured(Security::OnRequest(config), |_| None);
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
    assert_eq!(call, *b"POST");
    mail.wait_for_mails(1).await;
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
}

#[tokio::test]
async fn mail_under_tls_from_the_first_byte_is_trusted_by_the_same_roots_and_by_no_others() {
    let test = TestStore::new().await;
    let authority = Authority::new(test.database.folder());
    let security = Security::FromTheFirstByte(authority.server("127.0.0.1"));
    let mail = MailServer::secured(security, |_| None);
    let file = test.write("issue.md", "# News\n\nHello.\n");
    let send = ["newsletter", "send", file.to_str().unwrap()];
    let send = [&send[..], &["--test", "owner@site.example"]].concat();
    let mut command = test.command(&send);
    let url = format!("smtps://user:word@{}", mail.address);
    let output = run(command.env("FRONTDOOR_SMTP_URL", url));
    output.fails_with(1, "certificate isn't trusted");
    assert!(mail.heard("AUTH").is_empty());
    run(command.env("SSL_CERT_FILE", &authority.root)).succeeds();
    assert_eq!(mail.taken().len(), 1);
    assert_eq!(mail.heard("AUTH PLAIN").len(), 1);
}
