//! The real program: a lead that has waited is told of, and `check` and the
//! metrics say what waits and what fails.

use jiff::{SignedDuration, Timestamp};

use crate::support::client::metrics;
use crate::support::data::visitor;
use crate::support::mail_server::MailServer;
use crate::support::process::Process;
use crate::support::receiver::{Answer, Receiver};
use crate::support::test_store::TestStore;
use crate::support::wait::until;

/// A lead that came in so many hours ago.
async fn add_before(test: &TestStore, hours: i64) -> String {
    let id = test.add(visitor()).await;
    let time = Timestamp::now() - SignedDuration::from_hours(hours);
    let sql = format!("UPDATE contacts SET created_at = '{time:.3}' WHERE id = '{id}'");
    test.database.sql().run(&sql);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_reminds_everybody_it_is_told_to_and_sends_the_digest_of_the_day() {
    let test = TestStore::new().await;
    let id = add_before(&test, 22).await;
    let (mail, hook) = (MailServer::start(), Receiver::accepting().await);
    let settings = [
        ("FRONTDOOR_SMTP_URL", mail.url.as_str()),
        ("FRONTDOOR_WEBHOOK_URL", &hook.url),
        ("FRONTDOOR_NOTIFY_EMAIL", "a@site.example,b@site.example"),
        ("FRONTDOOR_DIGEST_HOUR", "0"),
    ];
    let server = Process::start(&test.database.url(), &settings);
    mail.wait_for_mails(2).await;
    // The lead's own event, which waited for a server, and the reminder.
    hook.wait_for_calls(2).await;
    drop(server);
    // The next one has looked when it listens.
    drop(Process::start(&test.database.url(), &settings));
    let stored = test.json(&["deliveries", "list", "--json"]);
    // Midnight may have passed, and brought the next day's digest.
    let others = stored.as_array().unwrap().iter();
    let others = others.filter(|each| each["kind"] != "digest");
    assert_eq!(others.count(), 3, "nothing twice: {stored}");
    let taken = mail.taken();
    for mail in &taken {
        assert_eq!(mail.envelope_to, ["a@site.example", "b@site.example"]);
    }
    let about = |words: &str| {
        let mut mails = taken.iter();
        mails.find(|mail| mail.subject().contains(words)).unwrap()
    };
    assert!(about("waits for").text().contains(&id));
    let digest = "Waiting for you: 1 due (Maplewire)";
    assert_eq!(about("Waiting").subject(), digest);
    let calls = hook.calls();
    let events = calls.iter().map(|call| call.header("frontdoor-event"));
    let mut events: Vec<_> = events.collect();
    events.sort();
    assert_eq!(events, ["lead.created", "lead.due"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_and_the_metrics_show_overdue_leads_and_failing_deliveries() {
    let test = TestStore::new().await;
    add_before(&test, 30).await;
    add_before(&test, 21).await;
    let hook = Receiver::start(|_| Answer::Status(503)).await;
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", hook.url.as_str()),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let server = Process::start(&test.database.url(), &settings);
    let has = async |line: &str| metrics(server.ops).await.lines().any(|have| have == line);
    for line in [
        "frontdoor_leads_waiting{due=\"overdue\"} 1",
        "frontdoor_leads_waiting{due=\"due\"} 1",
        "frontdoor_leads_waiting{due=\"new\"} 0",
        "frontdoor_deliveries_failing{channel=\"webhook\"} 4",
        "frontdoor_deliveries_failing{channel=\"mail\"} 0",
        "frontdoor_channel_failing_since_timestamp_seconds{channel=\"mail\"} 0",
    ] {
        until(line, async || has(line).await).await;
    }
    let said = test.run(&["check"]).succeeds();
    for line in [
        "!!  1 lead is overdue: frontdoor leads due\n",
        "!!  webhook: 4 deliveries wait for another try: status 503: fix it",
    ] {
        said.shows(line);
    }
}
