//! The owner's notification and the automatic reply, as a mail server and a
//! mail program see them.

use std::time::Duration;

use frontdoor::content::SITE;
use frontdoor::domain::ContactForm;
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::Sender as _;
use frontdoor::store::{About, Claim, DeliveryKind, DeliveryState};
use mail_parser::{Address, MessageParser};

use crate::support::data::visitor;
use crate::support::desk::{Desk, NOON, mail_settings};
use crate::support::mail_server::MailServer;

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];
const LEASE: Duration = Duration::from_secs(20);
const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];

fn mailer(server: &MailServer) -> Mailer {
    Mailer::new(&mail_settings(server.url.clone())).unwrap()
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
    desk.worker(mailer(&server)).drain().await;

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
    desk.worker(mailer(&server)).drain().await;

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
async fn a_refused_visitor_is_given_up_and_a_refused_owner_tried_again() {
    let desk = Desk::new().await;
    let no_visitor = MailServer::start(Some("ada@example.org"));
    desk.add(visitor(), AUTO_REPLY).await;
    desk.worker(mailer(&no_visitor)).drain().await;
    let reply = desk.only_delivery().await;
    assert_eq!(reply.state, DeliveryState::GivenUp);
    assert_eq!(
        reply.last_error.as_deref(),
        Some("the mail server answered 550")
    );

    let desk = Desk::new().await;
    let no_owner = MailServer::start(Some("owner@site.example"));
    desk.add(visitor(), NOTIFY).await;
    desk.worker(mailer(&no_owner)).drain().await;
    let notice = desk.only_delivery().await;
    assert_eq!(notice.state, DeliveryState::Pending);
    assert_eq!(
        notice.last_error.as_deref(),
        Some("the mail server answered 550")
    );
    assert!(no_owner.taken().is_empty());
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
    assert_eq!(desk.worker(mailer(&server)).drain().await, 2);
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
    desk.worker(mailer(&server)).drain().await;
    let reply = desk.only_delivery().await;
    assert_eq!(reply.state, DeliveryState::Pending);
    assert_eq!(
        reply.last_error.as_deref(),
        Some("the mail server takes no international addresses")
    );

    desk.add(form, NOTIFY).await;
    desk.worker(mailer(&server)).drain().await;
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
    let mailer = mailer(&server);
    mailer.send(&claim, *NOON).await;
    mailer.send(&claim, *NOON).await;
    let ids: Vec<_> = server
        .taken()
        .iter()
        .map(|mail| {
            let message = MessageParser::new().parse(&mail.data).unwrap();
            message.message_id().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0], format!("{}@site.example", claim.delivery_id));
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
    let mailer = mailer(&server);
    let hostile = [
        ("Eve\r\nBcc: all@evil.example", "eve@example.org"),
        (
            "Eve\nSubject: other",
            "eve@example.org\r\nBcc: all@evil.example",
        ),
        (
            "\"Eve\" <all@evil.example>, x",
            "eve@example.org,all@evil.example",
        ),
        (
            "=?utf-8?q?Eve=0D=0ABcc:_all@evil.example?=",
            "<all@evil.example>",
        ),
        ("\u{0}\u{1b}[31mEve", "eve@exämple.org"),
        (&"long ".repeat(300), "eve@example.org"),
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
        let names: Vec<_> = message
            .headers()
            .iter()
            .map(|h| h.name().to_owned())
            .collect();
        let count = |name: &str| names.iter().filter(|each| *each == name).count();
        assert_eq!(
            (count("Subject"), count("To"), count("Bcc"), count("Cc")),
            (1, 1, 0, 0)
        );
        assert!(count("Reply-To") <= 1);
        assert_eq!(only(message.to()), (None, "owner@site.example"));
        if let Some(reply_to) = message.reply_to() {
            let known = ["eve@example.org", "eve@xn--exmple-cua.org"];
            assert!(known.contains(&only(Some(reply_to)).1));
        }
        assert!(
            message
                .body_text(0)
                .unwrap()
                .contains("MAIL FROM:<x@evil.example>")
        );
    }
}
