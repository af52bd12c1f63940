//! The clock on the wall is set forward or back, and nothing waits for days or
//! goes out twice.

use std::pin::pin;
use std::time::Duration;

use frontdoor::outbox::schedule::DELAYS;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::store::DeliveryState;
use jiff::SignedDuration;
use tokio::sync::watch;

use crate::support::data::{WEBHOOK, visitor};
use crate::support::desk::{Desk, NOON, webhook_settings};
use crate::support::receiver::{Answer, Receiver};

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn webhook(receiver: &Receiver) -> Webhook {
    Webhook::new(&webhook_settings(&receiver.url)).unwrap()
}

/// Also what was claimed before, by a worker that is gone.
#[tokio::test]
async fn what_was_planned_before_the_clock_was_set_back_is_brought_back() {
    let (desk, receiver) = (Desk::new().await, Receiver::accepting().await);
    desk.add(visitor(), WEBHOOK).await;
    let lease = Duration::from_secs(20);
    let lost = desk.store.claim(WEBHOOK, 8, lease, desk.now()).await;
    assert_eq!(lost.unwrap().len(), 1);
    desk.turn_clock_to(*NOON - DAY - DAY);
    let worker = desk.worker(webhook(&receiver));
    assert_eq!(worker.drain().await, 0);
    desk.store.bring_back_plans(desk.now()).await.unwrap();
    assert_eq!(worker.drain().await, 1);
}

#[tokio::test]
async fn a_pause_that_an_attempt_may_have_is_left_as_it_is() {
    let desk = Desk::new().await;
    let receiver = Receiver::start(|_| Answer::Status(500)).await;
    desk.add(visitor(), WEBHOOK).await;
    let worker = desk.worker(webhook(&receiver));
    for attempt in 1..DELAYS.len() {
        assert_eq!(worker.drain().await, 1);
        let planned = desk.only_delivery().await.next_attempt_at;
        desk.store.bring_back_plans(desk.now()).await.unwrap();
        assert_eq!(
            desk.only_delivery().await.next_attempt_at,
            planned,
            "{attempt}"
        );
        desk.turn_clock_to(planned.unwrap());
    }
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
