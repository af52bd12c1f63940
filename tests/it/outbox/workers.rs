//! The running workers: how they are woken, limited, kept apart and stopped. No visitor waits for
//! them, and a row that can't be read (a later version wrote it, or somebody changed it by hand)
//! holds up no other.

use std::pin::pin;
use std::time::Duration;

use frontdoor::config::{MailSettings, WebhookSettings};
use frontdoor::outbox::schedule::DELAYS;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::{SendResult, Sender};
use frontdoor::outbox::{Outbox, deliveries_for_new_leads};
use frontdoor::store::{Claim, Delivery, DeliveryKind, DeliveryState};
use jiff::{SignedDuration, Timestamp};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::support::{
    Answer, MailServer, NOON, Process, Receiver, TIMEOUT, TestApp, TestStore, WEBHOOK, body_json,
    form_with, get, lead, mail_settings, on_postgres, until, visitor, webhook_settings,
};

const PROMISE: SignedDuration = SignedDuration::from_hours(24);

#[test]
fn the_settings_decide_which_deliveries_a_lead_gets() {
    let webhook = webhook_settings("http://127.0.0.1/");
    let mut mail = mail_settings("smtp://127.0.0.1");
    let [hook, notify] = [DeliveryKind::LeadWebhook, DeliveryKind::LeadMail];
    let all = [hook, notify, DeliveryKind::AutoReply];
    assert_eq!(deliveries_for_new_leads(Some(&webhook), Some(&mail)), all);
    mail.auto_reply = false;
    assert_eq!(
        deliveries_for_new_leads(None, Some(&mail)),
        [DeliveryKind::LeadMail]
    );
    assert_eq!(deliveries_for_new_leads(None, None), []);
}

fn start(test: &TestStore, webhook: &WebhookSettings, mail: Option<&MailSettings>) -> Outbox {
    Outbox::start(&test.store, Some(webhook), mail, PROMISE, None, None).unwrap()
}

async fn delivered(test: &TestStore) -> usize {
    let all = test.deliveries().await;
    let is_delivered = |each: &&Delivery| each.state == DeliveryState::Delivered;
    all.iter().filter(is_delivered).count()
}

/// Waits until the worker has recorded what it sent and has looked for more.
async fn until_idle(test: &TestStore, number: usize) {
    until("deliveries", async || delivered(test).await >= number).await;
    // The store runs the worker's own claim before the last of these.
    for _ in 0..3 {
        assert!(
            test.claim(&[DeliveryKind::LeadMail], *NOON)
                .await
                .is_empty()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_lead_wakes_the_worker() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    let webhook = Webhook::new(&webhook_settings(&receiver.url)).unwrap();
    // It doesn't poll while the test runs.
    let mut worker = test.worker(webhook);
    worker.poll = 10 * TIMEOUT;
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(async move { worker.run(stopped).await });
    for number in 1..=3 {
        until_idle(&test, number - 1).await;
        test.add(visitor()).await;
        receiver.wait_for_calls(number).await;
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(delivered(&test).await, 3);
    assert_eq!(receiver.calls().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_that_another_process_adds_are_found_by_polling() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    let settings = webhook_settings(&receiver.url);
    let outbox = start(&test, &settings, None);
    until_idle(&test, 0).await;
    let other = test.another().await;
    other.add_lead(lead(visitor()), test.now()).await.unwrap();
    receiver.wait_for_calls(1).await;
    outbox.stop().await;
}

enum Faulty {
    /// Like a mail server that never greets.
    Endless,
    Crashing,
}

impl Sender for Faulty {
    const KINDS: &'static [DeliveryKind] = WEBHOOK;
    const SEND_TIMEOUT: Duration = Duration::from_secs(1);

    async fn send(&self, _: &Claim, _: Timestamp) -> SendResult {
        match self {
            Self::Endless => std::future::pending().await,
            Self::Crashing => panic!("on purpose"),
        }
    }
}

#[tokio::test]
async fn a_send_that_never_ends_or_panics_is_a_failed_attempt_with_a_reason() {
    for (sender, reason) in [
        (Faulty::Endless, "no answer within 1 s"),
        (Faulty::Crashing, "sending crashed: "),
    ] {
        let test = TestStore::at_noon().await;
        test.add(visitor()).await;
        assert_eq!(test.worker(sender).drain().await, 1);
        let delivery = test.only_delivery().await;
        assert_eq!(
            (delivery.state, delivery.attempts),
            (DeliveryState::Pending, 1)
        );
        assert!(delivery.last_error.unwrap().starts_with(reason));
        assert_eq!(delivery.next_attempt_at, Some(*NOON + DELAYS[1]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_gets_eight_calls_and_delays_no_mail_and_a_stop_waits_for_them() {
    let test = TestStore::at_noon().await;
    let (open, gate) = watch::channel(false);
    let receiver = Receiver::start(move |_| Answer::AtGate(gate.clone())).await;
    let server = MailServer::start();
    let webhook = webhook_settings(&receiver.url);
    let mail = mail_settings(&server.url);
    for _ in 0..20 {
        let kinds = [DeliveryKind::LeadWebhook, DeliveryKind::LeadMail];
        test.add_with(visitor(), &kinds, None).await;
    }
    let outbox = start(&test, &webhook, Some(&mail));
    receiver.wait_for_calls(8).await;
    assert_eq!(receiver.calls().len(), 8);
    server.wait_for_mails(20).await;
    let mut stopping = pin!(outbox.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("it did not wait"),
        _ = test.add(visitor()) => {}
    }
    open.send(true).unwrap();
    stopping.await;
    assert_eq!(
        delivered(&test).await,
        20 + 8,
        "the mails and what was in flight"
    );
    assert_eq!(receiver.calls().len(), 8, "nothing else was begun");
}

/// Even if a worker that no longer runs had claimed it.
#[tokio::test]
async fn an_attempt_planned_before_the_clock_was_set_back_is_due_now() {
    let (test, receiver) = (TestStore::at_noon().await, Receiver::accepting().await);
    test.add(visitor()).await;
    assert_eq!(test.claim(WEBHOOK, test.now()).await.len(), 1);
    test.set_time(*NOON - 2 * PROMISE);
    let worker = test.worker(Webhook::new(&webhook_settings(&receiver.url)).unwrap());
    assert_eq!(worker.drain().await, 0);
    test.store.fix_future_times(test.now()).await.unwrap();
    assert_eq!(worker.drain().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_gets_the_answer_even_while_the_receiver_hangs() {
    // Accepts connections (the system does) and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let app = TestApp::with(|args| args.webhook.webhook_url = Some(url)).await;
    // More than the webhook's worker sends at once.
    for number in 0..9 {
        let form = form_with("message", format!("message {number}"));
        let response = app.send(&form).await;
        assert_eq!(response.status(), 201);
        let id = &body_json(response).await["id"];
        let mut all = app.deliveries().await.into_iter();
        let is_own = |each: &Delivery| id == each.contact_id.as_ref().unwrap().as_str();
        // Had the visitor waited for it, its first attempt would have ended by now.
        assert_eq!(all.find(is_own).unwrap().attempts, 0);
    }
    let called = tokio::time::timeout(TIMEOUT, hanging.accept()).await;
    called.expect("a call that hangs").unwrap();
}

const READABLE: usize = 3;
/// More than a worker claims at once, and all of them before the others.
const UNREADABLE: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_row_is_named_and_the_others_are_listed_and_sent() {
    let (test, receiver) = (TestStore::new().await, Receiver::accepting().await);
    let mut ids = Vec::new();
    for _ in 0..UNREADABLE + READABLE {
        ids.push(test.add(visitor()).await);
    }
    // One has an impossible time, the others an impossible number of attempts.
    let sql = test.database.sql();
    let (first, others) = (&ids[0], ids[1..UNREADABLE].join("', '"));
    let time = if on_postgres() {
        "infinity"
    } else {
        "2999-02-31T09:05:07.123Z"
    };
    let last = &ids[UNREADABLE + 2];
    for change in [
        format!("contacts SET created_at = '{time}' WHERE id = '{first}'"),
        format!("deliveries SET attempts = -1 WHERE contact_id IN ('{others}')"),
        format!("deliveries SET kind = 'pigeon' WHERE contact_id = '{last}'"),
    ] {
        sql.run(&format!("UPDATE {change}"));
    }
    let of = |condition: &str| {
        let query = format!("SELECT id FROM deliveries WHERE {condition}");
        sql.rows(&query).into_iter().flatten().collect::<Vec<_>>()
    };
    let unreadable = of("attempts < 0 OR kind = 'pigeon'");
    let readable = of(&format!("contact_id = '{}'", ids[UNREADABLE])).remove(0);

    let output = test.run(&["deliveries", "list"]).succeeds();
    output.stdout_contains(&readable[readable.len() - 8..]);
    output.stderr_contains("10 rows can't be read and are left out");
    for id in &unreadable {
        output.stderr_contains(id);
    }
    let output = test.run(&["leads", "list"]).succeeds();
    output.stdout_contains(&last[last.len() - 8..]);
    output.stderr_contains("1 row can't be read and is left out");
    output.stderr_contains(first);
    let output = test.run(&["leads", "show", last]).succeeds();
    output.stderr_contains("(kind)");
    let output = test.run(&["leads", "show", first]);
    output.fails_with(
        1,
        "a row can't be read (created_at): `frontdoor check` says what to do",
    );
    let output = test.run(&["check"]).succeeds();
    for id in unreadable.iter().chain([first]) {
        let line = output.stdout.lines().find(|line| line.contains(id));
        let line = line.unwrap_or_else(|| panic!("{id} isn't in:\n{}", output.stdout));
        let is_told = line.starts_with("! ") && line.contains("can't be read → ");
        assert!(is_told, "{line}");
    }

    sql.run("UPDATE deliveries SET kind = 'webhook' WHERE kind = 'pigeon'");
    let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
    let server = Process::start(&test.database.url(), &settings);
    receiver.wait_for_calls(READABLE).await;
    let calls = receiver.calls();
    let mut sent: Vec<_> = calls
        .iter()
        .map(|call| call.header("frontdoor-lead-id"))
        .collect();
    sent.sort_unstable();
    assert_eq!(sent, &ids[UNREADABLE..]);
    let counted = format!("\nfrontdoor_store_unreadable_rows_total {UNREADABLE}\n");
    until("all are counted", async || {
        get(server.ops, "/metrics").contains(&counted)
    })
    .await;

    // Started over by the owner, a delivery can be read again.
    let delivery = of(&format!("contact_id = '{}'", ids[1])).remove(0);
    test.run(&["deliveries", "retry", &delivery]).succeeds();
    receiver.wait_for_calls(READABLE + 1).await;
    let last = receiver.calls().remove(READABLE);
    assert_eq!(last.header("frontdoor-lead-id"), ids[1]);
}
