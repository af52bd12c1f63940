//! Mails to the owner and to visitors, as a mail server and a mail program see them. A refused mail is
//! given up only if a visitor's address is wrong, and otherwise retried: `mail::refusal` has the codes.

use frontdoor::config::MailSettings;
use frontdoor::content::site;
use frontdoor::domain::ContactForm;
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::Sender as _;
use frontdoor::store::{
    ChannelHealth, ClaimedContent, Delivery, DeliveryKind, DeliveryState, HELD_NOTICE_PAUSE,
    LeadAction,
};
use mail_parser::Address;

use crate::support::{
    HELD, Mail, MailServer, NOON, Step, TestStore, assert_lacks, mail_settings, visitor,
};

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::LeadMail];
const AUTO_REPLY: &[DeliveryKind] = &[DeliveryKind::AutoReply];

fn mailer(test: &TestStore, server: &MailServer) -> Mailer {
    test.mailer(&mail_settings(&server.url))
}

fn only<'a>(address: Option<&'a Address<'a>>) -> (Option<&'a str>, &'a str) {
    let address = address.expect("the header is there");
    assert_eq!(address.clone().into_list().len(), 1);
    let first = address.first().unwrap();
    (first.name(), first.address().unwrap())
}

#[tokio::test]
async fn the_owner_is_notified_and_the_automatic_reply_repeats_nothing_the_visitor_wrote() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let form = ContactForm {
        name: "Zoë \"Z\" O'Neill, Ltd <b>",
        phone: "+1 416 555 0100",
        message: "First line\n.\n<script>alert(1)</script> & 🍁",
        ..visitor()
    };
    let id = test
        .add_with(form, &[NOTIFY, AUTO_REPLY].concat(), None)
        .await;
    test.worker(mailer(&test, &server)).drain().await;

    let all = test.deliveries().await;
    let is_delivered = |each: &Delivery| each.state == DeliveryState::Delivered;
    assert!(all.iter().all(is_delivered));
    let is_for_owner = |mail: &Mail| mail.envelope_to == ["owner@site.example"];
    let (mail, reply): (Vec<_>, Vec<_>) = server.taken().into_iter().partition(is_for_owner);
    let (mail, reply) = (&mail[0], &reply[0]);
    assert_eq!(mail.envelope_from, "desk@site.example");
    let message = mail.message();
    let from = (Some("Front Desk"), "desk@site.example");
    assert_eq!(only(message.from()), from);
    assert_eq!(only(message.to()), (None, "owner@site.example"));
    let reply_to = (Some(form.name), "ada@example.org");
    assert_eq!(only(message.reply_to()), reply_to);
    let subject = format!("New message from {} ({})", form.name, site().name);
    assert_eq!(mail.subject(), subject);
    assert_eq!(message.date().unwrap().to_timestamp(), NOON.as_second());
    // The delivery's, and so the same on every attempt.
    let notice = all.iter().find(|each| each.kind == DeliveryKind::LeadMail);
    let message_id = format!("{}@site.example", notice.unwrap().id);
    assert_eq!(message.message_id(), Some(&*message_id));

    let (text, html) = (mail.text(), mail.html());
    assert!(text.contains(form.message), "{text}");
    assert!(text.contains("Phone: +1 416 555 0100") && text.contains(&id));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; 🍁"));
    assert!(!html.contains("<script>") && !html.contains("<b>"));

    assert_eq!(reply.envelope_to, ["ada@example.org"]);
    let message = reply.message();
    assert_eq!(only(message.to()), (None, "ada@example.org"));
    assert_eq!(only(message.reply_to()), (None, site().email.as_str()));
    let automatic = message.header_raw("Auto-Submitted").map(str::trim);
    assert_eq!(automatic, Some("auto-replied"));
    for body in [reply.text(), reply.html()] {
        assert!(body.contains(&site().booking_url) && body.contains(&site().location));
        assert!(body.contains("Thank you for your message! We will get back to you soon."));
        assert!(
            !body.contains("Zoë") && !body.contains("First line"),
            "{body}"
        );
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
    let taken = server.taken();
    let to = |address: &str| taken.iter().find(|mail| mail.envelope_to == [address]);
    assert!(to("info@xn--mller-kva.de").unwrap().data.is_ascii());
    let message = to("owner@site.example").unwrap().message();
    assert_eq!(only(message.reply_to()).1, "info@xn--mller-kva.de");

    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let form = ContactForm {
        email: "jörg@example.org",
        ..visitor()
    };
    test.add_with(form, AUTO_REPLY, None).await;
    test.worker(mailer(&test, &server)).drain().await;
    let reply = test.only_delivery().await;
    assert_eq!(reply.state, DeliveryState::Pending);
    let reason = "the mail server accepts no international addresses";
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

/// A row written by somebody else, with none of our rules applied.
#[tokio::test]
async fn no_field_can_add_a_header_or_a_recipient() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    test.add_with(visitor(), NOTIFY, None).await;
    let mut claim = test.claim(NOTIFY, test.now()).await.remove(0);
    for (name, email) in [
        ("Eve\r\nBcc: all@evil.example", "eve@example.org"),
        (
            "\"Eve\" <all@evil.example>, x",
            "eve@example.org\r\nBcc: all@evil.example",
        ),
    ] {
        let ClaimedContent::Lead(lead) = &mut claim.content else {
            panic!("not about a lead");
        };
        (lead.name, lead.email) = (name.into(), email.into());
        lead.phone = Some("1\r\nBcc: all@evil.example".into());
        lead.message = "Hello\r\n.\r\nMAIL FROM:<x@evil.example>\r\n".into();
        lead.form_location = "contact\r\nBcc: all@evil.example".into();
        mailer(&test, &server).send(&claim, *NOON).await;
        let mail = server.taken().pop().expect("a mail");
        assert_eq!(mail.envelope_to, ["owner@site.example"]);
        let message = mail.message();
        assert_eq!(only(message.to()), (None, "owner@site.example"));
        assert!(message.bcc().is_none() && message.cc().is_none());
        if let Some(reply_to) = message.reply_to() {
            assert_eq!(only(Some(reply_to)).1, "eve@example.org");
        }
        assert!(mail.text().contains("MAIL FROM:<x@evil.example>"));
    }
    assert_eq!(server.taken().len(), 2);
}

fn mailer_to(test: &TestStore, server: &MailServer, to: &[&str]) -> Mailer {
    let settings = MailSettings {
        notify: Some(to.iter().map(|to| to.parse().unwrap()).collect()),
        ..mail_settings(&server.url)
    };
    test.mailer(&settings)
}

#[tokio::test]
async fn all_get_one_mail_and_a_refused_address_is_tried_again_alone_until_it_is_off_the_list() {
    for is_taken_off in [false, true] {
        let test = TestStore::at_noon().await;
        let server = MailServer::refusing("bad@site.example");
        test.add_with(visitor(), NOTIFY, None).await;
        let to = ["a@site.example", "Bea <b@site.example>", "bad@site.example"];
        let worker = test.worker(mailer_to(&test, &server, &to));
        // Named in no reason.
        for reason in [
            "1 of 3 addresses refused: the mail server answered 550",
            "the mail server answered 550",
            "the mail server answered 550",
        ] {
            worker.drain().await;
            let waiting = test.only_delivery().await;
            assert_eq!(waiting.state, DeliveryState::Pending);
            assert_eq!(waiting.last_error.as_deref(), Some(reason));
            test.set_time(waiting.next_attempt_at.unwrap());
        }
        let taken = server.taken();
        assert_eq!(taken.len(), 1, "one mail, once");
        assert_eq!(taken[0].envelope_to, ["a@site.example", "b@site.example"]);
        let message = taken[0].message();
        assert_eq!(message.to().unwrap().clone().into_list().len(), 3);

        let fixed = MailServer::start();
        let (to, rest) = match is_taken_off {
            true => (&to[..2], &[][..]),
            false => (&to[..], &["bad@site.example"][..]),
        };
        test.worker(mailer_to(&test, &fixed, to)).drain().await;
        assert_eq!(test.only_delivery().await.state, DeliveryState::Delivered);
        let recipients = fixed.taken().into_iter().flat_map(|mail| mail.envelope_to);
        assert_eq!(recipients.collect::<Vec<_>>(), rest, "only the one left");
    }
}

const BY_MAIL: &[DeliveryKind] = &[DeliveryKind::LeadWebhook, DeliveryKind::LeadMail];

async fn notices(test: &TestStore) -> usize {
    let all = test.deliveries().await.into_iter();
    all.filter(|each| each.kind == DeliveryKind::HeldNotice)
        .count()
}

#[tokio::test]
async fn held_leads_bring_one_notice_an_hour_with_their_names_and_first_lines() {
    let (test, server) = (TestStore::at_noon().await, MailServer::start());
    let desk = Some("https://desk.example.com");
    let worker = test.worker(test.mailer_of(&mail_settings(&server.url), desk));
    let form = ContactForm {
        message: "<b>Best</b> rank\nand more of it",
        ..visitor()
    };
    let id = test.add_with(form, BY_MAIL, HELD).await;
    assert_eq!(worker.drain().await, 1);

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_to, ["owner@site.example"]);
    let whole = format!("{} {} {}", mail.subject(), mail.text(), mail.html());
    for command in ["list --held".to_owned(), format!("release {id}")] {
        let command = format!("frontdoor leads {command}");
        assert!(whole.contains(&command), "{command} isn't in {whole}");
    }
    let named = format!(
        "Ada Lovelace\n<b>Best</b> rank\n\nRead it at the desk: https://desk.example.com/leads/{id}"
    );
    assert!(mail.text().contains(&named), "{}", mail.text());
    assert!(mail.html().contains("&lt;b&gt;Best&lt;/b&gt; rank"));
    assert_lacks(&whole, &["and more", "ada@", "/mark/"]);
    assert!(mail.message().reply_to().is_none());
    let held = test.deliveries().await.into_iter();
    let held = held.filter(|each| each.state == DeliveryState::Held);
    assert_eq!(held.count(), 2, "the lead itself still waits");

    for _ in 0..11 {
        test.set_time(test.now() + HELD_NOTICE_PAUSE / 16);
        test.add_with(visitor(), BY_MAIL, HELD).await;
    }
    assert_eq!(worker.drain().await, 0, "not within the hour");
    test.set_time(*NOON + HELD_NOTICE_PAUSE);
    assert_eq!(worker.drain().await, 1);
    let text = server.taken()[1].text();
    assert!(text.starts_with("12 messages"), "{text}");
    // The latest.
    assert_eq!(text.matches("Ada Lovelace").count(), 10, "{text}");
    assert!(!text.contains("rank"), "{text}");

    let without_mail = TestStore::at_noon().await;
    without_mail.add_held(visitor()).await;
    assert_eq!(notices(&without_mail).await, 0);

    let test = TestStore::at_noon().await;
    let first = test.add_with(visitor(), BY_MAIL, HELD).await;
    let second = test.add_with(visitor(), BY_MAIL, HELD).await;
    for (released, left) in [(&first, 1), (&second, 0)] {
        test.act(released, LeadAction::Release).await;
        assert_eq!(notices(&test).await, left, "taken back with the last");
    }
}

/// Sends a mail to a server that refuses one step; returns the delivery's outcome and whether the
/// channel counts as failing.
async fn refused_at(step: Step, words: &'static str, kinds: &[DeliveryKind]) -> (Delivery, bool) {
    let test = TestStore::at_noon().await;
    let server = MailServer::answering(step, words);
    test.add_with(visitor(), kinds, None).await;
    let settings = mail_settings(&format!("smtp://user:word@{}", server.address));
    let worker = test.worker(test.mailer(&settings));
    assert_eq!(worker.drain().await, 1);
    let channels = test.store.channels().await.unwrap();
    let fails = |each: &ChannelHealth| each.failed_at.is_some() || each.given_up_at.is_some();
    (test.only_delivery().await, channels.iter().any(fails))
}

#[tokio::test]
async fn only_a_wrong_address_of_a_visitor_is_given_up_and_the_servers_words_are_not_kept() {
    let (again, given_up) = (DeliveryState::Pending, DeliveryState::GivenUp);
    for (step, words, state) in [
        (Step::Greeting, "554 no service for you", again),
        (Step::Login, "535 5.7.8 wrong password", again),
        (Step::From, "550 5.7.1 sender not allowed", again),
        (Step::Recipient, "450 4.2.2 mailbox full", again),
        (Step::Recipient, "ada@example.org is no SMTP answer", again),
        (
            Step::Recipient,
            "550 ada@example.org: no such user",
            given_up,
        ),
        (Step::Message, "550 spam", again),
        (Step::Message, "550 5.1.1 no such user", given_up),
    ] {
        let (reply, server_fails) = refused_at(step, words, AUTO_REPLY).await;
        // A visitor's address says nothing about the server.
        let is_of_address = state == given_up || words.contains("mailbox full");
        assert_eq!(server_fails, !is_of_address, "{step:?} {words}");
        assert_eq!(reply.state, state, "{step:?} {words}");
        assert_eq!(reply.next_attempt_at.is_some(), state == again, "{words}");
        assert_eq!(reply.is_refused, state == given_up, "{step:?} {words}");
        let reason = reply.last_error.unwrap();
        assert_lacks(&reason, &["ada", "such", "password"]);
    }
    // The owner's own address is tried again.
    let (notice, _) = refused_at(Step::Recipient, "550 no such user", NOTIFY).await;
    assert_eq!(notice.state, again);
}

/// A label this long is refused by the resolver itself: no name server is asked.
#[tokio::test]
async fn a_mail_server_whose_name_cannot_be_resolved_is_reported_as_that() {
    let test = TestStore::at_noon().await;
    test.add_with(visitor(), NOTIFY, None).await;
    let url = format!("smtps://{}.test", "x".repeat(64));
    let worker = test.worker(test.mailer(&mail_settings(&url)));
    worker.drain().await;
    let reason = "the mail server can't be used: its name can't be resolved";
    let told = test.only_delivery().await.last_error;
    assert_eq!(told.as_deref(), Some(reason));
}
