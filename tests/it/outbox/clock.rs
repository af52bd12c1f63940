//! The clock on the wall is set a day forward or back, and nothing waits a day
//! for it or goes out twice.

use std::pin::pin;
use std::time::Duration;

use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::schedule::DELAYS;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::store::{DeliveryKind, DeliveryState, Subscribed};
use jiff::SignedDuration;
use tokio::sync::watch;

use crate::support::data::{WEBHOOK, visitor};
use crate::support::desk::{Desk, NOON, mail_settings, webhook_settings};
use crate::support::mail_server::MailServer;
use crate::support::receiver::{Answer, Receiver};

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn webhook(receiver: &Receiver) -> Webhook {
    Webhook::new(&webhook_settings(&receiver.url)).unwrap()
}

#[tokio::test]
async fn a_retry_keeps_its_pause_when_the_clock_is_set_back() {
    let desk = Desk::new().await;
    let receiver = Receiver::start(|call| Answer::Status([500, 500, 204][call])).await;
    desk.add(visitor(), WEBHOOK).await;
    let worker = desk.worker(webhook(&receiver));
    worker.drain().await;
    desk.turn_clock_to(desk.only_delivery().await.next_attempt_at.unwrap());
    worker.drain().await;
    let planned = desk.only_delivery().await.next_attempt_at;
    assert_eq!(planned, Some(desk.now() + DELAYS[2]));

    desk.turn_clock_to(desk.now() - DAY);
    assert_eq!(worker.drain().await, 0, "not before its pause is over");
    let planned = desk.only_delivery().await.next_attempt_at;
    assert_eq!(planned, Some(desk.now() + DELAYS[2]), "as long as it was");
    desk.turn_clock_to(planned.unwrap());
    assert_eq!(worker.drain().await, 1);
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn what_was_stored_before_the_clock_was_set_back_is_sent_after_a_restart_too() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    desk.add(visitor(), WEBHOOK).await;
    desk.turn_clock_to(*NOON - DAY);
    let worker = desk.worker(webhook(&receiver));
    assert_eq!(worker.drain().await, 1);
}

#[tokio::test]
async fn a_lease_from_before_the_clock_was_set_back_has_ended() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    desk.add(visitor(), WEBHOOK).await;
    let lease = Duration::from_secs(20);
    let lost = desk.store.claim(WEBHOOK, 8, lease, desk.now()).await;
    assert_eq!(lost.unwrap().len(), 1);
    desk.turn_clock_to(*NOON - DAY);
    let worker = desk.worker(webhook(&receiver));
    assert_eq!(worker.drain().await, 1);
}

#[tokio::test]
async fn what_is_being_sent_is_not_sent_again_whichever_way_the_clock_jumps() {
    for step in [DAY, -DAY] {
        let desk = Desk::new().await;
        let (open, gate) = watch::channel(false);
        let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
        desk.add(visitor(), WEBHOOK).await;
        let worker = desk.worker(webhook(&receiver));
        let mut first = pin!(worker.drain());
        tokio::select! {
            biased;
            _ = &mut first => panic!("the receiver waits"),
            () = receiver.wait_for_calls(1) => {}
        }
        desk.turn_clock_to(*NOON + step);
        {
            let mut second = pin!(worker.drain());
            tokio::select! {
                biased;
                attempts = &mut second => assert_eq!(attempts, 0, "{step}"),
                () = receiver.wait_for_calls(2) => panic!("sent twice after {step}"),
            }
        }
        open.send(true).unwrap();
        assert_eq!(first.await, 1);
        assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
        assert_eq!(receiver.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_visitor_is_not_kept_waiting_for_mail_until_the_clock_has_caught_up() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let worker = desk.worker(Mailer::new(&mail_settings(server.url.clone())).unwrap());
    assert_eq!(desk.subscribe().await, Subscribed::Invited);
    desk.add(visitor(), &[DeliveryKind::AutoReply]).await;
    assert_eq!(worker.drain().await, 2);
    desk.turn_clock_to(*NOON - DAY - DAY);
    assert_eq!(desk.subscribe().await, Subscribed::Invited);
    desk.add(visitor(), &[DeliveryKind::AutoReply]).await;
    assert_eq!(worker.drain().await, 2);
    assert_eq!(desk.subscribe().await, Subscribed::Unchanged, "only once");
    desk.add(visitor(), &[DeliveryKind::AutoReply]).await;
    assert_eq!(worker.drain().await, 0);
}
