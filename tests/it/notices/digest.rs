//! Once a day the owner hears what waits and what fails, if there is any.

use frontdoor::notices::Plan;
use frontdoor::store::{AddressRefusal, DeliveryKind, LeadState, Outcome, Recipient};
use jiff::{SignedDuration, Timestamp};

use super::{HOUR, Setup, plan};
use crate::support::data::{WEBHOOK, visitor};
use crate::support::test_store::{HELD, NOON};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// 2025-03-01 in the zone of the site, where noon in UTC is seven o'clock.
fn at_eight() -> Plan {
    Plan {
        digest_hour: Some(8),
        ..plan()
    }
}

async fn digests(setup: &Setup) -> usize {
    let all = setup.test.deliveries().await;
    let digests = all.iter().filter(|each| each.kind == DeliveryKind::Digest);
    digests.count()
}

#[tokio::test]
async fn it_says_who_waits_what_is_held_what_fails_and_who_was_refused() {
    let setup = Setup::new().await;
    let test = &setup.test;
    test.add_with(visitor(), &[], None).await;
    test.set_time(*NOON + HOUR * 2);
    let due = test.add_with(visitor(), &[], None).await;
    test.set_time(*NOON + HOUR * 24);
    test.add(visitor()).await;
    test.add_with(visitor(), &[], HELD).await;
    let claim = test.store.claim(WEBHOOK, 1, DAY.unsigned_abs(), test.now());
    let claim = claim.await.unwrap().remove(0);
    let failed = Outcome::Retry {
        at: test.now() + DAY,
        reason: "status 404".into(),
    };
    test.store.record(&claim, failed, test.now()).await.unwrap();
    test.subscribe(visitor().email).await;
    let ada = test.store.subscriber("ada@example.org").await.unwrap();
    let ada = Recipient {
        id: ada.unwrap().id,
        email: "ada@example.org".into(),
    };
    let refusal = AddressRefusal {
        code: "550 5.1.1".into(),
        no_such_user: true,
    };
    let noted = test.store.note_refusal("issue", &ada, &refusal, test.now());
    noted.await.unwrap();

    setup.test.pass_time(HOUR);
    let told = Plan {
        mail: false,
        webhook: false,
        ..at_eight()
    };
    setup.replica(told).turn().await;
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
        "1 subscriber's address was refused, 1 of them left out from now on\n".into(),
    ] {
        assert!(said.contains(&line), "{line} is not in:\n{said}");
    }
    assert!(!said.contains("backup"), "nothing is known of one:\n{said}");
}

#[tokio::test]
async fn it_comes_once_a_day_whoever_looks_and_whatever_the_clock_does() {
    let setup = Setup::new().await;
    let other = setup.test.another().await;
    let other = super::Replica::new(&setup.test, &other, at_eight(), &setup.mail, &setup.hook);
    let one = setup.replica(at_eight());
    setup.test.add_with(visitor(), &[], None).await;
    let turn = async |time: Timestamp| {
        setup.test.set_time(time);
        tokio::join!(one.turn(), other.turn());
        setup.mails("Waiting for you").len()
    };
    assert_eq!(turn(*NOON).await, 0, "seven o'clock");
    assert_eq!(turn(*NOON + HOUR).await, 1);
    assert_eq!(turn(*NOON + HOUR * 2).await, 1);
    assert_eq!(turn(*NOON + DAY - HOUR * 2).await, 1, "not in the night");
    // Down at the hour: it comes when somebody is there, the same day.
    assert_eq!(turn(*NOON + DAY + HOUR * 9).await, 2);
    assert_eq!(turn(*NOON + HOUR).await, 2, "a clock that was set back");
    assert_eq!(turn(*NOON + DAY * 2 + HOUR).await, 3);
}

#[tokio::test]
async fn with_nothing_to_say_it_is_not_sent_and_what_comes_later_is_for_tomorrow() {
    let setup = Setup::new().await;
    let replica = setup.replica(at_eight());
    setup.test.pass_time(HOUR);
    replica.turn().await;
    setup.test.add_with(visitor(), &[], None).await;
    setup.test.pass_time(HOUR);
    replica.turn().await;
    assert_eq!(digests(&setup).await, 0);
    setup.test.pass_time(DAY);
    replica.turn().await;
    assert_eq!(setup.mails("Waiting for you").len(), 1);
}

#[tokio::test]
async fn one_that_could_not_be_sent_gives_way_to_the_next_and_an_empty_one_is_taken_back() {
    let setup = Setup::new().await;
    let replica = setup.replica(at_eight());
    let id = setup.test.add_with(visitor(), &[], None).await;
    setup.mail.set_down(true);
    setup.test.pass_time(HOUR);
    for _ in 0..3 {
        replica.turn().await;
        assert_eq!(digests(&setup).await, 1);
        setup.test.pass_time(DAY);
    }
    setup.set_state(&id, LeadState::Answered).await;
    setup.mail.set_down(false);
    setup.test.pass_time(HOUR);
    replica.turn().await;
    setup.test.pass_time(HOUR);
    replica.turn().await;
    assert!(setup.mail.taken().is_empty(), "nobody waits any more");
    assert_eq!(digests(&setup).await, 0);
}
