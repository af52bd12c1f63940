//! Claims, leases and what became of them.

use std::collections::HashSet;

use frontdoor::store::{
    Claim, ClaimedContent, DeliveryKind, DeliveryOutcome, DeliveryState, HELD_NOTICE_PAUSE,
    NewLead, Retry, Store,
};
use jiff::{Timestamp, ToSpan as _};

use super::{ADA, LEASE, add, due, held, lead, noon};
use crate::support::{TestStore, deliveries};

fn given_up() -> DeliveryOutcome {
    DeliveryOutcome::GivenUp {
        reason: "status 410".into(),
    }
}

fn retry_at(at: Timestamp) -> DeliveryOutcome {
    DeliveryOutcome::Retry {
        at,
        reason: "status 500".into(),
    }
}

async fn record(store: &Store, claim: &Claim, outcome: DeliveryOutcome, now: Timestamp) -> bool {
    store.record_delivery(claim, outcome, now).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_exclusive_until_its_lease_ends_and_a_success_counts_even_later() {
    let test = TestStore::new().await;
    let store = &test.store;
    add(store, ADA).await;
    let first = due(store, 8, noon()).await.remove(0);
    assert!(matches!(&first.content, ClaimedContent::Lead(lead) if lead.email == ADA));
    assert!(due(store, 8, noon()).await.is_empty());
    let anew = store.retry_deliveries(Retry::One(first.delivery_id.clone()), noon());
    assert_eq!(anew.await, Ok(0), "it is being sent");

    let later = noon() + LEASE;
    let second = due(store, 8, later).await.remove(0);
    assert_eq!(second.delivery_id, first.delivery_id);
    assert!(!record(store, &first, given_up(), later).await);
    assert!(record(store, &first, DeliveryOutcome::Delivered, later).await);
    assert!(!record(store, &second, retry_at(later), later).await);
    assert_eq!(deliveries(store).await[0].state, DeliveryState::Delivered);
    let anew = store.retry_deliveries(Retry::One(first.delivery_id), later);
    assert_eq!(anew.await, Ok(0), "it has arrived");
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_respect_kind_limit_and_time_and_come_in_the_order_they_are_due() {
    let test = TestStore::new().await;
    let store = &test.store;
    for number in [3, 1, 4, 0, 2] {
        let mut new = lead(&format!("visitor{number}@example.org"));
        new.deliveries = vec![DeliveryKind::LeadWebhook, DeliveryKind::LeadMail];
        let added = store.add_lead(new, noon() + number.seconds());
        added.await.unwrap();
    }
    assert!(due(store, 8, noon() - 1.second()).await.is_empty());
    let mails = &[DeliveryKind::LeadMail, DeliveryKind::AutoReply];
    let mails = store.claim_deliveries(mails, 8, LEASE, noon() + 1.second());
    let mails = mails.await.unwrap();
    assert_eq!(mails.len(), 2);
    assert!(
        mails
            .iter()
            .all(|claim| claim.kind == DeliveryKind::LeadMail)
    );
    let webhooks = due(store, 3, noon() + 1.hour()).await.into_iter();
    let order = webhooks.map(|claim| match claim.content {
        ClaimedContent::Lead(lead) => lead.created_at,
        _ => panic!("not about a lead"),
    });
    assert!(order.eq((0..3).map(|second| noon() + second.seconds())));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_two_workers_have_the_same_delivery() {
    let test = TestStore::new().await;
    let store = &test.store;
    for number in 0..60 {
        add(store, &format!("visitor{number}@example.org")).await;
    }
    let claimed = test.at_once(8, async |store, _| {
        let mut mine = Vec::new();
        loop {
            let claims = due(&store, 3, noon()).await;
            if claims.is_empty() {
                return mine;
            }
            mine.extend(claims.into_iter().map(|claim| claim.delivery_id));
        }
    });
    let claimed = claimed.await.concat();
    let different: HashSet<_> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (60, 60));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_held_while_a_notice_is_being_sent_is_in_the_next_notice() {
    let test = TestStore::new().await;
    let store = &test.store;
    let adders = [store.clone(), test.another().await].map(|store| {
        tokio::spawn(async move {
            for _ in 0..30 {
                let new = NewLead {
                    deliveries: vec![DeliveryKind::LeadMail],
                    ..held(ADA)
                };
                store.add_lead(new, noon()).await.unwrap();
            }
        })
    });
    let (mut told, mut now, mut is_last) = (0, noon(), false);
    while !is_last {
        // Each notice as soon as it is there; the last one when it is due.
        is_last = adders.iter().all(|adder| adder.is_finished());
        let by = now + u32::from(is_last) * 2 * HELD_NOTICE_PAUSE;
        let claims = store.claim_deliveries(&[DeliveryKind::HeldNotice], 8, LEASE, by);
        for claim in claims.await.unwrap() {
            let ClaimedContent::Held { number, .. } = claim.content else {
                panic!("not a notice of held leads");
            };
            told = number;
            assert!(record(store, &claim, DeliveryOutcome::Delivered, now).await);
            now += HELD_NOTICE_PAUSE;
        }
    }
    assert_eq!(told, 60);
}
