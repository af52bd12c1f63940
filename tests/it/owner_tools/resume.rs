//! Sending is paused after a restore, until the owner says what to do. How a restore
//! begins the pause: see `restore.rs`.

use jiff::{SignedDuration, Timestamp};

use super::ada;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::Process;
use crate::support::receiver::Receiver;

const ISSUE: &str = "# News\n\nHello.\n";

fn schedule(office: &Office) {
    let file = office.write("issue.md", ISSUE);
    let tomorrow = Timestamp::now() + SignedDuration::from_hours(24);
    let at = tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let send = [
        "newsletter",
        "send",
        file.to_str().unwrap(),
        "--at",
        &at,
        "--yes",
    ];
    assert_eq!(office.run(&send).code, 0);
    let due = "UPDATE newsletter_schedules SET send_at = '2020-01-01T00:00:00.000Z',
        next_attempt_at = '2020-01-01T00:00:00.000Z'";
    assert_eq!(office.database.past().run(due), 1);
}

fn pause(office: &Office) {
    let sql = "INSERT INTO sending_pause (paused_at) VALUES ('2026-01-02T03:04:05.000Z')";
    office.database.past().run(sql);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_and_issues_go_out_once_the_owner_resumes() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let resume = ["deliveries", "resume", "--send-all", "--yes"];
    office.run(&resume).assert(0, "Sending isn't paused.\n");
    pause(&office);
    office.add(ada(), None).await;
    schedule(&office);
    let (mail, receiver) = (MailServer::start(None), Receiver::accepting().await);
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        ("FRONTDOOR_SMTP_URL", mail.url.as_str()),
        ("FRONTDOOR_DIGEST_HOUR", "off"),
    ];
    let _server = Process::start(&office.database.url(), &settings);
    let file = office.write("other.md", "# Other news\n\nHello.\n");
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let said = office.run_with_mail(&send, &mail.url);
    assert_eq!(said.code, 1);
    said.complains("sending is paused after a restore: frontdoor deliveries resume");
    assert!(receiver.calls().is_empty() && mail.taken().is_empty());

    let said = office.run(&resume);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("paused since the restore at 2026-01-01 22:04 EST");
    said.shows("\nwebhook  1        0 ");
    said.shows("Newsletter “News”, to go out at 2019-12-31 19:00 EST");
    receiver.wait_for_calls(1).await;
    mail.wait_for_mails(1).await;
    assert_eq!(office.run_with_mail(&send, &mail.url).code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_that_was_due_before_is_cancelled_with_what_is_dropped() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    schedule(&office);
    pause(&office);
    let said = office.run(&["deliveries", "resume", "--drop", "--yes"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("Sending goes on. 0 deliveries were given up");
    said.shows("1 issue was cancelled.");
    let issues = office.json(&["newsletter", "list", "--json"]);
    assert_eq!(issues[0]["state"], "cancelled");
}
