//! What subscribers get, what the owner sees, and when nothing is sent.

use frontdoor::content::SITE;
use frontdoor::domain::LinkToken;
use frontdoor::store::{LinkPurpose, LinkState, SubscriberState};
use jiff::Timestamp;
use mail_parser::MessageParser;

use crate::support::mail_server::MailServer;
use crate::support::network::closed;
use crate::support::office::Office;

const ISSUE: &str = "# Four things — and a “fifth”\n\n\
    Read [the blog](/blog).\n\n<script>alert(1)</script>\n\n\
    .\n\nLine with a dot above.\n";

fn link_in(text: &str) -> LinkToken {
    let start = format!("{}/newsletter/unsubscribe?token=", SITE.url);
    let at = text.find(&start).expect("the mail has the link") + start.len();
    LinkToken::parse(&text[at..at + 43]).expect("a whole token")
}

#[tokio::test]
async fn a_subscriber_gets_both_bodies_who_sent_it_and_a_way_out() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    office.subscribe("waiting@example.org", None, true).await;
    let server = MailServer::start(None);
    let file = office.write("issue.md", ISSUE);
    let said = office.run_with_mail(
        &["newsletter", "send", file.to_str().unwrap(), "--yes"],
        &server.url,
    );
    said.assert(0, "Sent 1 mail\n");

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, "desk@site.example");
    assert_eq!(mail.envelope_to, ["person0@example.org"]);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert_eq!(message.subject(), Some("Four things — and a “fifth”"));
    let (text, html) = (message.body_text(0).unwrap(), message.body_html(0).unwrap());
    for body in [&text, &html] {
        for fact in [&SITE.name, &SITE.location, &SITE.email] {
            assert!(body.contains(fact.as_str()), "{fact}: {body}");
        }
        assert!(body.contains(&format!("{}/blog", SITE.url)));
        assert!(body.contains("/newsletter/unsubscribe?token="));
    }
    assert!(
        text.contains("\r\n.\r\n") || text.contains("\n.\n"),
        "{text}"
    );
    assert!(!html.contains("<script>"), "{html}");

    let raw = String::from_utf8(mail.data.clone()).unwrap();
    let (head, _) = raw.split_once("\r\n\r\n").unwrap();
    let line = |name: &str| {
        let mut lines = head
            .split("\r\n")
            .filter_map(|line| line.strip_prefix(name));
        let value = lines.next().unwrap().to_owned();
        assert_eq!(lines.next(), None);
        value
    };
    let header = line("List-Unsubscribe: ");
    assert!(
        header.starts_with("<https://") && header.ends_with('>'),
        "{header}"
    );
    assert_eq!(
        line("List-Unsubscribe-Post: "),
        "List-Unsubscribe=One-Click"
    );

    let (token, now) = (link_in(&text), Timestamp::now());
    assert_eq!(link_in(&header), token);
    let leave = office
        .store
        .follow_link(&token, LinkPurpose::Unsubscribe, now);
    assert_eq!(leave.await.unwrap(), LinkState::Open);
    let person = office
        .store
        .subscriber("person0@example.org")
        .await
        .unwrap();
    assert_eq!(person.unwrap().state, SubscriberState::Unsubscribed);

    let other = office.write("other.md", "# Other news\n");
    let said = office.run_with_mail(
        &["newsletter", "send", other.to_str().unwrap(), "--yes"],
        &server.url,
    );
    assert_eq!(said.out, "Sent 0 mails\n", "nobody is left");
}

#[tokio::test]
async fn a_test_goes_to_one_address_and_a_dry_run_to_none() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let server = MailServer::start(None);
    let file = office.write("issue.md", ISSUE);
    let file = file.to_str().unwrap();

    let dry = office.run(&["newsletter", "send", file, "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.err);
    assert!(dry.out.contains("Subject: Four things") && dry.out.contains("To send: 2 mails"));
    assert!(server.taken().is_empty());

    let test = ["newsletter", "send", file, "--test", "owner@site.example"];
    let said = office.run_with_mail(&test, &server.url);
    assert_eq!(said.code, 0, "{}", said.err);
    let mails = server.taken();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].envelope_to, ["owner@site.example"]);
    let real = office.run_with_mail(&["newsletter", "send", file, "--yes"], &server.url);
    assert_eq!(real.out, "Sent 2 mails\n", "the test counts for nobody");
}

#[tokio::test]
async fn a_recipient_the_server_does_not_want_holds_up_nobody() {
    let office = Office::open().await;
    office.add_confirmed(4).await;
    let server = MailServer::start(Some("person2@example.org"));
    let file = office.write("issue.md", ISSUE);
    let said = office.run_with_mail(
        &["newsletter", "send", file.to_str().unwrap(), "--yes"],
        &server.url,
    );
    assert_eq!(said.code, 1);
    assert_eq!(
        said.out,
        "Sent 3 mails; 1 refused by the mail server: person2@example.org (550)\n"
    );
    assert_eq!(server.taken().len(), 3);
}

#[tokio::test]
async fn wrong_use_ends_with_one_clear_line_and_nothing_sent() {
    let office = Office::open().await;
    office.add_confirmed(30).await;
    let good = office.write("good.md", ISSUE);
    let plain = office.write("plain.md", "No heading");
    let (good, plain) = (good.to_str().unwrap(), plain.to_str().unwrap());
    let server = MailServer::start(None);
    let (_closed, address) = closed();
    let dead = format!("smtp://{address}");
    for (file, url, code, words) in [
        (good, "", 2, "FRONTDOOR_SMTP_URL"),
        (good, "http://x", 2, "FRONTDOOR_SMTP_URL"),
        (plain, &*server.url, 2, "no subject"),
        ("absent.md", &*server.url, 1, "cannot read absent.md"),
        (good, &*dead, 1, "gave up after several failures"),
    ] {
        let said = office.run_with_mail(&["newsletter", "send", file, "--yes"], url);
        assert_eq!(said.code, code, "{}", said.err);
        let last = said.err.lines().last().unwrap();
        assert!(
            last.starts_with("frontdoor: ") && last.contains(words),
            "{last}"
        );
        assert_eq!(said.out, "");
    }
    let odd = ["newsletter", "send", good, "--test", "not an address"];
    assert_eq!(office.run_with_mail(&odd, &server.url).code, 2);
    assert!(server.taken().is_empty());
}
