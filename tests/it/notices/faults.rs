//! If mail or the webhook fails, the other one reports it; so do `check` and the metrics of the real
//! program.

use frontdoor::store::DeliveryKind;
use jiff::SignedDuration;

use super::{HOUR, Setup, settings};
use crate::support::{
    Answer, MailServer, NOON, Process, Receiver, TestStore, metrics, until, visitor,
};

const BOTH: &[DeliveryKind] = &[DeliveryKind::LeadWebhook, DeliveryKind::LeadMail];

async fn with_webhook(status: u16) -> Setup {
    let hook = Receiver::start(move |_| Answer::Status(status)).await;
    Setup::with(MailServer::start(), hook).await
}

#[tokio::test]
async fn a_webhook_that_fails_for_an_hour_is_reported_by_mail_once() {
    let setup = with_webhook(500).await;
    let replica = setup.replica(settings());
    setup.test.add(visitor()).await;
    replica.run_once().await;
    setup.test.pass_time(HOUR - SignedDuration::from_secs(1));
    replica.run_once().await;
    assert!(setup.mail.taken().is_empty());
    setup.test.pass_time(SignedDuration::from_secs(1));
    for _ in 0..20 {
        replica.run_once().await;
        setup.test.pass_time(SignedDuration::from_mins(30));
    }
    let mails = setup.mails("The webhook accepts nothing");
    assert_eq!(mails.len(), 1);
    let said = mails[0].text();
    assert!(said.contains("Since 2025-03-01 07:00 EST"), "{said}");
    assert!(said.contains("1 webhook, waiting for another try: status 500"));
    assert!(!said.contains("127.0.0.1"), "the address is a secret");
}

#[tokio::test]
async fn a_delivery_that_the_webhook_gives_up_is_reported_at_once_and_more_of_them_together_after_an_hour()
 {
    let setup = with_webhook(410).await;
    let replica = setup.replica(settings());
    for (minutes, mails) in [(0, 1), (10, 1), (59, 1), (60, 2)] {
        setup
            .test
            .set_time(*NOON + SignedDuration::from_mins(minutes));
        setup.test.add(visitor()).await;
        replica.run_once().await;
        replica.run_once().await;
        assert_eq!(setup.mails("given up").len(), mails, "after {minutes} min");
    }
    let said = setup.mails("given up").remove(1).text();
    assert!(said.contains("3 webhook, given up: status 410"), "{said}");
}

#[tokio::test]
async fn mail_that_fails_for_an_hour_is_reported_to_the_webhook_with_a_lead_that_was_not_mailed() {
    let setup = Setup::new().await;
    setup.mail.set_down(true);
    let replica = setup.replica(settings());
    setup.test.subscribe(visitor().email).await;
    replica.run_once().await;
    setup.test.pass_time(HOUR * 2);
    replica.run_once().await;
    assert!(setup.hook.calls().is_empty(), "no lead to tell it with");
    let id = setup.test.add_with(visitor(), BOTH, None).await;
    // Nothing is stored that nobody would send.
    let mut alone = settings();
    alone.webhook = false;
    let alone = setup.replica(alone);
    alone.run_once().await;
    alone.run_once().await;
    assert_eq!(setup.test.deliveries().await.len(), 3, "and no fault");
    for _ in 0..12 {
        replica.run_once().await;
        setup.test.pass_time(SignedDuration::from_mins(30));
    }
    let told = setup.calls("delivery.failing");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].header("frontdoor-lead-id"), id);
    assert_eq!(told[0].body, setup.calls("lead.created")[0].body);

    setup.mail.set_down(false);
    setup.test.pass_time(HOUR * 12);
    replica.run_once().await;
    let channels = setup.test.store.channels().await.unwrap();
    assert!(channels.iter().all(|each| each.failed_at.is_none()));
    setup.test.pass_time(HOUR * 24);
    replica.run_once().await;
    assert_eq!(setup.calls("delivery.failing").len(), 1, "it works again");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_mails_reminders_and_the_digest_to_every_configured_address() {
    let test = TestStore::new().await;
    let id = test.add_earlier(visitor(), 22).await;
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
    let mut subjects = taken.iter().map(|mail| mail.subject());
    assert!(subjects.any(|subject| subject == "Waiting for you: 1 due (Maplewire)"));
    assert!(taken.iter().any(|mail| mail.text().contains(&id)));
    let calls = hook.calls();
    let mut events: Vec<_> = calls
        .iter()
        .map(|call| call.header("frontdoor-event"))
        .collect();
    events.sort_unstable();
    assert_eq!(events, ["lead.created", "lead.due"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_and_the_metrics_show_overdue_leads_and_failing_deliveries() {
    let test = TestStore::new().await;
    test.add_earlier(visitor(), 30).await;
    test.add_earlier(visitor(), 21).await;
    let hook = Receiver::start(|_| Answer::Status(503)).await;
    let settings = [("FRONTDOOR_WEBHOOK_URL", hook.url.as_str())];
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
    let output = test.run(&["check"]).succeeds();
    output.stdout_has(&[
        "! leads: 1 lead is overdue → frontdoor leads due\n",
        "! deliveries: webhook: 4 deliveries are waiting for another try: status 503 → fix it",
    ]);
}
