//! Claims, leases and what became of them.

use frontdoor::domain::HoldReason;
use frontdoor::store::{
    About, Claim, DeliveryCounts, DeliveryKind, DeliveryState, LeadFilter, Outcome, Released,
    Retry, Store,
};
use jiff::{Timestamp, ToSpan as _};
use tokio::task::JoinSet;

use super::{Fresh, LEASE, add, lead, noon};
use crate::support::data::WEBHOOK;
use crate::support::database::{all, deliveries};

async fn due(store: &Store, limit: usize, now: Timestamp) -> Vec<Claim> {
    store.claim(WEBHOOK, limit, LEASE, now).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_lead_is_not_claimed_until_it_is_released() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut suspicious = lead("ada@example.org");
    suspicious.hold = Some(HoldReason::Decoy);
    let id = store.add_lead(suspicious, noon()).await.unwrap().id;
    let held = LeadFilter {
        held: true,
        ..all()
    };

    assert_eq!(store.leads(held.clone()).await.unwrap().len(), 1);
    assert!(due(&store, 8, noon()).await.is_empty());

    let released = store.release(&id, noon()).await.unwrap();
    assert_eq!(released, Released::Now { deliveries: 1 });
    assert_eq!(store.release(&id, noon()).await.unwrap(), Released::NotHeld);
    assert_eq!(
        store.release("nobody", noon()).await.unwrap(),
        Released::UnknownLead
    );
    assert!(store.leads(held).await.unwrap().is_empty());
    assert_eq!(due(&store, 8, noon()).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_counts_are_those_of_the_rows_whatever_happened_to_them() {
    const LEADS: usize = 150;
    let fresh = Fresh::new();
    let (store, other) = (fresh.open().await, fresh.open().await);
    let mut adding = JoinSet::new();
    for number in 0..LEADS {
        let store = if number % 2 == 0 { &store } else { &other }.clone();
        let mut lead = lead(&format!("person{number}@example.org"));
        lead.hold = (number % 5 == 0).then_some(HoldReason::Decoy);
        adding.spawn(async move { store.add_lead(lead, noon()).await.unwrap() });
    }
    adding.join_all().await;
    assert_eq!(counted(&store).await, counts_of_rows(&store).await);

    for (number, claim) in due(&store, 90, noon()).await.iter().enumerate() {
        let reason = "no".to_owned();
        let outcome = match number % 3 {
            0 => Outcome::Delivered,
            1 => Outcome::GivenUp { reason },
            _ => Outcome::Retry { at: noon(), reason },
        };
        store.record(claim, outcome, noon()).await.unwrap();
    }
    let counts = counted(&store).await;
    assert_eq!(counts, counts_of_rows(&store).await);
    assert_eq!(
        (counts.delivered, counts.given_up, counts.held),
        (30, 30, 30)
    );

    store.retry(Retry::All, noon()).await.unwrap();
    let held = LeadFilter {
        held: true,
        ..all()
    };
    for lead in store.leads(held).await.unwrap().iter().take(10) {
        store.release(&lead.id, noon()).await.unwrap();
        store.forget(&lead.email).await.unwrap();
    }
    let counts = counted(&store).await;
    assert_eq!(counts, counts_of_rows(&store).await);
    assert_eq!((counts.held, counts.given_up), (20, 0));
}

async fn counted(store: &Store) -> DeliveryCounts {
    store.delivery_counts().await.unwrap()
}

async fn counts_of_rows(store: &Store) -> DeliveryCounts {
    let mut counts = DeliveryCounts::default();
    for delivery in deliveries(store).await {
        *counts.of(delivery.state) += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_exclusive_until_its_lease_ends() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;

    let first = due(&store, 8, noon()).await;
    assert_eq!(first.len(), 1);
    let About::Lead(lead) = &first[0].about else {
        panic!("not about a lead");
    };
    assert_eq!(lead.email, "ada@example.org");
    assert!(due(&store, 8, noon()).await.is_empty());

    let later = noon() + LEASE;
    let second = due(&store, 8, later).await;
    assert_eq!(second[0].delivery_id, first[0].delivery_id);

    let late = Outcome::GivenUp {
        reason: "late".into(),
    };
    assert!(!store.record(&first[0], late, later).await.unwrap());
    assert!(
        store
            .record(&second[0], Outcome::Delivered, later)
            .await
            .unwrap()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_success_still_counts_as_delivered() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;
    let first = due(&store, 8, noon()).await;
    let second = due(&store, 8, noon() + LEASE).await;

    assert!(
        store
            .record(&first[0], Outcome::Delivered, noon())
            .await
            .unwrap()
    );
    let failed = Outcome::Retry {
        at: noon(),
        reason: "status 500".into(),
    };
    assert!(!store.record(&second[0], failed, noon()).await.unwrap());
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_respect_kind_limit_and_time() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    for number in 0..5 {
        let mut new = lead(&format!("visitor{number}@example.org"));
        new.deliveries = vec![DeliveryKind::Webhook, DeliveryKind::Notify];
        store
            .add_lead(new, noon() + number.seconds())
            .await
            .unwrap();
    }
    let early = due(&store, 8, noon() - 1.second()).await;
    assert!(early.is_empty());
    let both = &[DeliveryKind::Notify, DeliveryKind::AutoReply];
    let mails = store
        .claim(both, 8, LEASE, noon() + 1.second())
        .await
        .unwrap();
    assert_eq!(mails.len(), 2);
    assert!(mails.iter().all(|claim| claim.kind == DeliveryKind::Notify));
    let webhooks = due(&store, 3, noon() + 1.hour()).await;
    assert_eq!(webhooks.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_are_written_down() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;

    let claim = due(&store, 1, noon()).await.remove(0);
    let at = noon() + 5.seconds();
    let outcome = Outcome::Retry {
        at,
        reason: "status 500".into(),
    };
    store.record(&claim, outcome, noon()).await.unwrap();
    let waiting = deliveries(&store).await.remove(0);
    assert_eq!((waiting.attempts, waiting.next_attempt_at), (1, Some(at)));
    assert_eq!(waiting.last_error.as_deref(), Some("status 500"));

    let claim = due(&store, 1, at).await.remove(0);
    assert_eq!(claim.attempts, 1);
    let outcome = Outcome::GivenUp {
        reason: "status 410".into(),
    };
    store.record(&claim, outcome, at).await.unwrap();
    let given_up = deliveries(&store).await.remove(0);
    assert_eq!(given_up.state, DeliveryState::GivenUp);
    assert_eq!((given_up.attempts, given_up.finished_at), (2, Some(at)));
    assert_eq!(store.delivery_counts().await.unwrap().given_up, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_up_delivery_can_be_retried_from_the_start() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;
    let claim = due(&store, 1, noon()).await.remove(0);
    let one = Retry::One(claim.delivery_id.clone());
    assert_eq!(
        store.retry(one.clone(), noon()).await.unwrap(),
        0,
        "in flight"
    );
    let outcome = Outcome::GivenUp {
        reason: "status 410".into(),
    };
    store.record(&claim, outcome, noon()).await.unwrap();

    assert_eq!(store.retry(one.clone(), noon()).await.unwrap(), 1);
    let retried = deliveries(&store).await.remove(0);
    assert_eq!(
        (retried.state, retried.attempts),
        (DeliveryState::Pending, 0)
    );
    let untried = store.retry(Retry::All, noon()).await.unwrap();
    assert_eq!(untried, 0, "due already");

    let claim = due(&store, 1, noon()).await.remove(0);
    store
        .record(&claim, Outcome::Delivered, noon())
        .await
        .unwrap();
    assert_eq!(store.retry(one, noon()).await.unwrap(), 0, "delivered");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_failed_can_be_retried_at_once() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    for _ in 0..4 {
        add(&store, "ada@example.org").await;
    }
    let claims = due(&store, 3, noon()).await;
    let reason = "status 500".to_owned();
    let at = noon() + 5.hours();
    let waiting = Outcome::Retry {
        at,
        reason: reason.clone(),
    };
    store.record(&claims[0], waiting, noon()).await.unwrap();
    store
        .record(&claims[1], Outcome::GivenUp { reason }, noon())
        .await
        .unwrap();
    store
        .record(&claims[2], Outcome::Delivered, noon())
        .await
        .unwrap();

    assert_eq!(store.retry(Retry::All, noon()).await.unwrap(), 2);
    let due = due(&store, 8, noon()).await;
    assert_eq!(due.len(), 3, "the two and the untried one");
}
