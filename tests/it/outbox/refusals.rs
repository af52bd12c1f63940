//! Refused mails: a wrong address of a visitor ends it, everything else is tried again.
//! `mail::reply` has the codes.

use frontdoor::config::MailSettings;
use frontdoor::store::{Delivery, DeliveryKind, DeliveryState, Subscribed};

use crate::support::data::visitor;
use crate::support::mail_server::{MailServer, Step};
use crate::support::test_store::{TestStore, mail_settings};

const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];
const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];

fn settings(server: &MailServer) -> MailSettings {
    mail_settings(&format!("smtp://user:word@{}", server.address))
}

/// A server with one refusal, and what became of a mail to the visitor.
async fn refused_at(step: Step, words: &'static str, kinds: &[DeliveryKind]) -> Delivery {
    let test = TestStore::at_noon().await;
    let server = MailServer::answering(step, words);
    test.add_with(visitor(), kinds, None).await;
    let worker = test.worker(test.mailer(&settings(&server)));
    assert_eq!(worker.drain().await, 1);
    test.only_delivery().await
}

#[tokio::test]
async fn a_refusal_that_is_not_about_the_address_is_tried_again() {
    for (step, words) in [
        (Step::Greeting, "554 no service for you"),
        (Step::Login, "535 5.7.8 wrong password"),
        (Step::From, "550 5.7.1 sender not allowed"),
        (Step::Recipient, "450 try later"),
        (Step::Recipient, "554 5.7.1 relay access denied"),
        (Step::Data, "554 no"),
        (Step::Message, "550 spam"),
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
        (Step::Recipient, "550-5.1.1 no such user\r\n550 5.1.1 here"),
        (Step::Message, "550 5.1.1 no such user"),
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
async fn a_mail_server_whose_name_cannot_be_resolved_is_reported_as_that() {
    for scheme in ["smtp", "smtps"] {
        let test = TestStore::at_noon().await;
        test.add_with(visitor(), NOTIFY, None).await;
        let url = format!("{scheme}://{}.test", "x".repeat(64));
        let worker = test.worker(test.mailer(&mail_settings(&url)));
        worker.drain().await;
        let reason = "the mail server cannot be used: its name cannot be resolved";
        let told = test.only_delivery().await.last_error;
        assert_eq!(told.as_deref(), Some(reason), "{scheme}");
    }
}

#[tokio::test]
async fn a_mail_servers_words_are_never_kept() {
    for (step, words) in [
        (Step::Recipient, "550 ada@example.org is unknown"),
        (Step::Recipient, "ada@example.org is not an SMTP answer"),
        (Step::Greeting, "hello ada@example.org"),
    ] {
        let delivery = refused_at(step, words, AUTO_REPLY).await;
        let reason = delivery.last_error.unwrap();
        for word in ["ada", "unknown", "hello"] {
            assert!(!reason.contains(word), "{words}: {reason}");
        }
    }
}

#[tokio::test]
async fn a_new_request_after_a_failed_confirmation_sends_one_at_once() {
    for (words, state) in [
        ("550 no such user", DeliveryState::GivenUp),
        ("450 not now", DeliveryState::Pending),
    ] {
        let test = TestStore::at_noon().await;
        let refusing = MailServer::answering(Step::Recipient, words);
        let subscribe = || test.subscribe(visitor().email);
        assert_eq!(subscribe().await, Subscribed::Invited);
        test.worker(test.mailer(&settings(&refusing))).drain().await;
        assert_eq!(test.only_delivery().await.state, state);

        let willing = MailServer::start();
        let worker = test.worker(test.mailer(&settings(&willing)));
        assert_eq!(worker.drain().await, 0, "nothing is due by itself");
        assert_eq!(subscribe().await, Subscribed::Invited, "{words}");
        assert_eq!(subscribe().await, Subscribed::Unchanged, "one waits");
        assert_eq!(worker.drain().await, 1);
        assert_eq!(test.only_delivery().await.state, DeliveryState::Delivered);
        assert_eq!(willing.heard("RCPT").len(), 1);
        assert_eq!(subscribe().await, Subscribed::Unchanged, "it's there");
    }
}
