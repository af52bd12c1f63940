//! The owner is reminded once of a waiting lead, while there is still time, and gets a daily digest of
//! what waits and what fails.

use frontdoor::domain::ContactForm;
use frontdoor::notices::{NoticeSettings, OwnerNotifier};
use frontdoor::store::{BookingEvent, BookingFact, DeliveryKind, LeadAction, LeadState};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use super::{HOUR, Setup, settings};
use crate::support::{Answer, HELD, MailServer, NOON, Receiver, booking, visitor};

const WAITS: &str = "waits for an answer";
const TWENTY: SignedDuration = SignedDuration::from_hours(20);

#[tokio::test]
async fn at_five_sixths_of_the_promise_one_mail_and_one_event_go_out() {
    let setup = Setup::new().await;
    let id = setup.test.add_with(visitor(), &[], None).await;
    let replica = setup.replica(settings());
    setup.test.pass_time(TWENTY - SignedDuration::from_secs(1));
    replica.run_once().await;
    assert!(setup.mail.taken().is_empty() && setup.hook.calls().is_empty());

    setup.test.pass_time(SignedDuration::from_secs(1));
    for _ in 0..3 {
        replica.run_once().await;
        setup.test.pass_time(HOUR);
    }
    let mail = setup.mails(WAITS).remove(0);
    let said = mail.text();
    assert!(said.contains("2025-03-02 07:00 EST (4h left)"), "{said}");
    let short = &id[id.len() - 8..];
    let command = format!("frontdoor leads answered {short}");
    assert!(said.contains(&command) && said.contains("Hello\nthere"));
    let call = setup.calls("lead.due").remove(0);
    assert_eq!(call.header("frontdoor-lead-id"), id);
    assert_eq!(call.header("frontdoor-lead-time"), "2025-03-01T12:00:00Z");
    assert!(call.body.contains("\"Hello\\nthere\""), "{}", call.body);
    assert_eq!(setup.mail.taken().len() + setup.hook.calls().len(), 2);

    // Whatever the clock does.
    let day = HOUR * 24;
    for time in [day * 40, SignedDuration::ZERO, -day, day * 40, day * 400] {
        setup.test.set_time(*NOON + time);
        replica.run_once().await;
    }
    assert_eq!(setup.mails(WAITS).len(), 1);
    assert_eq!(setup.calls("lead.due").len(), 1);
}

#[tokio::test]
async fn answered_held_and_closed_leads_bring_no_reminder_and_reopening_brings_one() {
    use LeadState::{Answered, Booked, Closed, New, Spam};
    let setup = Setup::new().await;
    let replica = setup.replica(settings());
    for state in [Answered, Booked, Closed, Spam] {
        let id = setup.test.add_with(visitor(), &[], None).await;
        setup.test.mark(&id, state).await;
    }
    let held = setup.test.add_with(visitor(), &[], HELD).await;
    let reopened = setup.test.add_with(visitor(), &[], None).await;
    setup.test.pass_time(TWENTY);
    replica.run_once().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "the one that waits");

    setup.test.mark(&reopened, Answered).await;
    setup.test.mark(&reopened, New).await;
    setup.test.act(&held, LeadAction::Release).await;
    setup.test.pass_time(TWENTY - HOUR);
    replica.run_once().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "neither again nor too early");
    setup.test.pass_time(HOUR);
    replica.run_once().await;
    assert_eq!(setup.mails(WAITS).len(), 2, "counted from its release");
}

#[tokio::test]
async fn a_waiting_reminder_is_withdrawn_by_an_answer_and_comes_back_with_a_lead_that_is_opened_again()
 {
    let hook = Receiver::start(|_| Answer::Status(500)).await;
    let setup = Setup::with(MailServer::start(), hook).await;
    setup.mail.set_down(true);
    let answered = setup.test.add_with(visitor(), &[], None).await;
    let slipped = setup.test.add_with(visitor(), &[], None).await;
    let replica = setup.replica(settings());
    setup.test.pass_time(TWENTY);
    replica.run_once().await;
    assert_eq!(setup.test.deliveries().await.len(), 4);

    setup.test.mark(&answered, LeadState::Answered).await;
    setup.test.mark(&slipped, LeadState::Spam).await;
    setup.mail.set_down(false);
    setup.test.pass_time(HOUR);
    replica.mail.drain().await;
    assert!(setup.mail.taken().is_empty(), "before the next look");
    replica.run_once().await;
    assert!(setup.mail.taken().is_empty());
    setup.test.mark(&answered, LeadState::New).await;
    setup.test.mark(&slipped, LeadState::New).await;
    setup.test.pass_time(HOUR);
    replica.run_once().await;
    let told = setup.mails(WAITS);
    assert_eq!(told.len(), 2, "both wait, and nobody was told of either");
    assert!(told.iter().any(|mail| mail.text().contains(&answered)));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_many_replicas_sends_each_reminder() {
    const LEADS: usize = 60;
    let setup = Setup::new().await;
    for _ in 0..LEADS {
        setup.test.add_with(visitor(), &[], None).await;
    }
    setup.test.pass_time(TWENTY);
    let mut looking = JoinSet::new();
    for _ in 0..6 {
        let notifier = OwnerNotifier::new(setup.test.another().await, settings(), None);
        let now = setup.test.now();
        looking.spawn(async move { notifier.run_once(now).await });
    }
    looking.join_all().await;
    // What another was storing at that moment was passed over.
    setup
        .replica(settings())
        .notifier
        .run_once(setup.test.now())
        .await;
    let all = setup.test.deliveries().await;
    for kind in [DeliveryKind::ReminderMail, DeliveryKind::ReminderWebhook] {
        let of_kind = all.iter().filter(|each| each.kind == kind);
        assert_eq!(of_kind.count(), LEADS, "{kind:?}");
    }
}

#[tokio::test]
async fn leads_due_before_mail_and_webhook_were_set_up_bring_no_reminders_later() {
    let setup = Setup::new().await;
    for _ in 0..5 {
        setup.test.add_with(visitor(), &[], None).await;
    }
    setup.test.pass_time(TWENTY);
    let nobody = NoticeSettings {
        mail: false,
        webhook: false,
        ..settings()
    };
    setup.replica(nobody).run_once().await;
    setup.replica(settings()).run_once().await;
    assert!(setup.mail.taken().is_empty() && setup.hook.calls().is_empty());
}

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// 2025-03-01 in the zone of the site, where noon in UTC is seven o'clock.
fn at_eight() -> NoticeSettings {
    NoticeSettings {
        digest_hour: Some(8),
        ..settings()
    }
}

#[tokio::test]
async fn the_digest_lists_waiting_and_held_leads_failing_deliveries_and_refused_addresses() {
    let setup = Setup::new().await;
    let test = &setup.test;
    test.add_with(visitor(), &[], None).await;
    test.set_time(*NOON + HOUR * 2);
    let due = test.add_with(visitor(), &[], None).await;
    test.set_time(*NOON + HOUR * 24);
    test.add(visitor()).await;
    test.add_with(visitor(), &[], HELD).await;
    test.subscribe(visitor().email).await;
    let sql = test.database.sql();
    sql.run(
        "INSERT INTO newsletter_schedules (issue, subject, file_name, content, rate, state,
            send_at, next_attempt_at, created_at, finished_at, last_error)
        SELECT 'issue', 'News of May', 'may.md', '{}', 0, 'given_up', created_at, created_at,
            created_at, created_at, 'status 421' FROM subscribers",
    );
    for change in [
        "deliveries SET attempts = 1, last_error = 'status 404' WHERE kind = 'webhook'",
        "subscribers SET refused_at = created_at, suspended_at = created_at",
    ] {
        let update = format!("UPDATE {change}");
        assert_eq!(sql.run(&update), 1, "{change}");
    }
    setup.test.pass_time(HOUR);
    let told = NoticeSettings {
        mail: false,
        webhook: false,
        ..at_eight()
    };
    setup.replica(told).run_once().await;
    let mails = setup.mails("Waiting for you");
    assert_eq!(mails.len(), 1);
    let subject = "Waiting for you: 1 overdue, 1 due, 1 new (Maplewire)";
    assert_eq!(mails[0].subject(), subject);
    let said = mails[0].text();
    for line in [
        "  - Ada Lovelace: 1h late (".to_owned(),
        format!("  - Ada Lovelace: 1h left ({})\n", &due[due.len() - 8..]),
        "1 message is held back\n".into(),
        "  - 1 webhook, waiting for another try: status 404\n".into(),
        "were given up before everybody had them\n  - News of May: status 421\n".into(),
        "1 subscriber's address was refused, 1 of them left out from now on\n".into(),
    ] {
        assert!(said.contains(&line), "{line} isn't in:\n{said}");
    }
    assert!(!said.contains("backup"), "nothing is known of one:\n{said}");
}

#[tokio::test]
async fn the_digest_comes_once_a_day_if_there_is_anything_to_report_whatever_the_clock_does() {
    let setup = Setup::new().await;
    let other = setup.test.another().await;
    let other = setup.replica_on(&other, at_eight());
    let one = setup.replica(at_eight());
    let turn = async |time: SignedDuration| {
        setup.test.set_time(*NOON + time);
        tokio::join!(one.run_once(), other.run_once());
        setup.mails("Waiting for you").len()
    };
    assert_eq!(turn(HOUR - DAY).await, 0, "nothing to say");
    setup.test.add_with(visitor(), &[], None).await;
    assert_eq!(turn(HOUR * 2 - DAY).await, 0, "that is for tomorrow");
    assert_eq!(turn(SignedDuration::ZERO).await, 0, "seven o'clock");
    assert_eq!(turn(HOUR).await, 1);
    assert_eq!(turn(HOUR * 2).await, 1);
    assert_eq!(turn(DAY - HOUR * 2).await, 1, "not in the night");
    // If no server ran at that hour, it is sent later the same day.
    assert_eq!(turn(DAY + HOUR * 9).await, 2);
    assert_eq!(turn(HOUR).await, 2, "a clock that was set back");
    assert_eq!(turn(DAY * 2 + HOUR).await, 3);
}

#[tokio::test]
async fn a_digest_that_could_not_be_sent_is_replaced_by_the_next_and_an_empty_one_is_withdrawn() {
    let setup = Setup::new().await;
    let replica = setup.replica(at_eight());
    let digests = async || {
        let mut all = setup.test.deliveries().await;
        all.retain(|each| each.kind == DeliveryKind::Digest);
        all.len()
    };
    let id = setup.test.add_with(visitor(), &[], None).await;
    setup.mail.set_down(true);
    setup.test.pass_time(HOUR);
    for _ in 0..3 {
        replica.run_once().await;
        assert_eq!(digests().await, 1);
        setup.test.pass_time(DAY);
    }
    setup.test.mark(&id, LeadState::Answered).await;
    setup.mail.set_down(false);
    for _ in 0..2 {
        setup.test.pass_time(HOUR);
        replica.run_once().await;
    }
    assert!(setup.mail.taken().is_empty(), "nobody waits any more");
    assert_eq!(digests().await, 0);
}

fn cancelled(event: &BookingEvent) -> BookingEvent {
    BookingEvent {
        fact: BookingFact::Cancelled { replaced_by: None },
        ..event.clone()
    }
}

impl Setup {
    async fn take(&self, event: BookingEvent) {
        let (store, now) = (&self.test.store, self.test.now());
        let taken = store.take_booking(event.service, Some(event), true, now);
        taken.await.unwrap();
    }
}

#[tokio::test]
async fn a_cancelled_call_counts_the_promise_from_then_on_and_reminds_again() {
    let setup = Setup::new().await;
    let replica = setup.replica(settings());
    let id = setup.test.add_with(visitor(), &[], None).await;
    setup.test.pass_time(TWENTY);
    replica.run_once().await;
    assert_eq!(setup.mails(WAITS).len(), 1);
    let event = booking(&id, *NOON + DAY * 19);
    setup.take(event.clone()).await;
    setup.test.pass_time(DAY * 3);
    setup.take(cancelled(&event)).await;
    let lead = setup.test.store.lead(&id).await.unwrap().unwrap();
    assert_eq!(lead.due_at(DAY), Some(setup.test.now() + DAY));
    replica.run_once().await;
    let told = setup.mails("was cancelled");
    assert_eq!(told.len(), 1);
    let until = "is waiting for an answer again, due by 2025-03-06 03:00 EST (24h left).";
    assert!(told[0].text().contains(until), "{}", told[0].text());
    assert_eq!(setup.mails(WAITS).len(), 1, "not yet");
    setup.test.pass_time(TWENTY);
    replica.run_once().await;
    assert_eq!(setup.mails(WAITS).len(), 2);
    assert_eq!(setup.calls("lead.due").len(), 2);
}

#[tokio::test]
async fn a_cancelled_call_that_was_booked_again_meanwhile_brings_no_notice() {
    let setup = Setup::new().await;
    let id = setup.test.add_with(visitor(), &[], None).await;
    let event = booking(&id, *NOON + DAY * 19);
    setup.take(event.clone()).await;
    setup.take(cancelled(&event)).await;
    let id = "another".into();
    setup.take(BookingEvent { id, ..event }).await;
    setup.replica(settings()).run_once().await;
    assert!(setup.mail.taken().is_empty());
}

#[tokio::test]
async fn the_digest_lists_the_calls_of_the_day_even_if_nothing_else_is_to_be_said() {
    let setup = Setup::new().await;
    // In the zone of the site: today from 05:00 to 05:00 in UTC.
    for (name, starts_at) in [
        ("Late", "2025-03-02T04:30:00Z"),
        ("Early", "2025-03-01T15:30:00Z"),
        ("Yesterday", "2025-03-01T04:59:00Z"),
        ("Tomorrow", "2025-03-02T05:00:00Z"),
        ("Cancelled", "2025-03-01T16:30:00Z"),
    ] {
        let form = ContactForm { name, ..visitor() };
        let id = setup.test.add_with(form, &[], None).await;
        let event = booking(&id, starts_at.parse().unwrap());
        setup.take(event.clone()).await;
        if name == "Cancelled" {
            setup.take(cancelled(&event)).await;
            setup.test.mark(&id, LeadState::Closed).await;
        }
    }
    setup.test.pass_time(HOUR);
    setup.replica(at_eight()).run_once().await;
    let mail = setup.mails("2 calls today (").remove(0);
    let said = mail.text();
    let lines = "2 calls today\n  - Early: today at 10:30\n  - Late: today at 23:30\n";
    assert!(said.starts_with(lines), "{said}");
}
