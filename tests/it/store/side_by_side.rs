//! Two stores on one database, as two replicas have it: what one of them does
//! once is done once by all.

use std::collections::HashSet;

use frontdoor::domain::{HoldReason, IdempotencyKey};
use frontdoor::store::{
    About, AddedLead, Claim, DeliveryKind, HELD_NOTICE_PAUSE, NewLead, Outcome, Result, Store,
};
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::{Fresh, LEASE, lead, noon};
use crate::support::data::WEBHOOK;
use crate::support::database::{deliveries, leads};

const ADA: &str = "ada@example.org";
const NOTICE: &[DeliveryKind] = &[DeliveryKind::HeldNotice];

async fn two(fresh: &Fresh) -> [Store; 2] {
    [fresh.open().await, fresh.open().await]
}

/// Twenty at once, half of them on each.
async fn at_once<F>(stores: &[Store; 2], add: impl Fn(Store, usize) -> F) -> Vec<AddedLead>
where
    F: Future<Output = Result<AddedLead>> + Send + 'static,
{
    let mut all = JoinSet::new();
    for number in 0..20 {
        all.spawn(add(stores[number % 2].clone(), number));
    }
    let added = all.join_all().await;
    added.into_iter().map(Result::unwrap).collect()
}

fn created(added: &[AddedLead]) -> (usize, usize) {
    let ids: HashSet<_> = added.iter().map(|each| &each.id).collect();
    let created = added.iter().filter(|each| each.created).count();
    (ids.len(), created)
}

fn held(email: &str) -> NewLead {
    NewLead {
        hold: Some(HoldReason::Decoy),
        deliveries: vec![DeliveryKind::Notify],
        ..lead(email)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_keys_that_cross_each_other_store_one_lead_each() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    let added = at_once(&stores, |store, number| async move {
        // The same ten, up on one replica and down on the other.
        let key = [number / 2 % 10, 9 - number / 2 % 10][number % 2];
        let mut new = lead(&format!("visitor{number}@example.org"));
        new.idempotency_key = IdempotencyKey::parse(&format!("form-{key}")).unwrap();
        store.add_lead(new, noon()).await
    })
    .await;
    assert_eq!(created(&added), (10, 10));
    assert_eq!(leads(&stores[0]).await.len(), 10);
    assert_eq!(deliveries(&stores[1]).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_are_one_lead_wherever_they_arrive() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    let added = at_once(&stores, |store, _| async move {
        store.add_form_lead(lead(ADA), noon()).await
    })
    .await;
    assert_eq!(created(&added), (1, 1));
    assert_eq!(leads(&stores[0]).await.len(), 1);
    assert_eq!(deliveries(&stores[1]).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_gets_one_automatic_reply_wherever_its_leads_arrive() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    let added = at_once(&stores, |store, _| async move {
        let mut new = lead(ADA);
        new.deliveries = vec![DeliveryKind::AutoReply, DeliveryKind::Webhook];
        store.add_lead(new, noon()).await
    })
    .await;
    assert_eq!(created(&added), (20, 20));
    let stored = deliveries(&stores[0]).await;
    let replies = stored
        .iter()
        .filter(|each| each.kind == DeliveryKind::AutoReply);
    assert_eq!((replies.count(), stored.len()), (1, 21));
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_held_on_two_replicas_bring_one_notice() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    at_once(&stores, |store, _| async move {
        store.add_lead(held(ADA), noon()).await
    })
    .await;
    let stored = deliveries(&stores[0]).await;
    let notices = stored
        .iter()
        .filter(|each| each.kind == DeliveryKind::HeldNotice);
    assert_eq!((notices.count(), stored.len()), (1, 21));
}

async fn notices(store: &Store, now: Timestamp) -> Vec<Claim> {
    store.claim(NOTICE, 8, LEASE, now).await.unwrap()
}

fn number(claim: &Claim) -> u64 {
    match claim.about {
        About::Held { number, .. } => number,
        _ => panic!("not a notice of held leads"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_held_while_a_notice_is_on_its_way_is_told_of_in_the_next() {
    let fresh = Fresh::new();
    let [one, other] = two(&fresh).await;
    one.add_lead(held(ADA), noon()).await.unwrap();
    let first = notices(&other, noon()).await.remove(0);
    one.add_lead(held(ADA), noon()).await.unwrap();
    let sent = other.record(&first, Outcome::Delivered, noon()).await;
    assert!(sent.unwrap());
    let second = notices(&one, noon() + HELD_NOTICE_PAUSE).await.remove(0);
    assert_eq!((number(&first), number(&second)), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_held_lead_slips_past_a_notice_that_is_being_sent() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    let (adding, telling) = (stores[0].clone(), stores[1].clone());
    let adder = tokio::spawn(async move {
        for _ in 0..60 {
            adding.add_lead(held(ADA), noon()).await.unwrap();
        }
    });
    // Each notice that is due by the end of the next hour, as soon as it is
    // there.
    let (mut told, mut now) = (0, noon());
    while !adder.is_finished() {
        for claim in notices(&telling, now).await {
            told = number(&claim);
            let sent = telling.record(&claim, Outcome::Delivered, now);
            assert!(sent.await.unwrap());
            now += HELD_NOTICE_PAUSE;
        }
    }
    adder.await.unwrap();
    if let Some(last) = notices(&telling, now + 2 * HELD_NOTICE_PAUSE).await.first() {
        told = number(last);
    }
    assert_eq!(told, 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_two_workers_have_the_same_delivery() {
    let fresh = Fresh::new();
    let stores = two(&fresh).await;
    for _ in 0..3 {
        at_once(&stores, |store, number| async move {
            let email = format!("visitor{number}@example.org");
            store.add_lead(lead(&email), noon()).await
        })
        .await;
    }
    let mut workers = JoinSet::new();
    for worker in 0..8 {
        let store = stores[worker % 2].clone();
        workers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claims = store.claim(WEBHOOK, 3, LEASE, noon()).await.unwrap();
                if claims.is_empty() {
                    return mine;
                }
                mine.extend(claims.into_iter().map(|claim| claim.delivery_id));
            }
        });
    }
    let claimed: Vec<_> = workers.join_all().await.concat();
    let different: HashSet<_> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (60, 60));
}
