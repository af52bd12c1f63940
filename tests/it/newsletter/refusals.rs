//! Addresses the mail server does not accept, and a store that fails: nobody else goes
//! without their issue, and dead addresses are left out of further issues.

use std::sync::{Arc, Mutex};

use frontdoor::store::IssueCounts;

use super::{ISSUE, refusing, send_issue};
use crate::support::mail_server::{MailServer, Moment};
use crate::support::office::Office;
use crate::support::scripted_smtp::{ScriptedServer, Step};

const SECOND: &str = "# Two\n\nHello again.\n";
const THIRD: &str = "# Three\n\nStill here.\n";
const NO_SUCH_USER: &str = "550 5.1.1 no such user";

fn suspended(office: &Office) -> Vec<String> {
    let json = office.json(&["subscribers", "list", "--suspended", "--json"]);
    let all = json.as_array().unwrap().iter();
    all.map(|each| each["email"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn fifteen_refused_in_a_row_cost_nobody_the_issue_and_are_left_out_of_the_next() {
    for (people, words, code) in [
        (0..15, "550 No such user here", "550"),
        (90..105, "550 5.1.1 user unknown", "550 5.1.1"),
        (185..200, "553 sorry, no mailbox by that name", "553"),
    ] {
        let office = Office::open().await;
        office.add_confirmed(200).await;
        let server = refusing(people.clone(), Step::Recipient, words);
        let said = send_issue(&office, ISSUE, &server.url(), &[]);
        assert_eq!(said.code, 1, "not everybody got it");
        let begin = "Sent 185 mails; 15 refused by the mail server: ";
        assert!(said.out.starts_with(begin), "{} {}", said.out, said.err);
        for person in people {
            said.shows(&format!("person{person}@example.org ({code})"));
        }
        assert_eq!(server.heard("DATA").len(), 185);
        assert_eq!(suspended(&office).len(), 15);

        let again = send_issue(&office, ISSUE, &server.url(), &[]);
        again.assert(1, "Sent 0 mails\n");
        again.complains("15 subscribers did not get this issue and won't be tried again");
        assert_eq!(server.heard("RCPT").len(), 200, "nobody is tried twice");
        let willing = MailServer::start(None);
        send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 185 mails\n");
        let retry = send_issue(&office, ISSUE, &willing.url, &["--retry-refused"]);
        retry.assert(0, "Sent 15 mails\n");
        assert!(suspended(&office).is_empty(), "they take mail again");
    }
}

#[tokio::test]
async fn a_server_that_refuses_everybody_is_left_after_a_few_and_nobody_is_marked() {
    for (step, words) in [
        (Step::Recipient, "550 no"),
        (Step::Recipient, NO_SUCH_USER),
        (Step::From, "550 5.7.1 sender not allowed"),
    ] {
        let office = Office::open().await;
        office.add_confirmed(40).await;
        let server = ScriptedServer::start(move |now, _| (now == step).then(|| words.to_owned()));
        let said = send_issue(&office, ISSUE, &server.url(), &[]);
        assert_eq!(said.code, 1, "{words}");
        said.complains("gave up after several failures");
        assert!(server.heard("MAIL").len() < 20, "{words}");
        let counts = office.issue_counts(ISSUE).await;
        assert_eq!((counts.refused, counts.waiting), (0, 40), "{words}");
        assert!(suspended(&office).is_empty(), "{words}");
        let willing = MailServer::start(None);
        send_issue(&office, ISSUE, &willing.url, &[]).assert(0, "Sent 40 mails\n");
    }
}

#[tokio::test]
async fn a_refusal_without_a_reason_is_believed_once_a_mail_was_taken() {
    let office = Office::open().await;
    office.add_confirmed(8).await;
    let server = refusing(0..5, Step::Recipient, "550 no");
    let said = send_issue(&office, ISSUE, &server.url(), &[]);
    said.shows("Sent 3 mails; 5 refused by the mail server: ");
    assert_eq!(office.issue_counts(ISSUE).await.refused, 5);
}

#[tokio::test]
async fn recipients_who_are_not_accepted_for_now_come_last_and_again_in_the_next_run() {
    for (step, words) in [
        (Step::Recipient, "450 mailbox busy"),
        (Step::Recipient, "554 5.7.1 not by our policy"),
        (Step::Message, "554 5.6.0 not this message"),
    ] {
        let office = Office::open().await;
        office.add_confirmed(40).await;
        let server = refusing(0..15, step, words);
        send_issue(&office, ISSUE, &server.url(), &[]);
        let said = send_issue(&office, ISSUE, &server.url(), &[]);
        assert_eq!(said.code, 1, "{}", said.err);
        said.complains("run the same command again");
        let willing = MailServer::start(None);
        send_issue(&office, ISSUE, &willing.url, &[]).assert(0, "Sent 15 mails\n");
    }
}

/// The store refuses to note "sent" for the first mails until the last is taken.
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
    send_issue(&office, ISSUE, &server.url, &[]).assert(0, "Sent 3 mails\n");
    let sent = IssueCounts {
        sent: 3,
        ..IssueCounts::default()
    };
    assert_eq!(office.issue_counts(ISSUE).await, sent);
}

#[tokio::test]
async fn any_other_refusal_suspends_with_the_second_issue_in_a_row() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = refusing(0..1, Step::Recipient, "550 5.2.1 mailbox disabled");
    send_issue(&office, ISSUE, &server.url(), &[]);
    // The same issue again is no second one.
    send_issue(&office, ISSUE, &server.url(), &["--retry-refused"]);
    assert!(suspended(&office).is_empty());
    send_issue(&office, SECOND, &server.url(), &[]);
    assert_eq!(suspended(&office), ["person0@example.org"]);
    let asked = server.heard("RCPT").len();
    send_issue(&office, THIRD, &server.url(), &[]).assert(0, "Sent 2 mails\n");
    assert_eq!(server.heard("RCPT").len(), asked + 2);
}

#[tokio::test]
async fn a_mail_that_arrives_makes_earlier_refusals_forgotten() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let full = refusing(0..1, Step::Recipient, "552 5.2.2 mailbox full");
    let willing = MailServer::start(None);
    send_issue(&office, ISSUE, &full.url(), &[]);
    send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 2 mails\n");
    send_issue(&office, THIRD, &full.url(), &[]);
    assert!(suspended(&office).is_empty());
}

#[tokio::test]
async fn a_refusal_that_is_about_us_never_suspends() {
    for words in [
        "554 5.7.1 refused by our policy",
        "550 your message looks like spam",
    ] {
        let office = Office::open().await;
        office.add_confirmed(4).await;
        let server = refusing(0..2, Step::Recipient, words);
        for issue in [ISSUE, SECOND, THIRD] {
            send_issue(&office, issue, &server.url(), &[]);
        }
        assert!(suspended(&office).is_empty(), "{words}");
    }
}

#[tokio::test]
async fn a_suspended_address_is_shown_with_code_and_day_and_comes_back_by_command() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let server = refusing(0..1, Step::Recipient, NO_SUCH_USER);
    send_issue(&office, ISSUE, &server.url(), &[]);
    let table = office.run(&["subscribers", "list", "--suspended"]).out;
    assert_eq!(table.lines().count(), 2);
    let line = table.lines().nth(1).unwrap();
    assert!(line.starts_with("person0@example.org"), "{line}");
    let (_, note) = line.split_once("suspended: refused on ").unwrap();
    let (day, code) = note.split_at(10);
    assert!(day.parse::<jiff::civil::Date>().is_ok(), "{line}");
    assert!(code.starts_with(" (550 5.1.1)"), "{line}");

    let resume = ["subscribers", "resume", "Person0@example.org"];
    let said = office.run(&resume);
    said.assert(0, "Person0@example.org gets the next issue again.\n");
    assert_eq!(office.run(&resume).code, 1, "it is not suspended any more");
    let willing = MailServer::start(None);
    send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 2 mails\n");
}

#[tokio::test]
async fn a_suspended_address_comes_back_by_its_own_new_subscription_once_confirmed() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let server = refusing(0..1, Step::Recipient, NO_SUCH_USER);
    send_issue(&office, ISSUE, &server.url(), &[]);
    office.subscribe("person0@example.org", None, true).await;
    let willing = MailServer::start(None);
    send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 1 mail\n");
    assert_eq!(suspended(&office).len(), 1, "asking alone changes nothing");

    let due = "UPDATE deliveries SET next_attempt_at = '2020-01-01' WHERE state = 'pending'";
    assert_eq!(office.database.past().run(due), 1);
    office.confirm_all().await;
    assert!(suspended(&office).is_empty());
    send_issue(&office, THIRD, &willing.url, &[]).assert(0, "Sent 2 mails\n");
    let proof = office.run(&["subscribers", "proof", "person0@example.org"]);
    proof.shows("Before that");
}
