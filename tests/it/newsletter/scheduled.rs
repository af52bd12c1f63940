//! Issues that the server sends at their time: one server on SQLite, several on PostgreSQL.

use frontdoor::newsletter::MAX_SESSIONS;
use serde_json::{Value, json};

use super::interruptions::gated_server;
use super::{assert_everybody_once, confirmed, refusing, send_issue};
use crate::support::{MailServer, Process, Step, TIMEOUT, TestStore, in_hours, on_postgres, until};

const ISSUE: &str = "# Later\n\nHello.\n";

/// The time of everything that is scheduled has come.
fn make_due(test: &TestStore) {
    let sql = "UPDATE newsletter_schedules SET next_attempt_at = '2020-01-01T00:00:00.000Z'";
    assert!(test.database.sql().run(sql) > 0);
}

async fn until_a_run_failed(test: &TestStore, reason: &str) -> Value {
    let last = || issues(test)[0]["last_error"].to_string();
    until(reason, async || last().contains(reason)).await;
    issues(test).remove(0)
}

fn server(test: &TestStore, smtp_url: &str) -> Process {
    Process::start(&test.database.url(), &[("FRONTDOOR_SMTP_URL", smtp_url)])
}

fn issues(test: &TestStore) -> Vec<Value> {
    let json = test.json(&["newsletter", "list", "--json"]);
    json.as_array().unwrap().clone()
}

#[track_caller]
fn assert_listed(issue: &Value, fields: Value) {
    for (field, value) in fields.as_object().unwrap() {
        assert_eq!(&issue[field], value, "{field}");
    }
}

async fn until_state(test: &TestStore, state: &str) -> Value {
    until(state, async || issues(test)[0]["state"] == state).await;
    issues(test).remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_goes_out_at_its_time_as_it_was_when_it_was_scheduled() {
    let test = confirmed(3).await;
    let at = in_hours(1);
    let output = test.schedule("issue.md", ISSUE, at).succeeds();
    output.stdout_contains("The server will send it on ");
    output.stderr_contains("the server needs FRONTDOOR_SMTP_URL");
    assert_listed(
        &issues(&test)[0],
        json!({"state": "scheduled", "left": 3, "send_at": at.to_string()}),
    );
    test.write("issue.md", "# Another\n\nNot this.\n");

    let mail = refusing(0..1, Step::Recipient, "550 5.1.1 no such user");
    let _server = server(&test, &mail.url);
    make_due(&test);
    assert_listed(
        &until_state(&test, "sent").await,
        json!({"sent": 2, "refused": 1, "left": 0, "file_name": "issue.md"}),
    );
    assert_eq!(mail.taken()[0].subject(), "Later");
    assert_everybody_once(&mail, 2);
    let table = test.run(&["newsletter", "list"]).stdout;
    let line = table.lines().nth(1).unwrap();
    assert!(line.contains("Later") && line.contains("sent"), "{table}");
    assert!(table.starts_with("ID        STATE"), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_costs_nobody_the_issue_and_nobody_gets_it_twice() {
    const PEOPLE: usize = 30;
    let test = confirmed(PEOPLE).await;
    test.schedule("issue.md", ISSUE, in_hours(1));
    make_due(&test);
    let (mail, all_wait, _open) = gated_server(&[(Step::Taken, PEOPLE / 3)], MAX_SESSIONS);
    let first = server(&test, &mail.url);
    all_wait.recv_timeout(TIMEOUT).unwrap();
    first.kill();
    // As if the lease had expired.
    let ended = "UPDATE newsletter_schedules SET lease_until = '2020-01-01T00:00:00.000Z'";
    assert_eq!(test.database.sql().run(ended), 1);

    let replicas = if on_postgres() { 3 } else { 1 };
    let _servers: Vec<_> = (0..replicas).map(|_| server(&test, &mail.url)).collect();
    let sent = until_state(&test, "sent").await;
    assert_everybody_once(&mail, PEOPLE);
    assert_eq!(sent["unsure"], MAX_SESSIONS);
    assert_eq!(sent["sent"], PEOPLE - MAX_SESSIONS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_hands_an_issue_on_at_once() {
    let test = confirmed(3).await;
    let file = test.write("issue.md", ISSUE);
    let slowly = ["--at", &in_hours(1).to_string(), "--rate", "1", "--yes"];
    let send = [&["newsletter", "send", file.to_str().unwrap()], &slowly[..]].concat();
    test.run(&send).succeeds();
    make_due(&test);
    let mail = MailServer::start();
    let first = server(&test, &mail.url);
    mail.wait_for_mails(1).await;
    let (_, ended) = first.terminate();
    assert!(ended.success());
    let left = "SELECT count(*) FROM newsletter_schedules WHERE lease_until IS NULL";
    assert_eq!(test.database.sql().number(left), 1);
    let _second = server(&test, &mail.url);
    until_state(&test, "sent").await;
    assert_everybody_once(&mail, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_is_listed_with_its_reason_and_repeated_for_the_remaining_recipients() {
    let test = confirmed(3).await;
    test.schedule("issue.md", ISSUE, in_hours(1));
    let (sql, table) = (test.database.sql(), "newsletter_schedules");
    let damage = format!("UPDATE {table} SET content = '!' || content");
    assert_eq!(sql.run(&damage), 1);
    make_due(&test);
    let busy = refusing(0..1, Step::Recipient, "450 mailbox busy");
    let first = server(&test, &busy.url);
    until_a_run_failed(&test, "can't be read").await;
    let told = "newsletter: “Later” wasn't sent to 3 subscribers: ";
    test.run(&["check"]).stdout_contains(told);
    assert!(busy.taken().is_empty());
    // No run is under way that would set the next one's time.
    first.terminate();

    let repair = format!("UPDATE {table} SET content = substr(content, 2)");
    assert_eq!(sql.run(&repair), 1);
    make_due(&test);
    let second = server(&test, &busy.url);
    let listed = until_a_run_failed(&test, "1 not accepted").await;
    assert_listed(&listed, json!({"state": "sending", "left": 1}));
    assert!(sql.number(&format!("SELECT attempts FROM {table}")) >= 2);
    second.kill();
    make_due(&test);
    let mail = MailServer::start();
    let _third = server(&test, &mail.url);
    until_state(&test, "sent").await;
    assert_eq!(mail.taken().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_issue_is_not_sent() {
    let test = confirmed(2).await;
    test.schedule("one.md", "# One\n\nx\n", in_hours(1));
    test.schedule("two.md", "# Two\n\nx\n", in_hours(2));
    let cancel = |which: &[&str]| test.run(&[&["newsletter", "cancel"], which].concat());
    cancel(&[]).fails_with(2, "several are scheduled: name ");
    let latest = issues(&test)[0]["id"].as_str().unwrap().to_owned();
    let two = "Cancelled “Two”: nobody got it.\n";
    cancel(&[&latest[..8]]).exits_with(0, two);
    cancel(&[]).exits_with(0, "Cancelled “One”: nobody got it.\n");
    cancel(&[]).fails_with(1, "no issue is scheduled");
    cancel(&["--jsn"]).fails_with(2, "unexpected argument");

    // One that is due proves that the server has looked.
    test.schedule("three.md", "# Three\n\nx\n", in_hours(1));
    make_due(&test);
    let mail = MailServer::start();
    let _server = server(&test, &mail.url);
    mail.wait_for_mails(2).await;
    until("all is told", async || {
        issues(&test).iter().any(|each| each["state"] == "sent")
    })
    .await;
    assert_eq!(mail.taken().len(), 2);
    let number = |state| {
        let all = issues(&test).into_iter();
        all.filter(|each| each["state"] == state).count()
    };
    assert_eq!((number("cancelled"), number("sent")), (2, 1));
    send_issue(&test, "# Two\n\nx\n", &mail, &[]).exits_with(0, "Sent 2 mails\n");
    assert_eq!((number("cancelled"), number("sent")), (1, 2));
    let again = test.schedule("three.md", "# Three\n\nx\n", in_hours(1));
    again.fails_with(1, "everyone already has this issue");
}
