//! Issues that the server sends at their time: the real program, twice where
//! the database can be shared.

use frontdoor::newsletter::CONVERSATIONS;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::interruptions::gated_server;
use super::{assert_everybody_once, refusing, send_issue};
use crate::support::database::on_postgres;
use crate::support::mail_server::{MailServer, Moment};
use crate::support::office::Office;
use crate::support::process::{Process, Said};
use crate::support::scripted_smtp::Step;
use crate::support::wait::{PATIENCE, until};

const ISSUE: &str = "# Later\n\nHello.\n";

fn after(seconds: i64) -> String {
    let time = Timestamp::now() + SignedDuration::from_secs(seconds);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn schedule(office: &Office, name: &str, text: &str, at: &str) -> Said {
    let file = office.write(name, text);
    let file = file.to_str().unwrap();
    let send = ["newsletter", "send", file, "--at", at, "--rate", "0"];
    office.run(&[&send[..], &["--yes"]].concat())
}

/// The time of everything that is scheduled has come.
fn make_due(office: &Office) {
    let sql = "UPDATE newsletter_schedules SET next_attempt_at = '2020-01-01T00:00:00.000Z'";
    assert!(office.database.past().run(sql) > 0);
}

async fn until_a_run_failed(office: &Office) -> Value {
    let failed = async || issues(office)[0]["last_error"].is_string();
    until("a run has failed", failed).await;
    issues(office).remove(0)
}

fn server(office: &Office, smtp_url: &str) -> Process {
    Process::start(&office.database.url(), &[("FRONTDOOR_SMTP_URL", smtp_url)])
}

fn issues(office: &Office) -> Vec<Value> {
    let json = office.json(&["newsletter", "list", "--json"]);
    json.as_array().unwrap().clone()
}

async fn until_state(office: &Office, state: &str) -> Value {
    until(state, async || issues(office)[0]["state"] == state).await;
    issues(office).remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_goes_out_at_its_time_as_it_was_when_that_was_settled() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let at = after(3600);
    let said = schedule(&office, "issue.md", ISSUE, &at);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.starts_with("The server will send it on "),
        "{}",
        said.out
    );
    said.complains("the server needs FRONTDOOR_SMTP_URL");
    let listed = &issues(&office)[0];
    assert_eq!(
        [&listed["state"], &listed["send_at"], &listed["left"]],
        [&"scheduled".into(), &at.into(), &3.into()] as [&Value; 3]
    );
    office.write("issue.md", "# Another\n\nNot this.\n");

    let mail = MailServer::start(None);
    let _server = server(&office, &mail.url);
    make_due(&office);
    mail.wait_for_mails(3).await;
    let sent = until_state(&office, "sent").await;
    assert_eq!((&sent["sent"], &sent["left"]), (&3.into(), &0.into()));
    let taken = String::from_utf8(mail.taken()[0].data.clone()).unwrap();
    assert!(taken.contains("Subject: Later\r\n"), "{taken}");
    assert_everybody_once(&mail, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_costs_nobody_the_issue_and_nobody_gets_it_twice() {
    const PEOPLE: usize = 60;
    let office = Office::open().await;
    office.add_confirmed(PEOPLE).await;
    schedule(&office, "issue.md", ISSUE, &after(3600));
    make_due(&office);
    let (mail, gate) = gated_server(&[(Moment::Taken, PEOPLE / 3)], CONVERSATIONS);
    let first = server(&office, &mail.url);
    gate.all_stand.recv_timeout(PATIENCE).unwrap();
    first.kill();
    // As if the claim had run out.
    let ended = "UPDATE newsletter_schedules SET lease_until = '2020-01-01T00:00:00.000Z'";
    assert_eq!(office.database.past().run(ended), 1);

    let replicas = if on_postgres() { 3 } else { 1 };
    let _servers: Vec<_> = (0..replicas).map(|_| server(&office, &mail.url)).collect();
    let sent = until_state(&office, "sent").await;
    assert_everybody_once(&mail, PEOPLE);
    assert_eq!(sent["unsure"], CONVERSATIONS);
    assert_eq!(sent["sent"], PEOPLE - CONVERSATIONS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_hands_an_issue_on_at_once() {
    let office = Office::open().await;
    office.add_confirmed(6).await;
    let file = office.write("issue.md", ISSUE);
    let slowly = ["--at", &after(3600), "--rate", "1", "--yes"];
    let send = [&["newsletter", "send", file.to_str().unwrap()], &slowly[..]].concat();
    assert_eq!(office.run(&send).code, 0);
    make_due(&office);
    let mail = MailServer::start(None);
    let first = server(&office, &mail.url);
    mail.wait_for_mails(1).await;
    let (_, ended) = first.terminate();
    assert!(ended.success());
    let left = "SELECT count(*) FROM newsletter_schedules WHERE lease_until IS NULL";
    assert_eq!(office.database.past().number(left), 1);
    let _second = server(&office, &mail.url);
    until_state(&office, "sent").await;
    assert_everybody_once(&mail, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn recipients_who_are_not_accepted_are_tried_again_later() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    schedule(&office, "issue.md", ISSUE, &after(3600));
    make_due(&office);
    let busy = refusing(0..1, Step::Recipient, "450 mailbox busy");
    let first = server(&office, &busy.url());
    let listed = until_a_run_failed(&office).await;
    assert_eq!(
        (&listed["state"], &listed["left"]),
        (&"sending".into(), &1.into())
    );
    first.kill();
    make_due(&office);
    let mail = MailServer::start(None);
    let _second = server(&office, &mail.url);
    until_state(&office, "sent").await;
    assert_eq!(mail.taken().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_that_cannot_be_read_is_a_failed_run_with_a_reason() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    schedule(&office, "issue.md", ISSUE, &after(3600));
    let damage = "UPDATE newsletter_schedules SET content = '{'";
    assert_eq!(office.database.past().run(damage), 1);
    make_due(&office);
    let mail = MailServer::start(None);
    let _server = server(&office, &mail.url);
    let listed = until_a_run_failed(&office).await;
    let reason = listed["last_error"].as_str().unwrap();
    assert!(reason.contains("cannot be read"), "{reason}");
    let counted = "SELECT count(*) FROM newsletter_schedules WHERE attempts > 0";
    assert_eq!(office.database.past().number(counted), 1);
    office
        .run(&["check"])
        .shows("newsletter: “Later” was not sent to 1 subscriber: ");
    assert!(mail.taken().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_issue_is_not_sent() {
    let office = Office::open().await;
    office.add_confirmed(2).await;
    schedule(&office, "one.md", "# One\n\nx\n", &after(3600));
    schedule(&office, "two.md", "# Two\n\nx\n", &after(7200));
    let which = office.run(&["newsletter", "cancel"]);
    assert_eq!(which.code, 2);
    which.complains("say which one: ");
    let latest = issues(&office)[0]["id"].as_str().unwrap().to_owned();
    let said = office.run(&["newsletter", "cancel", &latest[..8]]);
    said.assert(0, "Cancelled “Two”: nobody has got it.\n");
    office
        .run(&["newsletter", "cancel"])
        .assert(0, "Cancelled “One”: nobody has got it.\n");
    let none = office.run(&["newsletter", "cancel"]);
    assert_eq!(none.code, 1);
    none.complains("no issue is scheduled");
    let flag = office.run(&["newsletter", "cancel", "--jsn"]);
    assert_eq!(flag.code, 2);
    flag.complains("no such flag");

    // One that is due proves that the server has looked.
    schedule(&office, "three.md", "# Three\n\nx\n", &after(3600));
    make_due(&office);
    let mail = MailServer::start(None);
    let _server = server(&office, &mail.url);
    mail.wait_for_mails(2).await;
    until("all is told", async || {
        issues(&office).iter().any(|each| each["state"] == "sent")
    })
    .await;
    assert_eq!(mail.taken().len(), 2);
    let issues = issues(&office).into_iter();
    let cancelled = issues.filter(|each| each["state"] == "cancelled");
    assert_eq!(cancelled.count(), 2);
    let again = schedule(&office, "three.md", "# Three\n\nx\n", &after(3600));
    assert_eq!(again.code, 1);
    again.complains("everybody has it already");
}

#[tokio::test]
async fn past_issues_are_listed_with_who_got_them_and_who_did_not() {
    let office = Office::open().await;
    office.add_confirmed(5).await;
    let server = refusing(0..1, Step::Recipient, "550 5.1.1 no such user");
    send_issue(&office, "# Past\n\nx\n", &server.url(), &[]);
    let listed = &issues(&office)[0];
    assert_eq!(
        [&listed["sent"], &listed["refused"], &listed["left"]],
        [&4.into(), &1.into(), &0.into()] as [&Value; 3]
    );
    assert_eq!(listed["state"], "sent");
    assert_eq!(listed["file_name"], "issue.md");
    let table = office.run(&["newsletter", "list"]).out;
    let line = table.lines().nth(1).unwrap();
    assert!(line.contains("Past") && line.contains("sent"), "{table}");
    assert!(table.starts_with("ID        STATE"), "{table}");
}
