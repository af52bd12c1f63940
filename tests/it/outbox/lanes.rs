//! The running lanes: woken, bounded, apart from each other, stopped well. No visitor
//! waits for them.

use std::pin::pin;
use std::time::Duration;

use frontdoor::config::{MailSettings, WebhookSettings};
use frontdoor::outbox::schedule::DELAYS;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::{Sender, Verdict};
use frontdoor::outbox::{Outbox, kinds};
use frontdoor::store::{Claim, DeliveryKind, DeliveryState};
use jiff::{SignedDuration, Timestamp};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::support::app::TestApp;
use crate::support::client::body_json;
use crate::support::data::{WEBHOOK, form_with, lead, visitor};
use crate::support::desk::{Desk, NOON, mail_settings, webhook_settings};
use crate::support::mail_server::MailServer;
use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::PATIENCE;

const PROMISE: SignedDuration = SignedDuration::from_hours(24);

#[test]
fn the_settings_decide_which_deliveries_a_lead_gets() {
    let webhook = webhook_settings("http://127.0.0.1/");
    let mut mail = mail_settings("smtp://127.0.0.1".into());
    let [hook, notify] = [DeliveryKind::Webhook, DeliveryKind::Notify];
    let all = [hook, notify, DeliveryKind::AutoReply];
    assert_eq!(kinds(Some(&webhook), Some(&mail)), all);
    mail.auto_reply = false;
    assert_eq!(kinds(None, Some(&mail)), [DeliveryKind::Notify]);
    assert_eq!(kinds(None, None), []);
}

fn start(desk: &Desk, webhook: &WebhookSettings, mail: Option<&MailSettings>) -> Outbox {
    Outbox::start(&desk.store, Some(webhook), mail, PROMISE, None).unwrap()
}

/// The lane has written down what it sent, has looked for more and waits.
async fn until_at_rest(desk: &Desk, delivered: u64) {
    while desk.store.delivery_counts().await.unwrap().delivered < delivered {
        tokio::task::yield_now().await;
    }
    // Its look for more has its turn among these.
    for _ in 0..3 {
        let none = desk
            .store
            .claim(&[DeliveryKind::Notify], 1, PATIENCE, *NOON);
        assert_eq!(none.await.unwrap().len(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_lead_wakes_the_lane() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    let webhook = Webhook::new(&webhook_settings(&receiver.url)).unwrap();
    // It does not look by itself for as long as the test takes.
    let lane = desk.worker(webhook).looking_every(10 * PATIENCE);
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(async move { lane.run(stopped).await });
    for number in 1..=3 {
        until_at_rest(&desk, number as u64 - 1).await;
        desk.add(visitor(), WEBHOOK).await;
        let arrival = receiver.wait_for_calls(number);
        tokio::time::timeout(PATIENCE, arrival).await.unwrap();
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    let all = desk.deliveries().await;
    assert!(
        all.iter()
            .all(|each| each.state == DeliveryState::Delivered)
    );
    assert_eq!(receiver.calls().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_adds_is_found_by_polling() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    let settings = webhook_settings(&receiver.url);
    let outbox = start(&desk, &settings, None);
    until_at_rest(&desk, 0).await;
    let other = desk.another().await;
    other.add_lead(lead(visitor()), desk.now()).await.unwrap();
    let arrival = receiver.wait_for_calls(1);
    tokio::time::timeout(PATIENCE, arrival).await.unwrap();
    outbox.stop().await;
}

/// A mail server that never greets, for example.
struct Mute;

impl Sender for Mute {
    const KINDS: &'static [DeliveryKind] = WEBHOOK;
    const TIME_LIMIT: Duration = Duration::from_secs(1);

    async fn send(&self, _: &Claim, _: Timestamp) -> Verdict {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_send_that_never_ends_is_cut_off_and_tried_again_later() {
    let desk = Desk::new().await;
    desk.add(visitor(), WEBHOOK).await;
    assert_eq!(desk.worker(Mute).drain().await, 1);
    let delivery = desk.only_delivery().await;
    assert_eq!(delivery.state, DeliveryState::Pending);
    assert_eq!(delivery.last_error.as_deref(), Some("no answer within 1 s"));
    assert_eq!(delivery.next_attempt_at, Some(*NOON + DELAYS[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_gets_eight_calls_at_once_and_holds_up_no_mail() {
    let desk = Desk::new().await;
    let (open, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    let server = MailServer::start(None);
    let webhook = webhook_settings(&receiver.url);
    let mail = mail_settings(server.url.clone());
    for _ in 0..20 {
        desk.add(visitor(), &[DeliveryKind::Webhook, DeliveryKind::Notify])
            .await;
    }
    let outbox = start(&desk, &webhook, Some(&mail));
    receiver.wait_for_calls(8).await;
    assert_eq!(receiver.calls().len(), 8);
    tokio::time::timeout(PATIENCE, server.wait_for_mails(20))
        .await
        .unwrap();
    open.send(true).unwrap();
    tokio::time::timeout(PATIENCE, receiver.wait_for_calls(20))
        .await
        .unwrap();
    outbox.stop().await;
    assert_eq!(desk.store.delivery_counts().await.unwrap().delivered, 40);
    assert_eq!(receiver.calls().len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_lets_what_is_being_sent_finish() {
    let desk = Desk::new().await;
    let (open, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    let settings = webhook_settings(&receiver.url);
    desk.add(visitor(), WEBHOOK).await;
    let outbox = start(&desk, &settings, None);
    receiver.wait_for_calls(1).await;
    let mut stopping = pin!(outbox.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("it did not wait"),
        _ = desk.add(visitor(), WEBHOOK) => {}
    }
    open.send(true).unwrap();
    stopping.await;
    let counts = desk.store.delivery_counts().await.unwrap();
    assert_eq!(counts.delivered, 1, "the one in flight");
}

/// Has a fault of its own.
struct Crashing;

impl Sender for Crashing {
    const KINDS: &'static [DeliveryKind] = WEBHOOK;
    const TIME_LIMIT: Duration = Duration::from_secs(10);

    async fn send(&self, _claim: &Claim, _now: Timestamp) -> Verdict {
        panic!("on purpose")
    }
}

#[tokio::test]
async fn a_panic_while_sending_is_a_failed_attempt_with_a_reason() {
    let desk = Desk::new().await;
    desk.add(visitor(), WEBHOOK).await;
    assert_eq!(desk.worker(Crashing).drain().await, 1);
    let delivery = desk.only_delivery().await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Pending, 1)
    );
    let reason = delivery.last_error.unwrap();
    assert!(reason.contains("crashed"), "{reason}");
}

/// Also what was claimed before, by a worker that is gone.
#[tokio::test]
async fn a_plan_from_before_the_clock_was_set_back_is_due_now() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    desk.add(visitor(), WEBHOOK).await;
    let lease = Duration::from_secs(20);
    let lost = desk.store.claim(WEBHOOK, 8, lease, desk.now()).await;
    assert_eq!(lost.unwrap().len(), 1);
    desk.turn_clock_to(*NOON - 2 * PROMISE);
    let worker = desk.worker(Webhook::new(&webhook_settings(&receiver.url)).unwrap());
    assert_eq!(worker.drain().await, 0);
    desk.store.bring_back_plans(desk.now()).await.unwrap();
    assert_eq!(worker.drain().await, 1);
}

/// More than the webhook's lane has places.
const POSTS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_has_the_answer_while_the_receiver_still_hangs() {
    // Accepts connections (the system does) and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let app = TestApp::with(|args| args.webhook.webhook_url = Some(url)).await;
    for number in 0..POSTS {
        let form = form_with("message", format!("message {number}"));
        let response = app.send(&form).await;
        assert_eq!(response.status(), 201);
        let id = body_json(response).await["id"].as_str().unwrap().to_owned();
        let all = app.deliveries().await;
        let own = all
            .iter()
            .find(|each| each.contact_id.as_ref() == Some(&id));
        let own = own.unwrap();
        // Had the visitor waited for it, its first attempt would have ended by now.
        assert_eq!((own.state, own.attempts), (DeliveryState::Pending, 0));
    }
    let called = tokio::time::timeout(PATIENCE, hanging.accept()).await;
    called.expect("a call that hangs").unwrap();
}
