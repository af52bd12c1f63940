//! Storing, finding and forgetting leads, and what the owner does about them.

use std::collections::HashSet;

use frontdoor::domain::{ContactForm, IdempotencyKey};
use frontdoor::store::{
    AUTO_REPLY_PAUSE, ActionOutcome, AddedLead, DeliveryKind, DeliveryOutcome, DeliveryState,
    LeadAction, LeadFilter, LeadState, NewLead, Retry, Store,
};
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::{ADA, BOB, add, due, found, held, lead, noon};
use crate::support::{self, TestStore, all, deliveries, leads, visitor};

fn replying(email: &str) -> NewLead {
    NewLead {
        deliveries: vec![DeliveryKind::AutoReply],
        ..lead(email)
    }
}

/// How many leads the answers name, and how many of them were stored just now.
fn counted(added: &[AddedLead]) -> (usize, usize) {
    let ids: HashSet<_> = added.iter().map(|each| &each.id).collect();
    let created = added.iter().filter(|each| each.created).count();
    (ids.len(), created)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_is_one_lead_whatever_the_message_and_whichever_server() {
    let test = TestStore::new().await;
    let store = &test.store;
    let added = test.at_once(40, async |store, nth| {
        // The same ten, up in one process and down in the other.
        let key = [nth / 2 % 10, 9 - nth / 2 % 10][nth % 2];
        let mut new = lead(&format!("visitor{nth}@example.org"));
        new.idempotency_key = IdempotencyKey::parse(&format!("form-{key}")).unwrap();
        store.add_lead(new, noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (10, 10));
    assert_eq!(leads(store).await.len(), 10);
    assert_eq!(deliveries(store).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_cannot_have_a_key_is_one_lead_for_a_minute() {
    let test = TestStore::new().await;
    let store = &test.store;
    let added = test.at_once(20, async |store, _| {
        store.add_form_lead(lead(ADA), noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (1, 1));
    for (later, created) in [(59, false), (60, true)] {
        let again = store.add_form_lead(lead(ADA), noon() + later.seconds());
        assert_eq!(again.await.unwrap().created, created, "{later}");
    }
    let other = store.add_form_lead(lead("Ada@example.org"), noon()).await;
    assert!(other.unwrap().created, "other letters are other words");
    assert_eq!(leads(store).await.len(), 3);
    assert_eq!(deliveries(store).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_gets_one_automatic_reply_a_day_whichever_servers_store_its_leads() {
    let test = TestStore::new().await;
    let store = &test.store;
    let added = test.at_once(20, async |store, nth| {
        let new = replying([ADA, "ADA@example.org"][nth / 2 % 2]);
        store.add_lead(new, noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (20, 20));
    assert_eq!(deliveries(store).await.len(), 1);
    for (later, replies) in [(noon() + 1.hour(), 1), (noon() + AUTO_REPLY_PAUSE, 2)] {
        store.add_lead(replying(ADA), later).await.unwrap();
        assert_eq!(deliveries(store).await.len(), replies);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_that_cannot_be_stored_does_not_affect_the_others_stored_with_it() {
    const BAD: &str = "Mallory";
    let test = TestStore::new().await;
    let store = &test.store;
    let condition = format!("NEW.name = '{BAD}'");
    test.database.sql().refuse("INSERT ON contacts", &condition);
    let answers = test.at_once(200, async |store, nth| {
        let name = if nth == 77 { BAD } else { "Ada" };
        let email = &format!("visitor{nth}@example.org");
        let new = support::lead(ContactForm {
            name,
            email,
            ..visitor()
        });
        (name, store.add_lead(new, noon()).await)
    });
    let mut ids = HashSet::new();
    for (name, added) in answers.await {
        assert_eq!(added.is_err(), name == BAD, "{added:?}");
        ids.extend(added.map(|added| added.id));
    }
    let stored = leads(store).await.into_iter().map(|lead| lead.id);
    assert_eq!(stored.collect::<HashSet<_>>(), ids);
    assert_eq!((ids.len(), deliveries(store).await.len()), (199, 199));
    assert!(!store.health().is_failing(), "one bad lead is no trouble");
}

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The state before, and how many deliveries were kept back and sent on.
async fn set(store: &Store, id: &str, state: LeadState, now: Timestamp) -> (LeadState, u64, u64) {
    match store
        .act_on_lead(id, LeadAction::Mark(state), None, now)
        .await
    {
        Ok(ActionOutcome::Done(done)) => (done.from, done.kept_back, done.sent_on),
        other => panic!("{other:?}"),
    }
}

async fn held_addresses(store: &Store) -> Vec<String> {
    let held = LeadFilter {
        held: true,
        ..all()
    };
    found(store, held).await
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_spam_wait_until_it_is_reopened_and_none_is_sent_twice() {
    let test = TestStore::new().await;
    let store = &test.store;
    let id = add(store, ADA).await.id;
    let claim = due(store, 1, noon()).await.remove(0);
    let spam = set(store, &id, LeadState::Spam, noon()).await;
    assert_eq!(spam, (LeadState::New, 1, 0), "also what is being sent");
    let (at, reason) = (noon(), "no".to_owned());
    let failed = DeliveryOutcome::Retry { at, reason };
    store.record_delivery(&claim, failed, noon()).await.unwrap();
    let later = noon() + 48.hours();
    assert!(due(store, 1, later).await.is_empty());
    assert_eq!(deliveries(store).await[0].state, DeliveryState::Held);

    let opened = set(store, &id, LeadState::New, later).await;
    assert_eq!(opened, (LeadState::Spam, 0, 1));
    let claim = due(store, 1, later).await.remove(0);
    let reason = "no".to_owned();
    let given_up = DeliveryOutcome::GivenUp { reason };
    assert_eq!(
        store.record_delivery(&claim, given_up, later).await,
        Ok(true)
    );
    set(store, &id, LeadState::Spam, later).await;
    let one = Retry::One(claim.delivery_id.clone());
    assert_eq!(store.retry_deliveries(Retry::All, later).await, Ok(0));
    assert_eq!(store.retry_deliveries(one.clone(), later).await, Ok(0));
    set(store, &id, LeadState::New, later).await;
    assert_eq!(store.retry_deliveries(one, later).await, Ok(1));

    let claim = due(store, 1, later).await.remove(0);
    set(store, &id, LeadState::Spam, later).await;
    let arrived = store
        .record_delivery(&claim, DeliveryOutcome::Delivered, later)
        .await;
    assert_eq!(arrived, Ok(true));
    let opened = set(store, &id, LeadState::New, later).await;
    assert_eq!(opened, (LeadState::Spam, 0, 0));
    assert_eq!(deliveries(store).await[0].state, DeliveryState::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_lead_waits_until_the_owner_says_that_it_is_genuine() {
    let test = TestStore::new().await;
    let store = &test.store;
    let add_held = async |email| {
        let notified = NewLead {
            deliveries: vec![DeliveryKind::LeadWebhook, DeliveryKind::LeadMail],
            ..held(email)
        };
        store.add_lead(notified, noon()).await.unwrap().id
    };
    let id = add_held(ADA).await;
    let unhold = async |id: &str, now| {
        let acted = store.act_on_lead(id, LeadAction::Release, None, now);
        acted.await.unwrap()
    };
    let number_of_deliveries = async || deliveries(store).await.len();
    assert_eq!(held_addresses(store).await, [ADA]);
    assert!(due(store, 8, noon()).await.is_empty());
    assert_eq!(number_of_deliveries().await, 3, "with the notice of it");
    set(store, &id, LeadState::Spam, noon()).await;
    assert_eq!(number_of_deliveries().await, 2, "nobody needs to hear");
    assert!(held_addresses(store).await.is_empty());
    assert_eq!(unhold(&id, noon()).await, ActionOutcome::IsSpam);

    let later = noon() + 3.hours();
    let reopened = set(store, &id, LeadState::New, later).await;
    assert_eq!(reopened, (LeadState::Spam, 0, 2));
    assert!(held_addresses(store).await.is_empty());
    let waiting = store.waiting_leads(None, 9).await.unwrap();
    assert_eq!(waiting[0].due_at(DAY), Some(later + DAY));
    assert_eq!(unhold(&id, later).await, ActionOutcome::Already);

    let bob = add_held(BOB).await;
    let released = unhold(&bob, later).await;
    assert!(matches!(released, ActionOutcome::Done(done) if done.sent_on == 2));
    // The owner knows of it, and the visitor has an answer: only the webhook is told.
    let eve = add_held("eve@example.org").await;
    let answered = set(store, &eve, LeadState::Answered, later).await;
    assert_eq!(answered, (LeadState::New, 0, 1));
    // Also not when it is opened again.
    let reopened = set(store, &eve, LeadState::New, later).await;
    assert_eq!(reopened, (LeadState::Answered, 0, 0));
    let left = deliveries(store).await;
    assert!(left.iter().all(|each| each.state != DeliveryState::Held));
    // Closing it says nothing about it.
    let zoe = add_held("zoe@example.org").await;
    set(store, &zoe, LeadState::Closed, later).await;
    set(store, &zoe, LeadState::New, later).await;
    assert_eq!(held_addresses(store).await, ["zoe@example.org"]);
    assert_eq!(unhold("nobody", later).await, ActionOutcome::UnknownLead);
}
