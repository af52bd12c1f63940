//! Addresses the mail server does not take, and a store that stumbles: nobody
//! else goes without their issue.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread::current;

use frontdoor::store::IssueCounts;

use crate::support::mail_server::{MailServer, Moment};
use crate::support::office::Office;
use crate::support::process::Said;
use crate::support::scripted_smtp::{ScriptedServer, Step};

const ISSUE: &str = "# News\n\nHello.\n";

fn send(office: &Office, url: &str, more: &[&str]) -> Said {
    send_issue(office, ISSUE, url, more)
}

pub fn send_issue(office: &Office, text: &str, url: &str, more: &[&str]) -> Said {
    let file = office.write("issue.md", text);
    let send = [
        "newsletter",
        "send",
        file.to_str().unwrap(),
        "--rate",
        "0",
        "--yes",
    ];
    office.run_with_mail(&[&send[..], more].concat(), url)
}

/// Answers so to these people.
pub fn refusing(people: Range<usize>, at: Step, words: &'static str) -> ScriptedServer {
    let unwanted: Vec<_> = people
        .map(|person| format!("<person{person}@example.org>"))
        .collect();
    // Each conversation is a thread of the server's.
    let recipients = Mutex::new(HashMap::new());
    ScriptedServer::start(move |step, line| {
        let mut recipients = recipients.lock().unwrap();
        let recipient: &mut String = recipients.entry(current().id()).or_default();
        if step == Step::Recipient {
            *recipient = line.to_owned();
        }
        let hit = step == at && unwanted.iter().any(|address| recipient.contains(address));
        hit.then(|| words.to_owned())
    })
}

#[tokio::test]
async fn fifteen_refused_in_a_row_cost_nobody_else_the_issue_and_are_asked_once() {
    let office = Office::open().await;
    office.add_confirmed(190).await;
    let server = refusing(0..15, Step::Recipient, "550 5.1.1 no such user");
    let said = send(&office, &server.url(), &[]);
    assert!(
        said.out
            .starts_with("Sent 175 mails; 15 refused by the mail server: "),
        "{} {}",
        said.out,
        said.err
    );
    said.shows("person14@example.org (550 5.1.1)");
    assert_eq!(said.code, 1, "not everybody got it");
    assert_eq!(server.heard("DATA").len(), 175);

    let again = send(&office, &server.url(), &[]);
    again.assert(1, "Sent 0 mails\n");
    let last_words =
        "15 subscribers did not get this issue and will not be tried again without --retry-refused";
    again.complains(last_words);
    again.complains("Refused before: 15");
    assert_eq!(server.heard("RCPT").len(), 190, "nobody is tried twice");

    let willing = MailServer::start(None);
    let last = send(&office, &willing.url, &["--retry-refused"]);
    last.assert(0, "Sent 15 mails\n");
}

#[tokio::test]
async fn who_is_not_taken_for_now_comes_last_and_again_in_the_next_run() {
    for (step, words) in [
        (Step::Recipient, "450 mailbox busy"),
        (Step::Recipient, "554 5.7.1 not by our policy"),
        (Step::Message, "554 5.6.0 not this message"),
    ] {
        let office = Office::open().await;
        office.add_confirmed(40).await;
        let server = refusing(0..15, step, words);
        send(&office, &server.url(), &[]);
        let said = send(&office, &server.url(), &[]);
        assert_eq!(said.code, 1, "{}", said.err);
        said.complains("run the same command again");
        let willing = MailServer::start(None);
        let last = send(&office, &willing.url, &[]);
        last.assert(0, "Sent 15 mails\n");
    }
}

#[tokio::test]
async fn a_relay_that_refuses_everybody_without_a_reason_marks_nobody() {
    let office = Office::open().await;
    office.add_confirmed(40).await;
    let server = refusing(0..40, Step::Recipient, "550 no");
    let said = send(&office, &server.url(), &[]);
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("gave up after several failures"),
        "{} {}",
        said.out,
        said.err
    );
    assert!(server.heard("RCPT").len() < 20);
    let counts = office.issue_counts(ISSUE).await;
    assert_eq!((counts.refused, counts.waiting), (0, 40));
}

#[tokio::test]
async fn a_refusal_without_a_reason_is_believed_once_a_mail_was_taken() {
    let office = Office::open().await;
    office.add_confirmed(8).await;
    let server = refusing(0..5, Step::Recipient, "550 no");
    let said = send(&office, &server.url(), &[]);
    assert!(
        said.out
            .starts_with("Sent 3 mails; 5 refused by the mail server: "),
        "{} {}",
        said.out,
        said.err
    );
    assert_eq!(office.issue_counts(ISSUE).await.refused, 5);
}

#[tokio::test]
async fn a_server_that_fails_everybody_is_left_after_a_few() {
    let office = Office::open().await;
    office.add_confirmed(40).await;
    let server = ScriptedServer::start(|step, _| {
        (step == Step::From).then(|| "550 5.7.1 sender not allowed".to_owned())
    });
    let said = send(&office, &server.url(), &[]);
    assert_eq!(said.code, 1);
    said.complains("gave up after several failures");
    assert!(server.heard("MAIL").len() < 20);
    let willing = MailServer::start(None);
    assert_eq!(send(&office, &willing.url, &[]).out, "Sent 40 mails\n");
}

/// The store refuses to note "sent" for the first mails until the last is
/// taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_for_a_moment_puts_no_mail_in_doubt() {
    const PEOPLE: usize = 3;
    let office = Office::open().await;
    office.add_confirmed(PEOPLE).await;
    let database = Mutex::new(office.database.past());
    database.lock().unwrap().refuse_sent();
    let watcher = Arc::new(move |moment: Moment, taken: usize| {
        if matches!((moment, taken), (Moment::Taken, PEOPLE)) {
            database.lock().unwrap().take_sent();
        }
    });
    let server = MailServer::watched(None, watcher);
    let said = send(&office, &server.url, &[]);
    said.assert(0, "Sent 3 mails\n");
    let counts = office.issue_counts(ISSUE).await;
    assert_eq!(
        counts,
        IssueCounts {
            sent: 3,
            ..IssueCounts::default()
        }
    );
}
