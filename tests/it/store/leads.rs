//! Storing, finding and forgetting leads.

use std::collections::HashSet;

use frontdoor::domain::{IdempotencyKey, Source};
use frontdoor::store::{
    AUTO_REPLY_PAUSE, Cursor, DeliveryKind, DeliveryState, Lead, LeadFilter, NewLead,
};
use jiff::ToSpan as _;

use super::{Fresh, add, lead, noon};
use crate::support::database::{all, deliveries, leads};

fn with_key(mut lead: NewLead, key: &str) -> NewLead {
    lead.idempotency_key = IdempotencyKey::parse(key).unwrap();
    lead
}

fn replying(email: &str) -> NewLead {
    NewLead {
        deliveries: vec![DeliveryKind::AutoReply],
        ..lead(email)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_lead_reads_back_as_it_was_sent() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut new = lead("ada@example.org");
    new.source = Source::from_values(Source::FIELDS.map(|name| match name {
        "landing_path" => Some("/pricing".into()),
        "utm_campaign" => Some("spring".into()),
        _ => None,
    }));
    let source = new.source.clone();

    let added = store.add_lead(new, noon()).await.unwrap();

    let stored = store.lead(&added.id).await.unwrap().unwrap();
    assert!(added.created);
    assert_eq!(stored.name, "Ada Lovelace");
    assert_eq!(stored.email, "ada@example.org");
    assert_eq!(stored.phone.as_deref(), Some("+1 416 555 0100"));
    assert_eq!(stored.message, "Hello\nthere");
    assert_eq!(stored.form_location, "homepage");
    assert_eq!(stored.created_at, noon());
    assert_eq!(stored.source, source);
    assert!(!stored.is_held());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_and_its_deliveries_are_stored_together() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut new = lead("ada@example.org");
    new.deliveries = vec![
        DeliveryKind::Webhook,
        DeliveryKind::Notify,
        DeliveryKind::AutoReply,
    ];

    let added = store.add_lead(new, noon()).await.unwrap();

    let stored = deliveries(&store).await;
    assert_eq!(stored.len(), 3);
    for delivery in stored {
        assert_eq!(delivery.contact_id.as_ref(), Some(&added.id));
        assert_eq!(delivery.state, DeliveryState::Pending);
        assert_eq!(delivery.next_attempt_at, Some(noon()));
        assert_eq!(delivery.attempts, 0);
        assert!(
            !delivery.id.contains('.'),
            "the webhook id must have no dot"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_idempotency_key_gives_the_first_id_and_one_row() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let first = with_key(lead("ada@example.org"), "form-1");
    let other_words = with_key(lead("bob@example.org"), "form-1");

    let first = store.add_lead(first, noon()).await.unwrap();
    let second = store.add_lead(other_words, noon()).await.unwrap();

    assert_eq!(second.id, first.id);
    assert!(first.created && !second.created);
    assert_eq!(leads(&store).await.len(), 1);
    assert_eq!(deliveries(&store).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn racing_requests_with_one_key_store_one_lead() {
    let fresh = Fresh::new();
    // Two stores on one database, as two processes would have.
    let stores = [fresh.open().await, fresh.open().await];
    let racers: Vec<_> = (0..40)
        .map(|number| {
            let store = stores[number % 2].clone();
            let lead = with_key(lead("ada@example.org"), "form-1");
            tokio::spawn(async move { store.add_lead(lead, noon()).await.unwrap() })
        })
        .collect();
    let mut ids = HashSet::new();
    let mut created = 0;
    for racer in racers {
        let added = racer.await.unwrap();
        created += usize::from(added.created);
        ids.insert(added.id);
    }
    assert_eq!((ids.len(), created), (1, 1));
    assert_eq!(leads(&stores[0]).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_cannot_have_a_key_is_one_lead_for_a_minute() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let first = store.add_form_lead(lead("ada@example.org"), noon()).await;
    let first = first.unwrap();
    for (later, created) in [(0, false), (59, false), (60, true), (-61, true)] {
        let again = store.add_form_lead(lead("ada@example.org"), noon() + later.seconds());
        let again = again.await.unwrap();
        assert_eq!(
            (again.created, again.id != first.id),
            (created, created),
            "{later}"
        );
    }
    let other = store.add_form_lead(lead("Ada@example.org"), noon()).await;
    assert!(other.unwrap().created, "other letters are other words");
    assert_eq!(
        (leads(&store).await.len(), deliveries(&store).await.len()),
        (4, 4)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_sent_at_once_are_all_stored_once() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let senders: Vec<_> = (0..300)
        .map(|number| {
            let store = store.clone();
            let lead = lead(&format!("visitor{number}@example.org"));
            tokio::spawn(async move { store.add_lead(lead, noon()).await.unwrap().id })
        })
        .collect();
    let mut ids = HashSet::new();
    for sender in senders {
        ids.insert(sender.await.unwrap());
    }
    assert_eq!(ids.len(), 300);
    assert_eq!(leads(&store).await.len(), 300);
    assert_eq!(deliveries(&store).await.len(), 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_gets_one_automatic_reply_a_day() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(replying("ada@example.org"), noon())
        .await
        .unwrap();
    store
        .add_lead(replying("ADA@example.org"), noon() + 1.hour())
        .await
        .unwrap();
    assert_eq!(deliveries(&store).await.len(), 1);
    let next_day = noon() + AUTO_REPLY_PAUSE;
    store
        .add_lead(replying("ada@example.org"), next_day)
        .await
        .unwrap();
    assert_eq!(deliveries(&store).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_listed_newest_first_and_page_by_page() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    for number in 0..7 {
        let new = lead(&format!("visitor{number}@example.org"));
        // Pairs share their time, so the id must break the tie.
        store
            .add_lead(new, noon() + (number / 2).seconds())
            .await
            .unwrap();
    }
    let whole = leads(&store).await;
    assert_eq!(whole.len(), 7);
    assert!(whole.is_sorted_by(|a, b| (a.created_at, &a.id) > (b.created_at, &b.id)));

    let mut paged = Vec::new();
    loop {
        let after = paged.last().map(|last: &Lead| Cursor {
            created_at: last.created_at,
            id: last.id.clone(),
        });
        let page = LeadFilter {
            after,
            limit: 3,
            ..all()
        };
        let page = store.leads(page).await.unwrap();
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, whole);

    let recent = LeadFilter {
        since: Some(noon() + 2.seconds()),
        ..all()
    };
    assert_eq!(store.leads(recent).await.unwrap().len(), 3);
    let person = LeadFilter {
        email: Some("VISITOR3@example.org".into()),
        ..all()
    };
    assert_eq!(store.leads(person).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_found_in_every_spelling() {
    let fresh = Fresh::new();
    let (composed, decomposed) = ("\u{c4}rger@example.org", "a\u{308}RGER@example.org");
    let store = fresh.open().await;
    for email in [composed, decomposed] {
        store.add_lead(replying(email), noon()).await.unwrap();
    }
    assert_eq!(deliveries(&store).await.len(), 1, "one automatic reply");
    let filter = LeadFilter {
        email: Some("\u{e4}rger@EXAMPLE.org".into()),
        ..all()
    };
    assert_eq!(store.leads(filter).await.unwrap().len(), 2);
    let forgotten = store.forget("\u{e4}rger@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 1));
    assert_eq!(leads(&store).await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn forgetting_a_person_removes_every_lead_and_delivery_of_theirs() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;
    add(&store, "Ada@Example.org").await;
    let bob = add(&store, "bob@example.org").await;

    let forgotten = store.forget("ADA@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 2));
    let rest = leads(&store).await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].id, bob.id);
    assert_eq!(deliveries(&store).await.len(), 1);
    assert_eq!(store.forget("ada@example.org").await.unwrap().contacts, 0);
}
