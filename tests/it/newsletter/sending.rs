//! What subscribers get, what the owner is asked and told, and when nothing is sent.

use std::fs::File;

use frontdoor::content::site;
use frontdoor::store::{LinkPurpose, LinkState, SubscriberState};
use jiff::Timestamp;

use super::{ISSUE, confirmed, send_issue};
use crate::support::{CommandOutput, MailServer, TestStore, assert_has, closed, run};

const LONG_ISSUE: &str = "# Four things — and a “fifth”\n\n\
    Read [the blog](/blog).\n\n<script>alert(1)</script>\n\n\
    .\n\nLine with a dot above.\n";

const LEAVE: &str = "/newsletter/unsubscribe?token=";

#[tokio::test]
async fn a_subscriber_gets_html_and_plain_text_the_senders_name_and_an_unsubscribe_link() {
    let test = confirmed(1).await;
    test.subscribe("waiting@example.org").await;
    let server = MailServer::start();
    send_issue(&test, LONG_ISSUE, &server, &[]).exits_with(0, "Sent 1 mail\n");

    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, "desk@site.example");
    assert_eq!(mail.envelope_to, ["person0@example.org"]);
    assert_eq!(mail.subject(), "Four things — and a “fifth”");
    let (text, html) = (mail.text(), mail.html());
    for body in [&text, &html] {
        assert_has(body, &[&site().name, &site().location, &site().email]);
        assert!(body.contains(&format!("{}/blog", site().url)));
        assert!(body.contains(LEAVE));
    }
    assert!(text.contains("\n.\n"), "{text}");
    assert!(!html.contains("<script>"), "{html}");

    // Each on one line.
    let raw = String::from_utf8(mail.data.clone()).unwrap();
    let token = mail.token("unsubscribe");
    let link = format!("<{}{LEAVE}{}>", site().url, token.as_str());
    for header in [
        format!("\r\nList-Unsubscribe: {link}\r\n"),
        "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n".into(),
    ] {
        assert_eq!(raw.matches(&header).count(), 1, "{header}: {raw}");
    }

    let store = &test.store;
    let leave = store.follow_link(&token, LinkPurpose::Unsubscribe, Timestamp::now());
    assert_eq!(leave.await.unwrap(), LinkState::Open);
    let person = store.subscriber("person0@example.org").await.unwrap();
    assert_eq!(person.unwrap().state, SubscriberState::Unsubscribed);

    send_issue(&test, ISSUE, &server, &[]).exits_with(0, "Sent 0 mails\n");
}

#[tokio::test]
async fn wrong_use_ends_with_one_clear_line_and_nothing_sent() {
    let test = confirmed(20).await;
    let good = test.write("good.md", LONG_ISSUE);
    let plain = test.write("plain.md", "No heading");
    let (good, plain) = (good.to_str().unwrap(), plain.to_str().unwrap());
    let server = MailServer::start();
    let (_closed, address) = closed();
    let dead = format!("smtp://{address}");
    for (file, url, code, words) in [
        (good, "", 2, "FRONTDOOR_SMTP_URL"),
        (plain, &*server.url, 2, "no subject"),
        ("absent.md", &*server.url, 1, "can't read absent.md"),
        (good, &*dead, 1, "gave up after several failures"),
    ] {
        let output = test.run_with_mail(&["newsletter", "send", file, "--yes"], url);
        assert_eq!(output.code, code, "{}", output.stderr);
        let last = output.stderr.lines().last().unwrap();
        let is_expected = last.starts_with("frontdoor: ") && last.contains(words);
        assert!(is_expected && output.stdout.is_empty(), "{last}");
    }
    let odd = ["newsletter", "send", good, "--test", "not an address"];
    assert_eq!(test.run_with_mail(&odd, &server.url).code, 2);
    assert!(server.taken().is_empty());
}

/// Runs the command and types an answer.
fn answered(test: &TestStore, arguments: &[&str], url: &str, answer: &str) -> CommandOutput {
    let typed = File::open(test.write("typed", answer)).unwrap();
    let mut command = test.command(arguments);
    run(command.env("FRONTDOOR_SMTP_URL", url).stdin(typed))
}

#[tokio::test]
async fn an_issue_goes_out_after_a_dry_run_a_test_and_one_question_with_the_number() {
    let test = confirmed(3).await;
    let server = MailServer::start();
    let file = test.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];

    let dry = test.run(&[&send[..], &["--dry-run"]].concat());
    dry.stdout_contains("Subject: News of May");
    dry.stdout_contains("To send: 3 mails");
    let one = [&send[..], &["--test", "owner@site.example"]].concat();
    let tested = MailServer::start();
    test.run_with_mail(&one, &tested.url).succeeds();
    let mails = tested.taken();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].envelope_to, ["owner@site.example"]);

    let nobody = test.run_with_mail(&send, &server.url);
    nobody.fails_with(2, "Send “News of May” to 3 subscribers?");
    nobody.stderr_contains("--yes");
    let no = answered(&test, &send, &server.url, "n\n");
    no.fails_with(1, "nothing was sent");
    assert!(server.taken().is_empty());

    let refusing = MailServer::refusing("person0@example.org");
    let yes = answered(&test, &send, &refusing.url, "y\n");
    yes.stdout_contains("Sent 2 mails; 1 refused");
    let again = test.run_with_mail(&send, &server.url);
    // No question.
    again.exits_with(1, "Sent 0 mails\n");
    // The number counts whoever is tried again, and a no leaves the notes.
    let retry = [&send[..], &["--retry-refused"]].concat();
    let no = answered(&test, &retry, &server.url, "n\n");
    no.stderr_contains("to 1 subscriber?");
    assert_eq!(test.issue_counts(ISSUE).await.refused, 1);
    let yes = answered(&test, &retry, &server.url, "y\n");
    yes.exits_with(0, "Sent 1 mail\n");

    // A finished issue asks again, and a changed file says how many got the earlier version.
    test.subscribe("new@example.org").await;
    test.confirm_all().await;
    let asked = test.run_with_mail(&send, &server.url);
    asked.fails_with(2, "to 1 subscriber?");

    test.write("may.md", "# News of May\n\nHello, without a typo.\n");
    let asked = test.run_with_mail(&send, &server.url);
    let got = "3 of them got “News of May” on ";
    let earlier = " from an earlier version of this file";
    for words in [got, earlier, "to 4 subscribers?"] {
        asked.fails_with(2, words);
    }
    test.run(&[&send[..], &["--dry-run"]].concat())
        .stdout_contains(got);
    assert_eq!(server.taken().len(), 1, "nothing else was sent");

    let renamed = test.write("june.md", "# News of May\n\nOther words.\n");
    let other = ["newsletter", "send", renamed.to_str().unwrap()];
    let asked = test.run_with_mail(&other, &server.url);
    asked.stderr_contains(got);
    asked.stderr_contains(" from the file may.md");
}
