//! Sending is paused after a restore until the owner says what to do. How a restore begins the
//! pause: see `files.rs`.

use super::ada;
use crate::support::{MailServer, Process, Receiver, TestStore, in_hours};

/// An issue that was to go out years ago.
fn schedule(test: &TestStore, name: &str, text: &str) {
    test.schedule(name, text, in_hours(24)).succeeds();
    let due = "UPDATE newsletter_schedules SET send_at = '2020-01-01T00:00:00.000Z',
        next_attempt_at = '2020-01-01T00:00:00.000Z' WHERE state = 'scheduled'";
    assert_eq!(test.database.sql().run(due), 1);
}

fn pause(test: &TestStore) {
    let sql = "INSERT INTO sending_pause (paused_at) VALUES ('2026-01-02T03:04:05.000Z')";
    test.database.sql().run(sql);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_the_owner_drops_or_sends_what_waits() {
    let test = TestStore::new().await;
    test.add_confirmed(1).await;
    let resume = ["deliveries", "resume", "--send-all", "--yes"];
    test.run(&resume).exits_with(0, "Sending isn't paused.\n");
    schedule(&test, "old.md", "# Old news\n\nHello.\n");
    pause(&test);
    let output = test.run(&["deliveries", "resume", "--drop", "--yes"]);
    output.stdout_contains("Sending resumed. 0 deliveries were given up");
    output.stdout_contains("1 issue was cancelled.");
    let issues = test.json(&["newsletter", "list", "--json"]);
    assert_eq!(issues[0]["state"], "cancelled");

    pause(&test);
    test.add(ada()).await;
    schedule(&test, "issue.md", "# News\n\nHello.\n");
    let (mail, receiver) = (MailServer::start(), Receiver::accepting().await);
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        ("FRONTDOOR_SMTP_URL", mail.url.as_str()),
        ("FRONTDOOR_DIGEST_HOUR", "off"),
    ];
    let _server = Process::start(&test.database.url(), &settings);
    let file = test.write("other.md", "# Other news\n\nHello.\n");
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let paused = "sending is paused after a restore; run `frontdoor deliveries resume`";
    test.run_with_mail(&send, &mail.url).fails_with(1, paused);
    assert!(receiver.calls().is_empty() && mail.taken().is_empty());

    let output = test.run(&resume).succeeds();
    output.stdout_contains("paused since the restore at 2026-01-01 22:04 EST");
    output.stdout_contains("\nwebhook  1        0 ");
    output.stdout_contains("Newsletter “News”, to go out at 2019-12-31 19:00 EST");
    receiver.wait_for_calls(1).await;
    mail.wait_for_mails(1).await;
    test.run_with_mail(&send, &mail.url).succeeds();
}
