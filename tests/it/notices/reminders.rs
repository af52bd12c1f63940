//! A lead that waits is told of once, while there is still time.

use frontdoor::domain::HoldReason;
use frontdoor::notices::{OwnerNotifier, Plan};
use frontdoor::store::{DeliveryKind, DeliveryState, LeadState};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use super::{HOUR, Setup, plan, text};
use crate::support::data::{WEBHOOK, visitor};
use crate::support::desk::NOON;
use crate::support::receiver::{Answer, Receiver};

const WAITS: &str = "waits for an answer";
const TWENTY: SignedDuration = SignedDuration::from_hours(20);

async fn set(setup: &Setup, id: &str, state: LeadState) {
    let (ids, now) = ([id.to_owned()], setup.desk.now());
    let set = setup.desk.store.set_lead_state(&ids, state, now);
    set.await.unwrap();
}

#[tokio::test]
async fn at_five_sixths_of_the_promise_one_mail_and_one_event_go_out() {
    let setup = Setup::new().await;
    let id = setup.desk.add(visitor(), &[]).await;
    let replica = setup.replica(plan());
    setup.later(TWENTY - SignedDuration::from_secs(1));
    replica.turn().await;
    assert!(setup.mail.taken().is_empty() && setup.hook.calls().is_empty());

    setup.later(SignedDuration::from_secs(1));
    for _ in 0..3 {
        replica.turn().await;
        setup.later(HOUR);
    }
    let mail = setup.mails(WAITS).remove(0);
    let said = text(&mail);
    assert!(said.contains("2025-03-02 07:00 EST (4h left)"), "{said}");
    let short = &id[id.len() - 8..];
    let command = format!("frontdoor leads answered {short}");
    assert!(said.contains(&command) && said.contains("Hello\nthere"));
    let call = setup.calls("lead.due").remove(0);
    assert_eq!(call.header("frontdoor-lead-id"), id);
    assert_eq!(call.header("frontdoor-lead-time"), "2025-03-01T12:00:00Z");
    assert_eq!(
        call.body,
        r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"","message":"Hello\nthere","formLocation":"homepage"}"#
    );
    assert_eq!(setup.mail.taken().len() + setup.hook.calls().len(), 2);
}

#[tokio::test]
async fn who_was_answered_held_or_closed_is_not_reminded_of_and_reopening_reminds_once() {
    let setup = Setup::new().await;
    let replica = setup.replica(plan());
    let states = [
        LeadState::Answered,
        LeadState::Booked,
        LeadState::Closed,
        LeadState::Spam,
    ];
    for state in states {
        let id = setup.desk.add(visitor(), &[]).await;
        set(&setup, &id, state).await;
    }
    let decoy = Some(HoldReason::Decoy);
    let held = setup.desk.add_held(visitor(), &[], decoy).await;
    let reopened = setup.desk.add(visitor(), &[]).await;
    setup.later(TWENTY);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "the one that waits");

    set(&setup, &reopened, LeadState::Answered).await;
    set(&setup, &reopened, LeadState::New).await;
    let now = setup.desk.now();
    setup.desk.store.unhold(&held, now).await.unwrap();
    setup.later(TWENTY - HOUR);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "neither again nor too early");
    setup.later(HOUR);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 2, "counted from its release");
}

#[tokio::test]
async fn a_reminder_that_waits_is_taken_back_when_its_lead_is_answered() {
    let hook = Receiver::start(|_| Answer::Status(500)).await;
    let setup = Setup::with(crate::support::mail_server::MailServer::start(None), hook).await;
    setup.mail.set_down(true);
    let id = setup.desk.add(visitor(), &[]).await;
    let replica = setup.replica(plan());
    setup.later(TWENTY);
    replica.turn().await;
    assert_eq!(setup.desk.deliveries().await.len(), 2);

    set(&setup, &id, LeadState::Answered).await;
    setup.mail.set_down(false);
    setup.later(HOUR);
    replica.mail.drain().await;
    assert!(
        setup.mail.taken().is_empty(),
        "not even before the next look"
    );
    replica.turn().await;
    assert!(setup.desk.deliveries().await.is_empty());
    set(&setup, &id, LeadState::New).await;
    setup.later(HOUR);
    replica.turn().await;
    assert!(
        setup.mail.taken().is_empty(),
        "opened again, but told of once"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_replicas_that_look_at_once_one_reminds() {
    const LEADS: usize = 250;
    let setup = Setup::new().await;
    for _ in 0..LEADS {
        setup.desk.add(visitor(), &[]).await;
    }
    setup.later(TWENTY);
    let mut looking = JoinSet::new();
    for _ in 0..6 {
        let notifier = OwnerNotifier::new(setup.desk.another().await, plan(), None);
        let now = setup.desk.now();
        looking.spawn(async move { notifier.look(now).await });
    }
    looking.join_all().await;
    // What another was storing at that moment was passed over.
    setup.replica(plan()).notifier.look(setup.desk.now()).await;
    let all = setup.desk.deliveries().await;
    for kind in [DeliveryKind::DueMail, DeliveryKind::DueWebhook] {
        let of_kind = all.iter().filter(|each| each.kind == kind);
        assert_eq!(of_kind.count(), LEADS, "{kind:?}");
    }
}

#[tokio::test]
async fn whatever_the_clock_does_a_lead_is_told_of_once() {
    let setup = Setup::new().await;
    setup.desk.add(visitor(), &[]).await;
    let replica = setup.replica(plan());
    let day = HOUR * 24;
    for time in [day * 40, SignedDuration::ZERO, -day, day * 40, day * 400] {
        setup.desk.turn_clock_to(*NOON + time);
        replica.turn().await;
    }
    assert_eq!(setup.mails(WAITS).len(), 1);
    assert_eq!(setup.calls("lead.due").len(), 1);
}

#[tokio::test]
async fn what_was_due_while_nobody_could_be_told_makes_no_flood_later() {
    let setup = Setup::new().await;
    for _ in 0..5 {
        setup.desk.add(visitor(), &[]).await;
    }
    setup.later(TWENTY);
    let nobody = Plan {
        mail: false,
        webhook: false,
        ..plan()
    };
    setup.replica(nobody).turn().await;
    setup.replica(plan()).turn().await;
    assert!(setup.mail.taken().is_empty() && setup.hook.calls().is_empty());
}

#[tokio::test]
async fn a_slip_of_marking_as_spam_does_not_lose_the_reminder() {
    let setup = Setup::new().await;
    setup.mail.set_down(true);
    let id = setup.desk.add(visitor(), WEBHOOK).await;
    let replica = setup.replica(plan());
    setup.later(TWENTY);
    replica.turn().await;
    set(&setup, &id, LeadState::Spam).await;
    setup.mail.set_down(false);
    setup.later(HOUR);
    replica.turn().await;
    assert!(setup.mail.taken().is_empty());
    set(&setup, &id, LeadState::New).await;
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1);
    let all = setup.desk.deliveries().await;
    assert!(
        all.iter()
            .all(|each| each.state == DeliveryState::Delivered)
    );
}
