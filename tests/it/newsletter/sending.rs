//! What subscribers get, what the owner is asked and told, and when nothing is sent.

use std::io::Write as _;
use std::process::Stdio;

use frontdoor::content::SITE;
use frontdoor::domain::LinkToken;
use frontdoor::store::{LinkPurpose, LinkState, SubscriberState};
use jiff::Timestamp;
use mail_parser::MessageParser;

use super::{ISSUE, send_issue};
use crate::support::mail_server::MailServer;
use crate::support::network::closed;
use crate::support::office::Office;
use crate::support::process::Said;

const LONG_ISSUE: &str = "# Four things — and a “fifth”\n\n\
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
    send_issue(&office, LONG_ISSUE, &server.url, &[]).assert(0, "Sent 1 mail\n");

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

    send_issue(&office, ISSUE, &server.url, &[]).assert(0, "Sent 0 mails\n");
}

#[tokio::test]
async fn a_test_goes_to_one_address_and_a_dry_run_to_none() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let server = MailServer::start(None);
    let file = office.write("issue.md", LONG_ISSUE);
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
async fn wrong_use_ends_with_one_clear_line_and_nothing_sent() {
    let office = Office::open().await;
    office.add_confirmed(30).await;
    let good = office.write("good.md", LONG_ISSUE);
    let plain = office.write("plain.md", "No heading");
    let (good, plain) = (good.to_str().unwrap(), plain.to_str().unwrap());
    let look = office.write("look.md", "# Look\n\n![x](gone.png)\n");
    let look = look.to_str().unwrap();
    let server = MailServer::start(None);
    let (_closed, address) = closed();
    let dead = format!("smtp://{address}");
    for (file, url, code, words) in [
        (good, "", 2, "FRONTDOOR_SMTP_URL"),
        (good, "http://x", 2, "FRONTDOOR_SMTP_URL"),
        (plain, &*server.url, 2, "no subject"),
        (look, &*server.url, 2, "gone.png can't be read"),
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

/// Runs the command and types an answer.
fn answered(office: &Office, arguments: &[&str], url: &str, answer: &str) -> Said {
    let mut command = office.command(arguments);
    command
        .env("FRONTDOOR_SMTP_URL", url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(answer.as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap().into()
}

#[tokio::test]
async fn an_issue_goes_out_after_one_question_with_the_number() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = MailServer::start(None);
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];

    let nobody = office.run_with_mail(&send, &server.url);
    assert_eq!(nobody.code, 2, "{}", nobody.err);
    nobody.complains("Send “News of May” to 3 subscribers?");
    nobody.complains("--yes");
    let no = answered(&office, &send, &server.url, "n\n");
    assert_eq!(no.code, 1);
    no.complains("nothing was sent");
    assert!(server.taken().is_empty());

    let yes = answered(&office, &send, &server.url, "y\n");
    yes.assert(0, "Sent 3 mails\n");
    let again = office.run_with_mail(&send, &server.url);
    // No question.
    again.assert(0, "Sent 0 mails\n");
}

#[tokio::test]
async fn a_no_leaves_the_notes_and_the_number_counts_who_is_tried_again() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let refusing = MailServer::start(Some("person0@example.org"));
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    office.run_with_mail(&[&send[..], &["--yes"]].concat(), &refusing.url);
    assert_eq!(office.issue_counts(ISSUE).await.refused, 1);

    let server = MailServer::start(None);
    let retry = [&send[..], &["--retry-refused"]].concat();
    let no = answered(&office, &retry, &server.url, "n\n");
    no.complains("to 1 subscriber?");
    assert_eq!(office.issue_counts(ISSUE).await.refused, 1);
    let yes = answered(&office, &retry, &server.url, "y\n");
    yes.assert(0, "Sent 1 mail\n");
}

#[tokio::test]
async fn a_changed_file_says_how_many_got_the_earlier_version() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = MailServer::start(None);
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    office.run_with_mail(&[&send[..], &["--yes"]].concat(), &server.url);
    office.subscribe("new@example.org", None, true).await;
    office.confirm_all().await;

    office.write("may.md", "# News of May\n\nHello, without a typo.\n");
    let asked = office.run_with_mail(&send, &server.url);
    assert_eq!(asked.code, 2);
    let got = "3 of them got “News of May” on ";
    let earlier = " from an earlier version of this file";
    for words in [got, earlier, "to 4 subscribers?"] {
        asked.complains(words);
    }
    let dry = office.run(&[&send[..], &["--dry-run"]].concat());
    dry.shows(got);
    dry.shows(earlier);
    assert_eq!(server.taken().len(), 3);

    let renamed = office.write("june.md", "# News of May\n\nOther words.\n");
    let other = ["newsletter", "send", renamed.to_str().unwrap()];
    let asked = office.run_with_mail(&other, &server.url);
    asked.complains(got);
    asked.complains(" from the file may.md");
}

#[tokio::test]
async fn an_interrupted_issue_goes_on_unasked_and_a_finished_one_asks_again() {
    let office = Office::open().await;
    office.add_confirmed(12).await;
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    let (_closed, address) = closed();
    let dead = format!("smtp://{address}");
    let failed = office.run_with_mail(&[&send[..], &["--yes"]].concat(), &dead);
    assert_eq!(failed.code, 1);
    let server = MailServer::start(None);
    let resumed = office.run_with_mail(&send, &server.url);
    resumed.assert(0, "Sent 12 mails\n");

    office.subscribe("new@example.org", None, true).await;
    office.confirm_all().await;
    let asked = office.run_with_mail(&send, &server.url);
    assert_eq!(asked.code, 2);
    asked.complains("to 1 subscriber?");
}
