//! Mails to the owner and to visitors, as a mail server and a mail program see them. If they are
//! refused, a wrong address of a visitor ends it, and everything else is tried again: `mail::reply`
//! has the codes.

use std::time::Duration;

use frontdoor::config::MailSettings;
use frontdoor::content::site;
use frontdoor::domain::ContactForm;
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::Sender as _;
use frontdoor::store::{
    About, Claim, Delivery, DeliveryKind, DeliveryState, HELD_NOTICE_PAUSE, Subscribed,
};
use mail_parser::Address;

use crate::support::{HELD, MailServer, NOON, Step, TestStore, mail_settings, visitor};

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];
const LEASE: Duration = Duration::from_secs(20);
const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];

fn mailer(test: &TestStore, server: &MailServer) -> Mailer {
    test.mailer(&mail_settings(&server.url))
}

async fn claim_one(test: &TestStore) -> Claim {
    let claims = test.store.claim(NOTIFY, 1, LEASE, test.now());
    claims.await.unwrap().remove(0)
}

fn only<'a>(address: Option<&'a Address<'a>>) -> (Option<&'a str>, &'a str) {
    let address = address.expect("the header is there");
    assert_eq!(address.clone().into_list().len(), 1);
    let first = address.first().unwrap();
    (first.name(), first.address().unwrap())
}

#[tokio::test]
async fn the_owner_is_told_and_can_reply_to_the_visitor() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let form = ContactForm {
        name: "Zoë \"Z\" O'Neill, Ltd <b>",
        phone: "+1 416 555 0100",
        message: "First line\n.\n<script>alert(1)</script> & 🍁",
        ..visitor()
    };
    let id = test.add_with(form, NOTIFY, None).await;
    test.worker(mailer(&test, &server)).drain().await;

    assert_eq!(test.only_delivery().await.state, DeliveryState::Delivered);
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, "desk@site.example");
    assert_eq!(mail.envelope_to, ["owner@site.example"]);
    let message = mail.message();
    let from = (Some("Front Desk"), "desk@site.example");
    assert_eq!(only(message.from()), from);
    assert_eq!(only(message.to()), (None, "owner@site.example"));
    let reply_to = (Some(form.name), "ada@example.org");
    assert_eq!(only(message.reply_to()), reply_to);
    let subject = format!("New message from {} ({})", form.name, site().name);
    assert_eq!(mail.subject(), subject);
    assert_eq!(message.date().unwrap().to_timestamp(), NOON.as_second());

    let (text, html) = (mail.text(), mail.html());
    assert!(text.contains(form.message), "{text}");
    assert!(text.contains("Phone: +1 416 555 0100") && text.contains(&id));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; 🍁"));
    assert!(!html.contains("<script>") && !html.contains("<b>"));
}

#[tokio::test]
async fn the_visitor_is_thanked_with_the_booking_link_and_none_of_their_words() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    test.add_with(visitor(), AUTO_REPLY, None).await;
    test.worker(mailer(&test, &server)).drain().await;

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_to, ["ada@example.org"]);
    let message = mail.message();
    assert_eq!(only(message.to()), (None, "ada@example.org"));
    assert_eq!(only(message.reply_to()), (None, site().email.as_str()));
    let automatic = message.header_raw("Auto-Submitted").map(str::trim);
    assert_eq!(automatic, Some("auto-replied"));
    for body in [mail.text(), mail.html()] {
        assert!(body.contains(&site().booking_url) && body.contains(&site().location));
        assert!(body.contains("Thank you for your message! We will get back to you soon."));
        assert!(!body.contains("Ada") && !body.contains("Hello\nthere"));
    }
}

#[tokio::test]
async fn an_international_domain_is_written_in_ascii_and_a_mailbox_waits_for_a_server_that_takes_it()
 {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let form = ContactForm {
        email: "info@müller.de",
        ..visitor()
    };
    test.add_with(form, &[AUTO_REPLY, NOTIFY].concat(), None)
        .await;
    assert_eq!(test.worker(mailer(&test, &server)).drain().await, 2);
    for mail in server.taken() {
        match mail.envelope_to[0].as_str() {
            "info@xn--mller-kva.de" => assert!(mail.data.is_ascii()),
            "owner@site.example" => {
                let message = mail.message();
                assert_eq!(only(message.reply_to()).1, "info@xn--mller-kva.de");
            }
            other => panic!("to {other}"),
        }
    }

    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let form = ContactForm {
        email: "jörg@example.org",
        ..visitor()
    };
    test.add_with(form, AUTO_REPLY, None).await;
    test.worker(mailer(&test, &server)).drain().await;
    let reply = test.only_delivery().await;
    assert_eq!(reply.state, DeliveryState::Pending);
    let reason = "the mail server takes no international addresses";
    assert_eq!(reply.last_error.as_deref(), Some(reason));
    test.add_with(form, NOTIFY, None).await;
    test.worker(mailer(&test, &server)).drain().await;
    let mail = server.taken().remove(0);
    assert!(mail.message().reply_to().is_none());
    for body in [mail.text(), mail.html()] {
        assert!(body.contains("jörg@example.org"), "{body}");
        assert!(!body.contains("Reply to this mail"), "{body}");
    }
}

#[tokio::test]
async fn retries_of_one_mail_carry_one_message_id() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    test.add_with(visitor(), NOTIFY, None).await;
    let claim = claim_one(&test).await;
    let mailer = mailer(&test, &server);
    mailer.send(&claim, *NOON).await;
    mailer.send(&claim, *NOON).await;
    assert_eq!(server.taken().len(), 2);
    for mail in server.taken() {
        let id = format!("{}@site.example", claim.delivery_id);
        assert_eq!(mail.message().message_id(), Some(id.as_str()));
    }
}

/// A row written by somebody else, with none of our rules applied.
async fn hostile_claim(test: &TestStore, name: &str, email: &str) -> Claim {
    test.add_with(visitor(), NOTIFY, None).await;
    let mut claim = claim_one(test).await;
    let About::Lead(lead) = &mut claim.about else {
        panic!("not about a lead");
    };
    (lead.name, lead.email) = (name.into(), email.into());
    lead.phone = Some("1\r\nBcc: all@evil.example".into());
    lead.message = "Hello\r\n.\r\nMAIL FROM:<x@evil.example>\r\n".into();
    lead.form_location = "contact\r\nBcc: all@evil.example".into();
    claim
}

#[tokio::test]
async fn no_field_can_add_a_header_or_a_recipient() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let mailer = mailer(&test, &server);
    let (eve, all) = ("eve@example.org", "all@evil.example");
    let hostile = [
        ("Eve\r\nBcc: all@evil.example", eve),
        ("Eve\nSubject: other", &format!("{eve}\r\nBcc: {all}")),
        ("\"Eve\" <all@evil.example>, x", &format!("{eve},{all}")),
        (
            "=?utf-8?q?Eve=0D=0ABcc:_x@evil.example?=",
            "<all@evil.example>",
        ),
        ("\u{0}\u{1b}[31mEve", "eve@exämple.org"),
        (&"long ".repeat(300), eve),
    ];
    for (name, email) in hostile {
        let claim = hostile_claim(&test, name, email).await;
        mailer.send(&claim, *NOON).await;
    }
    let taken = server.taken();
    assert_eq!(taken.len(), hostile.len());
    for mail in taken {
        assert_eq!(mail.envelope_to, ["owner@site.example"]);
        let message = mail.message();
        let headers = message.headers();
        let count = |name: &str| headers.iter().filter(|each| each.name() == name).count();
        let counts = ["Subject", "To", "Bcc", "Cc"].map(count);
        assert_eq!(counts, [1, 1, 0, 0]);
        assert!(count("Reply-To") <= 1);
        assert_eq!(only(message.to()), (None, "owner@site.example"));
        if let Some(reply_to) = message.reply_to() {
            let known = ["eve@example.org", "eve@xn--exmple-cua.org"];
            assert!(known.contains(&only(Some(reply_to)).1));
        }
        assert!(mail.text().contains("MAIL FROM:<x@evil.example>"));
    }
}

fn mailer_to(test: &TestStore, server: &MailServer, to: &[&str]) -> Mailer {
    let settings = MailSettings {
        notify: Some(to.iter().map(|to| to.parse().unwrap()).collect()),
        ..mail_settings(&server.url)
    };
    test.mailer(&settings)
}

fn recipients(server: &MailServer) -> Vec<String> {
    let taken = server.taken().into_iter();
    taken.flat_map(|mail| mail.envelope_to).collect()
}

#[tokio::test]
async fn everybody_gets_one_mail_and_sees_who_else_did() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    test.add_with(visitor(), NOTIFY, None).await;
    let to = ["a@site.example", "Bea <b@site.example>", "c@site.example"];
    assert_eq!(test.worker(mailer_to(&test, &server, &to)).drain().await, 1);
    let mail = server.taken().remove(0);
    let all = ["a@site.example", "b@site.example", "c@site.example"];
    assert_eq!(mail.envelope_to, all);
    assert_eq!(mail.message().to().unwrap().clone().into_list().len(), 3);
    assert_eq!(test.only_delivery().await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn a_refused_address_is_tried_again_alone_until_it_is_taken_off_the_list() {
    for is_taken_off in [false, true] {
        let test = TestStore::at_noon().await;
        let server = MailServer::without("bad@site.example");
        test.add_with(visitor(), NOTIFY, None).await;
        let to = ["good@site.example", "bad@site.example"];
        let worker = test.worker(mailer_to(&test, &server, &to));
        // Named in no reason.
        for reason in [
            "1 of 2 addresses not taken: the mail server answered 550",
            "the mail server answered 550",
            "the mail server answered 550",
        ] {
            worker.drain().await;
            let waiting = test.only_delivery().await;
            assert_eq!(waiting.state, DeliveryState::Pending);
            assert_eq!(waiting.last_error.as_deref(), Some(reason));
            test.set_time(waiting.next_attempt_at.unwrap());
        }
        assert_eq!(recipients(&server), ["good@site.example"], "once");
        let fixed = MailServer::start();
        let to = if is_taken_off { &to[..1] } else { &to };
        test.worker(mailer_to(&test, &fixed, to)).drain().await;
        assert_eq!(test.only_delivery().await.state, DeliveryState::Delivered);
        let rest = if is_taken_off {
            &[][..]
        } else {
            &["bad@site.example"]
        };
        assert_eq!(recipients(&fixed), rest, "only the one left");
    }
}

const BY_MAIL: &[DeliveryKind] = &[DeliveryKind::Webhook, DeliveryKind::Notify];

async fn notices(test: &TestStore) -> usize {
    let all = test.deliveries().await.into_iter();
    all.filter(|each| each.kind == DeliveryKind::HeldNotice)
        .count()
}

#[tokio::test]
async fn the_owner_is_told_how_to_look_and_release_in_none_of_the_visitors_words() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let id = test.add_with(visitor(), BY_MAIL, HELD).await;
    let worker = test.worker(mailer(&test, &server));
    assert_eq!(worker.drain().await, 1);

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_to, ["owner@site.example"]);
    let text = mail.text();
    for command in [
        "frontdoor leads list --held".to_owned(),
        format!("frontdoor leads release {id}"),
    ] {
        assert!(text.contains(&command), "{text}");
    }
    let whole = format!("{} {text} {}", mail.subject(), mail.html());
    for word in ["Ada", "Lovelace", "ada@", "Hello"] {
        assert!(!whole.contains(word), "{word} in {whole}");
    }
    assert!(mail.message().reply_to().is_none());
    let held = test.deliveries().await.into_iter();
    let held = held.filter(|each| each.state == DeliveryState::Held);
    assert_eq!(held.count(), 2, "the lead itself still waits");
}

#[tokio::test]
async fn held_leads_bring_one_notice_an_hour_with_their_number_and_mail_that_is_off_brings_none() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let worker = test.worker(mailer(&test, &server));
    test.add_with(visitor(), BY_MAIL, HELD).await;
    assert_eq!(worker.drain().await, 1);
    for _ in 0..2 {
        test.set_time(test.now() + HELD_NOTICE_PAUSE / 4);
        test.add_with(visitor(), BY_MAIL, HELD).await;
    }
    assert_eq!(worker.drain().await, 0, "not within the hour");
    test.set_time(*NOON + HELD_NOTICE_PAUSE);
    assert_eq!(worker.drain().await, 1);
    let text = server.taken()[1].text();
    assert!(text.starts_with("3 messages"), "{text}");

    let test = TestStore::at_noon().await;
    test.add_with(visitor(), BY_MAIL, None).await;
    test.add_held(visitor()).await;
    assert_eq!(notices(&test).await, 0);
}

#[tokio::test]
async fn releasing_the_last_held_lead_takes_back_the_notice_that_waits() {
    let test = TestStore::at_noon().await;
    let first = test.add_with(visitor(), BY_MAIL, HELD).await;
    let second = test.add_with(visitor(), BY_MAIL, HELD).await;
    test.store.unhold(&first, test.now()).await.unwrap();
    assert_eq!(notices(&test).await, 1, "one is still held");
    test.store.unhold(&second, test.now()).await.unwrap();
    assert_eq!(notices(&test).await, 0);
}

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
