//! Whose fault a refused mail is: the recipient's address ends it, anything
//! else is tried again.

use frontdoor::config::MailSettings;
use frontdoor::outbox::mail::Mailer;
use frontdoor::store::{Delivery, DeliveryKind, DeliveryState, Subscribed};

use crate::support::data::visitor;
use crate::support::desk::{Desk, mail_settings};
use crate::support::scripted_smtp::{ScriptedServer, Step};

const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];
const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];

fn settings(server: &ScriptedServer) -> MailSettings {
    mail_settings(format!("smtp://user:word@{}", server.address))
}

/// A server with one refusal, and what became of a mail to the visitor.
async fn refused_at(step: Step, words: &'static str, kinds: &[DeliveryKind]) -> Delivery {
    let desk = Desk::new().await;
    let server = ScriptedServer::start(move |now, _| (now == step).then(|| words.to_owned()));
    desk.add(visitor(), kinds).await;
    let worker = desk.worker(Mailer::new(&settings(&server)).unwrap());
    assert_eq!(worker.drain().await, 1);
    desk.only_delivery().await
}

#[tokio::test]
async fn what_is_no_fault_of_the_address_is_tried_again() {
    for (step, words) in [
        (Step::Greeting, "554 no service for you"),
        (Step::Login, "535 5.7.8 wrong password"),
        (Step::From, "550 5.7.1 sender not allowed"),
        (Step::From, "501 bad sender"),
        (Step::Recipient, "450 try later"),
        (Step::Recipient, "530 5.7.0 log in first"),
        (Step::Recipient, "554 5.7.1 relay access denied"),
        (Step::Recipient, "550 5.1.8 bad sender's domain"),
        (Step::Data, "554 no"),
        (Step::Message, "554 5.6.0 cannot take this message"),
        (Step::Message, "550 spam"),
        (Step::Message, "550 5.1.7 bad sender"),
        (Step::Message, "552 5.3.4 too big"),
    ] {
        let delivery = refused_at(step, words, AUTO_REPLY).await;
        assert_eq!(delivery.state, DeliveryState::Pending, "{step:?} {words}");
        assert!(delivery.next_attempt_at.is_some());
    }
}

#[tokio::test]
async fn a_wrong_address_is_given_up_unless_it_is_the_owners() {
    for (step, words) in [
        (Step::Recipient, "550 no such user"),
        (Step::Recipient, "553 5.1.3 bad address"),
        (Step::Recipient, "550-5.1.1 no such user\r\n550 5.1.1 here"),
        (Step::Message, "550 5.1.1 no such user"),
        (Step::Message, "550 5.2.1 mailbox disabled"),
    ] {
        let reply = refused_at(step, words, AUTO_REPLY).await;
        assert_eq!(reply.state, DeliveryState::GivenUp, "{step:?} {words}");
        assert!(reply.is_refused(), "{step:?} {words}");
        let notice = refused_at(step, words, NOTIFY).await;
        assert_eq!(notice.state, DeliveryState::Pending, "{step:?} {words}");
    }
}

/// A label this long is refused by the resolver itself: no name server is asked.
#[tokio::test]
async fn a_mail_server_whose_name_leads_nowhere_is_told_as_that() {
    for scheme in ["smtp", "smtps"] {
        let desk = Desk::new().await;
        desk.add(visitor(), NOTIFY).await;
        let url = format!("{scheme}://{}.test", "x".repeat(64));
        let worker = desk.worker(Mailer::new(&mail_settings(url)).unwrap());
        worker.drain().await;
        assert_eq!(
            desk.only_delivery().await.last_error.as_deref(),
            Some("the mail server cannot be used: its name cannot be resolved"),
            "{scheme}"
        );
    }
}

#[tokio::test]
async fn a_mail_servers_words_are_never_kept() {
    for (step, words) in [
        (Step::Recipient, "550 ada@example.org is unknown"),
        (Step::Recipient, "ada@example.org is not an SMTP answer"),
        (Step::Recipient, "2x0 ada@example.org"),
        (Step::Message, "55 ada@example.org"),
        (Step::Greeting, "hello ada@example.org"),
    ] {
        let delivery = refused_at(step, words, AUTO_REPLY).await;
        let reason = delivery.last_error.unwrap();
        assert!(!reason.contains("ada"), "{words}: {reason}");
        assert!(
            !reason.contains("unknown") && !reason.contains("hello"),
            "{reason}"
        );
    }
}

#[tokio::test]
async fn who_asks_again_after_a_failed_confirmation_gets_one_at_once() {
    for (words, state) in [
        ("550 no such user", DeliveryState::GivenUp),
        ("450 not now", DeliveryState::Pending),
    ] {
        let desk = Desk::new().await;
        let refusing = ScriptedServer::start(move |step, _| {
            (step == Step::Recipient).then(|| words.to_owned())
        });
        assert_eq!(desk.subscribe().await, Subscribed::Invited);
        desk.worker(Mailer::new(&settings(&refusing)).unwrap())
            .drain()
            .await;
        assert_eq!(desk.only_delivery().await.state, state);

        let willing = ScriptedServer::start(|_, _| None);
        let worker = desk.worker(Mailer::new(&settings(&willing)).unwrap());
        assert_eq!(worker.drain().await, 0, "nothing is due by itself");
        assert_eq!(desk.subscribe().await, Subscribed::Invited, "{words}");
        assert_eq!(
            desk.subscribe().await,
            Subscribed::Unchanged,
            "one is on its way"
        );
        assert_eq!(worker.drain().await, 1);
        assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
        assert_eq!(willing.heard("RCPT").len(), 1);
        assert_eq!(
            desk.subscribe().await,
            Subscribed::Unchanged,
            "it has arrived"
        );
    }
}
