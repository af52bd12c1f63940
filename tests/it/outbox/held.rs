//! The owner hears of what is held back, without being flooded.

use frontdoor::domain::HoldReason;
use frontdoor::outbox::mail::Mailer;
use frontdoor::store::{DeliveryKind, DeliveryState, HELD_NOTICE_PAUSE};
use mail_parser::MessageParser;

use crate::support::data::visitor;
use crate::support::desk::{Desk, NOON, mail_settings};
use crate::support::mail_server::MailServer;

const BY_MAIL: &[DeliveryKind] = &[DeliveryKind::Webhook, DeliveryKind::Notify];
const DECOY: Option<HoldReason> = Some(HoldReason::Decoy);

async fn notices(desk: &Desk) -> usize {
    let all = desk.deliveries().await;
    let notices = all
        .iter()
        .filter(|each| each.kind == DeliveryKind::HeldNotice);
    notices.count()
}

#[tokio::test]
async fn the_owner_is_told_how_to_look_and_release_in_none_of_the_visitors_words() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let id = desk.add_held(visitor(), BY_MAIL, DECOY).await;
    let worker = desk.worker(Mailer::new(&mail_settings(server.url.clone())).unwrap());
    assert_eq!(worker.drain().await, 1);

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_to, ["owner@site.example"]);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let text = message.body_text(0).unwrap().into_owned();
    for command in [
        "frontdoor leads list --held".to_owned(),
        format!("frontdoor leads release {id}"),
    ] {
        assert!(text.contains(&command), "{text}");
    }
    let whole = format!(
        "{} {text} {}",
        message.subject().unwrap(),
        message.body_html(0).unwrap()
    );
    for word in ["Ada", "Lovelace", "ada@", "Hello"] {
        assert!(!whole.contains(word), "{word} in {whole}");
    }
    assert!(message.reply_to().is_none());
    let held = desk.deliveries().await.into_iter();
    let held = held.filter(|each| each.state == DeliveryState::Held);
    assert_eq!(held.count(), 2, "the lead itself still waits");
}

#[tokio::test]
async fn a_flood_brings_one_notice_an_hour_and_mail_that_is_off_brings_none() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let worker = desk.worker(Mailer::new(&mail_settings(server.url.clone())).unwrap());
    for _ in 0..20 {
        desk.add_held(visitor(), BY_MAIL, DECOY).await;
    }
    assert_eq!(notices(&desk).await, 1);
    assert_eq!(worker.drain().await, 1);
    desk.turn_clock_to(*NOON + HELD_NOTICE_PAUSE * 2);
    desk.add_held(visitor(), BY_MAIL, DECOY).await;
    assert_eq!(worker.drain().await, 1);
    desk.turn_clock_to(*NOON - HELD_NOTICE_PAUSE * 9);
    desk.add_held(visitor(), BY_MAIL, DECOY).await;
    desk.turn_clock_to(desk.now() + HELD_NOTICE_PAUSE);
    assert_eq!(worker.drain().await, 1, "also when the clock was set back");

    let desk = Desk::new().await;
    desk.add(visitor(), BY_MAIL).await;
    desk.add_held(visitor(), &[DeliveryKind::Webhook], DECOY)
        .await;
    assert_eq!(notices(&desk).await, 0);
}

#[tokio::test]
async fn what_is_held_within_the_hour_is_told_of_at_its_end_with_the_number() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let worker = desk.worker(Mailer::new(&mail_settings(server.url.clone())).unwrap());
    desk.add_held(visitor(), BY_MAIL, DECOY).await;
    worker.drain().await;
    for _ in 0..2 {
        desk.turn_clock_to(desk.now() + HELD_NOTICE_PAUSE / 4);
        desk.add_held(visitor(), BY_MAIL, DECOY).await;
    }
    assert_eq!(worker.drain().await, 0, "not within the hour");
    desk.turn_clock_to(*NOON + HELD_NOTICE_PAUSE);
    assert_eq!(worker.drain().await, 1);
    let mail = server.taken().remove(1);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let text = message.body_text(0).unwrap();
    assert!(text.starts_with("3 messages"), "{text}");
}

#[tokio::test]
async fn releasing_the_last_held_lead_takes_back_the_notice_that_waits() {
    let desk = Desk::new().await;
    let first = desk.add_held(visitor(), BY_MAIL, DECOY).await;
    let second = desk.add_held(visitor(), BY_MAIL, DECOY).await;
    desk.store.unhold(&first, desk.now()).await.unwrap();
    assert_eq!(notices(&desk).await, 1, "one is still held");
    desk.store.unhold(&second, desk.now()).await.unwrap();
    assert_eq!(notices(&desk).await, 0);
}
