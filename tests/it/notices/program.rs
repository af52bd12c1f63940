//! The real program: a lead that has waited is told of, and `check` and the
//! metrics say what waits and what fails.

use jiff::{SignedDuration, Timestamp};

use super::{subject, text};
use crate::support::client::metrics;
use crate::support::data::visitor;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::Process;
use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::until;

/// A lead that came in so many hours ago.
async fn add_before(office: &Office, hours: i64) -> String {
    let id = office.add(visitor(), None).await;
    let time = Timestamp::now() - SignedDuration::from_hours(hours);
    let time = time.strftime("%Y-%m-%dT%H:%M:%S.000Z");
    let sql = format!("UPDATE contacts SET created_at = '{time}' WHERE id = '{id}'");
    assert_eq!(office.database.past().run(&sql), 1);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_reminds_everybody_it_is_told_to_and_sends_the_digest_of_the_day() {
    let office = Office::open().await;
    let id = add_before(&office, 22).await;
    let (mail, hook) = (MailServer::start(None), Receiver::accepting().await);
    let settings = [
        ("FRONTDOOR_SMTP_URL", mail.url.as_str()),
        ("FRONTDOOR_WEBHOOK_URL", &hook.url),
        ("FRONTDOOR_NOTIFY_EMAIL", "a@site.example,b@site.example"),
        ("FRONTDOOR_DIGEST_HOUR", "0"),
    ];
    let server = Process::start(&office.database.url(), &settings);
    mail.wait_for_mails(2).await;
    // The lead's own event, which waited for a server, and the reminder.
    hook.wait_for_calls(2).await;
    drop(server);
    // The next one has looked when it listens.
    drop(Process::start(&office.database.url(), &settings));
    let stored = office.json(&["deliveries", "list", "--json"]);
    // Midnight may have passed, and brought the next day's digest.
    let others = stored.as_array().unwrap().iter();
    let others = others.filter(|each| each["kind"] != "digest");
    assert_eq!(others.count(), 3, "nothing twice: {stored}");
    let taken = mail.taken();
    for mail in &taken {
        assert_eq!(mail.envelope_to, ["a@site.example", "b@site.example"]);
    }
    let reminder = taken
        .iter()
        .find(|mail| subject(mail).contains("waits for"));
    assert!(text(reminder.unwrap()).contains(&id));
    let digest = taken
        .iter()
        .find(|mail| subject(mail).starts_with("Waiting"));
    assert_eq!(
        subject(digest.unwrap()),
        "Waiting for you: 1 due (Maplewire)"
    );
    let mut events: Vec<_> = hook
        .calls()
        .iter()
        .map(|call| call.header("frontdoor-event").to_owned())
        .collect();
    events.sort();
    assert_eq!(events, ["lead.created", "lead.due"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_and_the_metrics_show_overdue_leads_and_failing_deliveries() {
    let office = Office::open().await;
    add_before(&office, 30).await;
    add_before(&office, 21).await;
    let hook = Receiver::start(|_| Answer::Status(503)).await;
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", hook.url.as_str()),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let server = Process::start(&office.database.url(), &settings);
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
    let said = office.run(&["check"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in [
        "! leads: 1 lead is overdue → frontdoor leads due\n",
        "! deliveries: webhook: 4 deliveries are waiting for another try: status 503 → fix it",
    ] {
        assert!(said.out.contains(line), "{line} is not in {}", said.out);
    }
}
