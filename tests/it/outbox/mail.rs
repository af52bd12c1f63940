//! Mails to the owner and to visitors, as a mail server and a mail program see them.

use std::time::Duration;

use frontdoor::config::MailSettings;
use frontdoor::content::SITE;
use frontdoor::domain::{ContactForm, HoldReason};
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::Sender as _;
use frontdoor::store::{About, Claim, DeliveryKind, DeliveryState, HELD_NOTICE_PAUSE};
use mail_parser::{Address, MessageParser};

use crate::support::data::visitor;
use crate::support::desk::{Desk, NOON, mail_settings};
use crate::support::mail_server::MailServer;

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];
const LEASE: Duration = Duration::from_secs(20);
const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];

fn mailer(desk: &Desk, server: &MailServer) -> Mailer {
    desk.mailer(&mail_settings(server.url.clone()))
}

async fn claim_one(desk: &Desk) -> Claim {
    let claims = desk.store.claim(NOTIFY, 1, LEASE, desk.now());
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
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let form = ContactForm {
        name: "Zoë \"Z\" O'Neill, Ltd <b>",
        phone: "+1 416 555 0100",
        message: "First line\n.\n<script>alert(1)</script> & 🍁",
        ..visitor()
    };
    let id = desk.add(form, NOTIFY).await;
    desk.worker(mailer(&desk, &server)).drain().await;

    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, "desk@site.example");
    assert_eq!(mail.envelope_to, ["owner@site.example"]);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert_eq!(
        only(message.from()),
        (Some("Front Desk"), "desk@site.example")
    );
    assert_eq!(only(message.to()), (None, "owner@site.example"));
    assert_eq!(
        only(message.reply_to()),
        (Some(form.name), "ada@example.org")
    );
    let subject = format!("New message from {} ({})", form.name, SITE.name);
    assert_eq!(message.subject(), Some(subject.as_str()));
    assert_eq!(message.date().unwrap().to_timestamp(), NOON.as_second());

    let text = message.body_text(0).unwrap().replace("\r\n", "\n");
    assert!(text.contains(form.message), "{text}");
    assert!(text.contains("Phone: +1 416 555 0100") && text.contains(&id));
    let html = message.body_html(0).unwrap();
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; 🍁"));
    assert!(!html.contains("<script>") && !html.contains("<b>"));
}

#[tokio::test]
async fn the_visitor_is_thanked_with_the_booking_link_and_none_of_their_words() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    desk.add(visitor(), AUTO_REPLY).await;
    desk.worker(mailer(&desk, &server)).drain().await;

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_to, ["ada@example.org"]);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert_eq!(only(message.to()), (None, "ada@example.org"));
    assert_eq!(only(message.reply_to()), (None, SITE.email.as_str()));
    assert_eq!(
        message.header_raw("Auto-Submitted").map(str::trim),
        Some("auto-replied")
    );
    let text = message.body_text(0).unwrap();
    let html = message.body_html(0).unwrap();
    for body in [&text, &html] {
        assert!(body.contains(&SITE.booking_url) && body.contains(&SITE.location));
        assert!(body.contains("Thank you for your message! We will get back to you soon."));
        assert!(!body.contains("Ada") && !body.contains("Hello\nthere"));
    }
}

#[tokio::test]
async fn an_international_domain_is_written_in_ascii_and_needs_nothing_of_the_server() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let form = ContactForm {
        email: "info@müller.de",
        ..visitor()
    };
    desk.add(form, &[DeliveryKind::AutoReply, DeliveryKind::Notify])
        .await;
    assert_eq!(desk.worker(mailer(&desk, &server)).drain().await, 2);
    let taken = server.taken();
    let reply = taken
        .iter()
        .find(|mail| mail.envelope_to == ["info@xn--mller-kva.de"]);
    assert!(reply.unwrap().data.is_ascii());
    let notice = taken
        .iter()
        .find(|mail| mail.envelope_to == ["owner@site.example"]);
    let message = MessageParser::new().parse(&notice.unwrap().data).unwrap();
    assert_eq!(only(message.reply_to()).1, "info@xn--mller-kva.de");
}

#[tokio::test]
async fn an_international_mailbox_waits_for_a_server_that_takes_it() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let form = ContactForm {
        email: "jörg@example.org",
        ..visitor()
    };
    desk.add(form, AUTO_REPLY).await;
    desk.worker(mailer(&desk, &server)).drain().await;
    let reply = desk.only_delivery().await;
    assert_eq!(reply.state, DeliveryState::Pending);
    assert_eq!(
        reply.last_error.as_deref(),
        Some("the mail server takes no international addresses")
    );

    desk.add(form, NOTIFY).await;
    desk.worker(mailer(&desk, &server)).drain().await;
    let mail = server.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert!(message.reply_to().is_none());
    for body in [message.body_text(0).unwrap(), message.body_html(0).unwrap()] {
        assert!(body.contains("jörg@example.org"), "{body}");
        assert!(!body.contains("Reply to this mail"), "{body}");
    }
}

#[tokio::test]
async fn retries_of_one_mail_carry_one_message_id() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    desk.add(visitor(), NOTIFY).await;
    let claim = claim_one(&desk).await;
    let mailer = mailer(&desk, &server);
    mailer.send(&claim, *NOON).await;
    mailer.send(&claim, *NOON).await;
    let taken = server.taken();
    assert_eq!(taken.len(), 2);
    for mail in taken {
        let message = MessageParser::new().parse(&mail.data).unwrap();
        let id = format!("{}@site.example", claim.delivery_id);
        assert_eq!(message.message_id(), Some(id.as_str()));
    }
}

/// A row written by somebody else, with none of our rules applied.
async fn hostile_claim(desk: &Desk, name: &str, email: &str) -> Claim {
    desk.add(visitor(), NOTIFY).await;
    let mut claim = claim_one(desk).await;
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
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let mailer = mailer(&desk, &server);
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
        let claim = hostile_claim(&desk, name, email).await;
        mailer.send(&claim, *NOON).await;
    }
    let taken = server.taken();
    assert_eq!(taken.len(), hostile.len());
    for mail in taken {
        assert_eq!(mail.envelope_to, ["owner@site.example"]);
        let message = MessageParser::new().parse(&mail.data).unwrap();
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
        let text = message.body_text(0).unwrap();
        assert!(text.contains("MAIL FROM:<x@evil.example>"), "{text}");
    }
}

fn mailer_to(desk: &Desk, server: &MailServer, to: &[&str]) -> Mailer {
    let settings = MailSettings {
        notify: Some(to.iter().map(|to| to.parse().unwrap()).collect()),
        ..mail_settings(server.url.clone())
    };
    desk.mailer(&settings)
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
    assert_eq!(desk.worker(mailer_to(&desk, &server, &to)).drain().await, 1);
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
    let worker = desk.worker(mailer_to(&desk, &server, &to));
    for _ in 0..4 {
        worker.drain().await;
        let waiting = desk.only_delivery().await;
        assert_eq!(waiting.state, DeliveryState::Pending);
        desk.turn_clock_to(waiting.next_attempt_at.unwrap());
    }
    assert_eq!(recipients(&server), ["good@site.example"], "once");
    let reason = desk.only_delivery().await.last_error.unwrap();
    assert_eq!(reason, "the mail server answered 550");

    let fixed = MailServer::start(None);
    desk.worker(mailer_to(&desk, &fixed, &to)).drain().await;
    assert_eq!(recipients(&fixed), ["bad@site.example"], "the one left");
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn an_address_taken_off_the_list_is_waited_for_no_longer() {
    let desk = Desk::new().await;
    let server = MailServer::start(Some("bad@site.example"));
    desk.add(visitor(), NOTIFY).await;
    let to = ["good@site.example", "bad@site.example"];
    desk.worker(mailer_to(&desk, &server, &to)).drain().await;
    let waiting = desk.only_delivery().await;
    assert_eq!(
        waiting.last_error.as_deref(),
        Some("1 of 2 addresses not taken: the mail server answered 550")
    );
    desk.turn_clock_to(waiting.next_attempt_at.unwrap());
    desk.worker(mailer_to(&desk, &server, &to[..1]))
        .drain()
        .await;
    assert_eq!(desk.only_delivery().await.state, DeliveryState::Delivered);
    assert_eq!(recipients(&server), ["good@site.example"]);
}

const BY_MAIL: &[DeliveryKind] = &[DeliveryKind::Webhook, DeliveryKind::Notify];
const DECOY: Option<HoldReason> = Some(HoldReason::Decoy);

async fn notices(desk: &Desk) -> usize {
    let all = desk.deliveries().await.into_iter();
    all.filter(|each| each.kind == DeliveryKind::HeldNotice)
        .count()
}

#[tokio::test]
async fn the_owner_is_told_how_to_look_and_release_in_none_of_the_visitors_words() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let id = desk.add_held(visitor(), BY_MAIL, DECOY).await;
    let worker = desk.worker(mailer(&desk, &server));
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
    let (subject, html) = (message.subject().unwrap(), message.body_html(0).unwrap());
    let whole = format!("{subject} {text} {html}");
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
    let worker = desk.worker(mailer(&desk, &server));
    for _ in 0..20 {
        desk.add_held(visitor(), BY_MAIL, DECOY).await;
    }
    assert_eq!(notices(&desk).await, 1);
    assert_eq!(worker.drain().await, 1);
    desk.turn_clock_to(*NOON + HELD_NOTICE_PAUSE * 2);
    desk.add_held(visitor(), BY_MAIL, DECOY).await;
    assert_eq!(worker.drain().await, 1);

    let desk = Desk::new().await;
    desk.add(visitor(), BY_MAIL).await;
    desk.add_held(visitor(), &[DeliveryKind::Webhook], DECOY)
        .await;
    assert_eq!(notices(&desk).await, 0);
}

#[tokio::test]
async fn what_is_held_within_the_hour_is_told_of_at_its_end_with_the_number() {
    let (desk, server) = (Desk::new().await, MailServer::start(None));
    let worker = desk.worker(mailer(&desk, &server));
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
