//! Several people are told of each lead: one bad address keeps nobody else
//! from it, and a retry is for whoever does not have it yet.

use frontdoor::config::MailSettings;
use frontdoor::outbox::mail::Mailer;
use frontdoor::store::{DeliveryKind, DeliveryState};
use mail_parser::MessageParser;

use crate::support::data::visitor;
use crate::support::desk::{Desk, mail_settings};
use crate::support::mail_server::MailServer;

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];

fn mailer(server: &MailServer, to: &[&str]) -> Mailer {
    let settings = MailSettings {
        notify: Some(to.iter().map(|to| to.parse().unwrap()).collect()),
        ..mail_settings(server.url.clone())
    };
    Mailer::new(&settings).unwrap()
}

fn recipients(server: &MailServer) -> Vec<String> {
    let taken = server.taken().into_iter();
    taken.flat_map(|mail| mail.envelope_to).collect()
}

#[tokio::test]
async fn everybody_gets_one_mail_and_sees_who_else_did() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    desk.add(visitor(), NOTIFY).await;
    let to = ["a@site.example", "Bea <b@site.example>", "c@site.example"];
    assert_eq!(desk.worker(mailer(&server, &to)).drain().await, 1);
    let mail = server.taken().remove(0);
    assert_eq!(
        mail.envelope_to,
        ["a@site.example", "b@site.example", "c@site.example"]
    );
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert_eq!(message.to().unwrap().clone().into_list().len(), 3);
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn a_refused_address_is_tried_again_alone_and_named_in_no_reason() {
    let desk = Desk::new().await;
    let server = MailServer::start(Some("bad@site.example"));
    desk.add(visitor(), NOTIFY).await;
    let to = ["bad@site.example", "good@site.example"];
    let worker = desk.worker(mailer(&server, &to));
    for _ in 0..4 {
        worker.drain().await;
        let waiting = desk.only_delivery().await;
        assert_eq!(waiting.state, DeliveryState::Pending);
        desk.turn_clock_to(waiting.next_attempt_at.unwrap());
    }
    assert_eq!(recipients(&server), ["good@site.example"], "once");
    let reason = desk.only_delivery().await.last_error.unwrap();
    assert_eq!(reason, "the mail server answered 550");

    let mended = MailServer::start(None);
    desk.worker(mailer(&mended, &to)).drain().await;
    assert_eq!(recipients(&mended), ["bad@site.example"], "the one left");
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn who_is_taken_off_the_list_is_waited_for_no_longer() {
    let desk = Desk::new().await;
    let server = MailServer::start(Some("bad@site.example"));
    desk.add(visitor(), NOTIFY).await;
    let to = ["good@site.example", "bad@site.example"];
    desk.worker(mailer(&server, &to)).drain().await;
    let waiting = desk.only_delivery().await;
    assert_eq!(
        waiting.last_error.as_deref(),
        Some("1 of 2 addresses not taken: the mail server answered 550")
    );
    desk.turn_clock_to(waiting.next_attempt_at.unwrap());
    desk.worker(mailer(&server, &to[..1])).drain().await;
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
    assert_eq!(recipients(&server), ["good@site.example"]);
}
