//! A lead that waits is told of once, while there is still time.

use frontdoor::notices::{OwnerNotifier, Plan};
use frontdoor::store::{DeliveryKind, LeadState};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use super::{HOUR, Setup, plan};
use crate::support::data::visitor;
use crate::support::mail_server::MailServer;
use crate::support::receiver::{Answer, Receiver};
use crate::support::test_store::{HELD, NOON};

const WAITS: &str = "waits for an answer";
const TWENTY: SignedDuration = SignedDuration::from_hours(20);

#[tokio::test]
async fn at_five_sixths_of_the_promise_one_mail_and_one_event_go_out() {
    let setup = Setup::new().await;
    let id = setup.test.add_with(visitor(), &[], None).await;
    let replica = setup.replica(plan());
    setup.test.pass_time(TWENTY - SignedDuration::from_secs(1));
    replica.turn().await;
    assert!(setup.mail.taken().is_empty() && setup.hook.calls().is_empty());

    setup.test.pass_time(SignedDuration::from_secs(1));
    for _ in 0..3 {
        replica.turn().await;
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
    assert_eq!(
        call.body,
        r#"{"name":"Ada Lovelace","email":"ada@example.org","phone":"","message":"Hello\nthere","formLocation":"homepage"}"#
    );
    assert_eq!(setup.mail.taken().len() + setup.hook.calls().len(), 2);

    // Whatever the clock does.
    let day = HOUR * 24;
    for time in [day * 40, SignedDuration::ZERO, -day, day * 40, day * 400] {
        setup.test.set_time(*NOON + time);
        replica.turn().await;
    }
    assert_eq!(setup.mails(WAITS).len(), 1);
    assert_eq!(setup.calls("lead.due").len(), 1);
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
        let id = setup.test.add_with(visitor(), &[], None).await;
        setup.set_state(&id, state).await;
    }
    let held = setup.test.add_with(visitor(), &[], HELD).await;
    let reopened = setup.test.add_with(visitor(), &[], None).await;
    setup.test.pass_time(TWENTY);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "the one that waits");

    setup.set_state(&reopened, LeadState::Answered).await;
    setup.set_state(&reopened, LeadState::New).await;
    let now = setup.test.now();
    setup.test.store.unhold(&held, now).await.unwrap();
    setup.test.pass_time(TWENTY - HOUR);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1, "neither again nor too early");
    setup.test.pass_time(HOUR);
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 2, "counted from its release");
}

#[tokio::test]
async fn a_reminder_that_waits_is_taken_back_when_its_lead_is_answered() {
    let hook = Receiver::start(|_| Answer::Status(500)).await;
    let setup = Setup::with(MailServer::start(), hook).await;
    setup.mail.set_down(true);
    let id = setup.test.add_with(visitor(), &[], None).await;
    let replica = setup.replica(plan());
    setup.test.pass_time(TWENTY);
    replica.turn().await;
    assert_eq!(setup.test.deliveries().await.len(), 2);

    setup.set_state(&id, LeadState::Answered).await;
    setup.mail.set_down(false);
    setup.test.pass_time(HOUR);
    replica.mail.drain().await;
    assert!(setup.mail.taken().is_empty(), "before the next look");
    replica.turn().await;
    assert!(setup.test.deliveries().await.is_empty());
    setup.set_state(&id, LeadState::New).await;
    setup.test.pass_time(HOUR);
    replica.turn().await;
    assert!(setup.mail.taken().is_empty(), "it is told of once");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_replicas_that_look_at_once_one_reminds() {
    const LEADS: usize = 60;
    let setup = Setup::new().await;
    for _ in 0..LEADS {
        setup.test.add_with(visitor(), &[], None).await;
    }
    setup.test.pass_time(TWENTY);
    let mut looking = JoinSet::new();
    for _ in 0..6 {
        let notifier = OwnerNotifier::new(setup.test.another().await, plan(), None);
        let now = setup.test.now();
        looking.spawn(async move { notifier.look(now).await });
    }
    looking.join_all().await;
    // What another was storing at that moment was passed over.
    setup.replica(plan()).notifier.look(setup.test.now()).await;
    let all = setup.test.deliveries().await;
    for kind in [DeliveryKind::DueMail, DeliveryKind::DueWebhook] {
        let of_kind = all.iter().filter(|each| each.kind == kind);
        assert_eq!(of_kind.count(), LEADS, "{kind:?}");
    }
}

#[tokio::test]
async fn what_was_due_while_nobody_could_be_told_makes_no_flood_later() {
    let setup = Setup::new().await;
    for _ in 0..5 {
        setup.test.add_with(visitor(), &[], None).await;
    }
    setup.test.pass_time(TWENTY);
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
    let id = setup.test.add(visitor()).await;
    let replica = setup.replica(plan());
    setup.test.pass_time(TWENTY);
    replica.turn().await;
    setup.set_state(&id, LeadState::Spam).await;
    setup.mail.set_down(false);
    setup.test.pass_time(HOUR);
    replica.turn().await;
    assert!(setup.mail.taken().is_empty());
    setup.set_state(&id, LeadState::New).await;
    replica.turn().await;
    assert_eq!(setup.mails(WAITS).len(), 1);
    let counts = setup.test.store.delivery_counts().await.unwrap();
    assert_eq!((counts.pending, counts.held), (0, 0));
}
