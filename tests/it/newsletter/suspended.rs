//! Addresses that the mail server refuses for good are left out of further
//! issues, until their owners or the site's take them up again.

use crate::newsletter::refused::{refusing, send_issue};
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::scripted_smtp::{ScriptedServer, Step};

const FIRST: &str = "# One\n\nHello.\n";
const SECOND: &str = "# Two\n\nHello again.\n";
const THIRD: &str = "# Three\n\nStill here.\n";

fn suspended(office: &Office) -> Vec<String> {
    let list = ["subscribers", "list", "--suspended", "--json"];
    let json = office.json(&list);
    let all = json.as_array().unwrap().iter();
    all.map(|each| each["email"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn fifteen_refused_in_a_row_among_200_cost_nobody_the_issue_and_are_left_out_of_the_next() {
    for (people, words, code) in [
        (0..15, "550 No such user here", "550"),
        (90..105, "550 5.1.1 user unknown", "550 5.1.1"),
        (185..200, "553 sorry, no mailbox by that name", "553"),
    ] {
        let office = Office::open().await;
        office.add_confirmed(200).await;
        let server = refusing(people.clone(), Step::Recipient, words);
        let said = send_issue(&office, FIRST, &server.url(), &[]);
        let begin = "Sent 185 mails; 15 refused by the mail server: ";
        assert!(said.out.starts_with(begin), "{} {}", said.out, said.err);
        for person in people {
            let named = format!("person{person}@example.org ({code})");
            assert!(said.out.contains(&named), "{named}: {}", said.out);
        }
        assert_eq!(server.heard("DATA").len(), 185);
        assert_eq!(server.heard("RCPT").len(), 200, "nobody is asked for twice");
        assert_eq!(suspended(&office).len(), 15);

        let willing = MailServer::start(None);
        let next = send_issue(&office, SECOND, &willing.url, &[]);
        next.assert(0, "Sent 185 mails\n");
    }
}

#[tokio::test]
async fn any_other_refusal_suspends_with_the_second_issue_in_a_row() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = refusing(0..1, Step::Recipient, "550 5.2.1 mailbox disabled");
    send_issue(&office, FIRST, &server.url(), &[]);
    // The same issue again is no second one.
    send_issue(&office, FIRST, &server.url(), &["--retry-refused"]);
    assert!(suspended(&office).is_empty());
    send_issue(&office, SECOND, &server.url(), &[]);
    assert_eq!(suspended(&office), ["person0@example.org"]);
    let asked = server.heard("RCPT").len();
    send_issue(&office, THIRD, &server.url(), &[]).assert(0, "Sent 2 mails\n");
    assert_eq!(server.heard("RCPT").len(), asked + 2);
}

#[tokio::test]
async fn a_mail_that_arrives_makes_the_refusals_before_it_forgotten() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let full = refusing(0..1, Step::Recipient, "552 5.2.2 mailbox full");
    let willing = MailServer::start(None);
    send_issue(&office, FIRST, &full.url(), &[]);
    send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 2 mails\n");
    send_issue(&office, THIRD, &full.url(), &[]);
    assert!(suspended(&office).is_empty());
}

#[tokio::test]
async fn a_refusal_that_is_about_us_never_suspends() {
    for words in [
        "554 5.7.1 refused by our policy",
        "550 your message looks like spam",
        "550 5.1.8 sender's domain is wrong",
        "530 authentication required",
    ] {
        let office = Office::open().await;
        office.add_confirmed(4).await;
        let server = refusing(0..2, Step::Recipient, words);
        for issue in [FIRST, SECOND, THIRD] {
            send_issue(&office, issue, &server.url(), &[]);
        }
        assert!(suspended(&office).is_empty(), "{words}");
    }
}

#[tokio::test]
async fn a_server_that_knows_nobody_any_more_suspends_nobody() {
    let office = Office::open().await;
    office.add_confirmed(40).await;
    let server = ScriptedServer::start(|step, _| {
        (step == Step::Recipient).then(|| "550 5.1.1 no such user".to_owned())
    });
    let said = send_issue(&office, FIRST, &server.url(), &[]);
    said.complains("gave up after several failures");
    assert!(server.heard("RCPT").len() < 20);
    assert!(suspended(&office).is_empty());
    let willing = MailServer::start(None);
    send_issue(&office, FIRST, &willing.url, &[]).assert(0, "Sent 40 mails\n");
}

#[tokio::test]
async fn a_suspended_address_is_shown_with_code_and_day_and_comes_back_by_command() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    let server = refusing(0..1, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, FIRST, &server.url(), &[]);
    let table = office.run(&["subscribers", "list", "--suspended"]).out;
    let line = table.lines().nth(1).unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words[..3], ["person0@example.org", "550", "5.1.1"]);
    assert!(words[3].parse::<jiff::civil::Date>().is_ok(), "{table}");
    assert_eq!(table.lines().count(), 2);
    let all = office.run(&["subscribers", "list"]).out;
    assert!(all.contains("suspended: refused on "), "{all}");

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
    let server = refusing(0..1, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, FIRST, &server.url(), &[]);
    office.subscribe("person0@example.org", None, true).await;
    let willing = MailServer::start(None);
    send_issue(&office, SECOND, &willing.url, &[]).assert(0, "Sent 1 mail\n");
    assert_eq!(suspended(&office).len(), 1, "asking alone changes nothing");

    let due = "UPDATE deliveries SET next_attempt_at = '2020-01-01' WHERE state = 'pending'";
    assert_eq!(office.database.past().run(due), 1);
    office.confirm_all().await;
    assert!(suspended(&office).is_empty());
    send_issue(&office, THIRD, &willing.url, &[]).assert(0, "Sent 2 mails\n");
    let proof = office
        .run(&["subscribers", "proof", "person0@example.org"])
        .out;
    assert!(proof.contains("Before that"), "{proof}");
}

#[tokio::test]
async fn retry_refused_takes_them_up_again_for_this_issue() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = refusing(0..1, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, FIRST, &server.url(), &[]);
    assert_eq!(suspended(&office).len(), 1);
    let willing = MailServer::start(None);
    let again = send_issue(&office, FIRST, &willing.url, &["--retry-refused"]);
    again.assert(0, "Sent 1 mail\n");
    assert!(suspended(&office).is_empty());
}
