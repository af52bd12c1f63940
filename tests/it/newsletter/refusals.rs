//! Addresses that the mail server doesn't accept, and a store that fails: everybody else gets
//! the issue, and dead addresses are left out of further issues.

use std::sync::Mutex;

use super::{ISSUE, confirmed, refusing, send_issue};
use crate::support::{MailServer, Step, TestStore};

const SECOND: &str = "# Two\n\nHello again.\n";
const THIRD: &str = "# Three\n\nStill here.\n";
const NO_SUCH_USER: &str = "550 5.1.1 no such user";

fn suspended(test: &TestStore) -> usize {
    let json = test.json(&["subscribers", "list", "--suspended", "--json"]);
    json.as_array().unwrap().len()
}

#[tokio::test]
async fn fifteen_refused_in_a_row_cost_nobody_the_issue_and_are_left_out_of_the_next() {
    let test = confirmed(40).await;
    let server = refusing(0..15, Step::Recipient, "550 No such user here");
    let output = send_issue(&test, ISSUE, &server, &[]);
    assert_eq!(output.code, 1, "not everybody got it");
    output.stdout_contains("Sent 25 mails; 15 refused by the mail server: ");
    for person in 0..15 {
        output.stdout_contains(&format!("person{person}@example.org (550)"));
    }
    assert_eq!((server.taken().len(), suspended(&test)), (25, 15));

    let again = send_issue(&test, ISSUE, &server, &[]);
    again.exits_with(1, "Sent 0 mails\n");
    again.stderr_contains("Refused: 15 subscribers did not get this issue");
    assert_eq!(server.heard("RCPT").len(), 40, "nobody is tried twice");
    let willing = MailServer::start();
    send_issue(&test, SECOND, &willing, &[]).exits_with(0, "Sent 25 mails\n");
    let retry = send_issue(&test, ISSUE, &willing, &["--retry-refused"]);
    retry.exits_with(0, "Sent 15 mails\n");
    assert_eq!(suspended(&test), 0, "they take mail again");
}

#[tokio::test]
async fn a_run_ends_early_if_the_server_refuses_everybody_and_nobody_is_marked() {
    for (step, words) in [
        (Step::Recipient, NO_SUCH_USER),
        (Step::From, "550 5.7.1 sender not allowed"),
    ] {
        let test = confirmed(20).await;
        let server = MailServer::answering(step, words);
        let output = send_issue(&test, ISSUE, &server, &[]);
        output.fails_with(1, "gave up after several failures");
        assert!(server.heard("MAIL").len() < 20, "{words}");
        let counts = test.issue_counts(ISSUE).await;
        assert_eq!((counts.refused, counts.left), (0, 20), "{words}");
        assert_eq!(suspended(&test), 0, "{words}");
        let willing = MailServer::start();
        send_issue(&test, ISSUE, &willing, &[]).exits_with(0, "Sent 20 mails\n");
    }
}

#[tokio::test]
async fn a_refusal_without_a_reason_is_trusted_once_a_mail_was_accepted() {
    let test = confirmed(8).await;
    let server = refusing(0..5, Step::Recipient, "550 no");
    let output = send_issue(&test, ISSUE, &server, &[]);
    output.stdout_contains("Sent 3 mails; 5 refused by the mail server: ");
    assert_eq!(test.issue_counts(ISSUE).await.refused, 5);
}

#[tokio::test]
async fn deferred_recipients_are_tried_again_in_the_next_run_after_everybody_else() {
    for (step, words) in [
        (Step::Recipient, "450 mailbox busy"),
        (Step::Message, "554 5.6.0 not this message"),
    ] {
        let test = confirmed(20).await;
        let server = refusing(0..15, step, words);
        send_issue(&test, ISSUE, &server, &[]);
        let output = send_issue(&test, ISSUE, &server, &[]);
        output.fails_with(1, "run the same command again");
        let willing = MailServer::start();
        send_issue(&test, ISSUE, &willing, &[]).exits_with(0, "Sent 15 mails\n");
    }
}

/// The store refuses to note "sent" for the first mails until the last is taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_for_a_moment_makes_no_mail_unsure() {
    const PEOPLE: usize = 3;
    let test = confirmed(PEOPLE).await;
    let database = test.database.sql();
    database.refuse("UPDATE ON newsletter_sends", "NEW.state = 'sent'");
    let database = Mutex::new(database);
    let server = MailServer::scripted(move |moment| {
        if moment.step == Step::Taken && moment.taken == PEOPLE {
            let database = database.lock().unwrap();
            database.refuse_no_more("newsletter_sends");
        }
        None
    });
    send_issue(&test, ISSUE, &server, &[]).exits_with(0, "Sent 3 mails\n");
    let counts = test.issue_counts(ISSUE).await;
    assert_eq!((counts.sent, counts.unsure), (3, 0));
}

#[tokio::test]
async fn an_address_is_suspended_when_two_issues_in_a_row_are_refused_because_of_it() {
    for (words, second_is_taken, expected) in [
        ("552 5.2.2 mailbox full", false, 1),
        ("552 5.2.2 mailbox full", true, 0),
        // This is about us, not about the address.
        ("554 5.7.1 refused by our policy", false, 0),
    ] {
        let test = confirmed(3).await;
        let refusing = refusing(0..1, Step::Recipient, words);
        send_issue(&test, ISSUE, &refusing, &[]);
        // The same issue again is no second one.
        send_issue(&test, ISSUE, &refusing, &["--retry-refused"]);
        assert_eq!(suspended(&test), 0, "{words}");
        let willing = MailServer::start();
        let second = if second_is_taken { &willing } else { &refusing };
        send_issue(&test, SECOND, second, &[]);
        send_issue(&test, THIRD, &refusing, &[]);
        assert_eq!(suspended(&test), expected, "{words}, {second_is_taken}");
    }
}

#[tokio::test]
async fn a_suspended_address_comes_back_by_command_or_by_its_own_new_subscription() {
    let test = confirmed(3).await;
    let server = refusing(0..2, Step::Recipient, NO_SUCH_USER);
    send_issue(&test, ISSUE, &server, &[]);
    let table = test.run(&["subscribers", "list", "--suspended"]).stdout;
    assert_eq!(table.lines().count(), 3);
    let line = table.lines().find(|line| line.starts_with("person0@"));
    let (_, note) = line.unwrap().split_once("suspended: refused on ").unwrap();
    let (day, code) = note.split_at(10);
    assert!(day.parse::<jiff::civil::Date>().is_ok(), "{table}");
    assert!(code.starts_with(" (550 5.1.1)"), "{table}");

    let resume = ["subscribers", "resume", "Person0@example.org"];
    let output = test.run(&resume);
    output.exits_with(0, "Person0@example.org gets the next issue again.\n");
    assert_eq!(test.run(&resume).code, 1, "it isn't suspended any more");
    test.subscribe("person1@example.org").await;
    let willing = MailServer::start();
    send_issue(&test, SECOND, &willing, &[]).exits_with(0, "Sent 2 mails\n");
    assert_eq!(suspended(&test), 1, "asking alone changes nothing");

    let due = "UPDATE deliveries SET next_attempt_at = '2020-01-01' WHERE state = 'pending'";
    assert_eq!(test.database.sql().run(due), 1);
    test.confirm_all().await;
    assert_eq!(suspended(&test), 0);
    send_issue(&test, THIRD, &willing, &[]).exits_with(0, "Sent 3 mails\n");
    let proof = test.run(&["subscribers", "proof", "person1@example.org"]);
    proof.stdout_contains("Before that");
}
