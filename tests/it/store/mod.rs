//! One behaviour suite for every database behind the store.
//!
//! Each test gets a [`Store`] opened from a URL and knows nothing of the
//! database behind it.

mod newsletter;

use std::time::Duration;

use frontdoor::domain::{Contact, ContactForm, HoldReason, IdempotencyKey, RawSource, Source};
use frontdoor::store::{
    AUTO_REPLY_PAUSE, About, Cursor, DatabaseUrl, DeliveryFilter, DeliveryKind, DeliveryState,
    LeadFilter, NewLead, OpenMode, Outcome, Released, Retry, Store,
};
use jiff::{Timestamp, ToSpan};
use tempfile::TempDir;

const LEASE: Duration = Duration::from_secs(20);
const WEBHOOK: &[DeliveryKind] = &[DeliveryKind::Webhook];

/// A fresh database that goes away with the test.
struct Fresh {
    url: DatabaseUrl,
    _directory: TempDir,
}

impl Fresh {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/frontdoor.db");
        Self {
            url: format!("sqlite://{}", path.display()).parse().unwrap(),
            _directory: directory,
        }
    }

    async fn open(&self) -> Store {
        Store::open(&self.url, OpenMode::Create).await.unwrap()
    }
}

fn noon() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn lead(email: &str) -> NewLead {
    let form = ContactForm {
        name: "Ada Lovelace",
        email,
        phone: "+1 416 555 0100",
        message: "Hello\nthere",
        form_location: "homepage",
    };
    NewLead {
        contact: Contact::parse(form).unwrap(),
        source: Source::default(),
        hold: None,
        idempotency_key: None,
        deliveries: vec![DeliveryKind::Webhook],
    }
}

fn with_key(mut lead: NewLead, key: &str) -> NewLead {
    lead.idempotency_key = IdempotencyKey::parse(key).unwrap();
    lead
}

fn all() -> LeadFilter {
    LeadFilter {
        limit: 1000,
        ..LeadFilter::default()
    }
}

async fn deliveries(store: &Store) -> Vec<frontdoor::store::Delivery> {
    let filter = DeliveryFilter {
        limit: 1000,
        ..DeliveryFilter::default()
    };
    store.deliveries(filter).await.unwrap()
}

#[tokio::test]
async fn a_stored_lead_reads_back_as_it_was_sent() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut new = lead("ada@example.org");
    new.source = Source::parse(RawSource {
        landing_path: Some("/pricing".into()),
        utm_campaign: Some("spring".into()),
        ..RawSource::default()
    });
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

#[tokio::test]
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

#[tokio::test]
async fn what_is_stored_survives_closing_and_opening_again() {
    let fresh = Fresh::new();
    let id = {
        let store = fresh.open().await;
        store
            .add_lead(lead("ada@example.org"), noon())
            .await
            .unwrap()
            .id
    };
    let again = Store::open(&fresh.url, OpenMode::Existing).await.unwrap();
    assert!(again.lead(&id).await.unwrap().is_some());
}

#[tokio::test]
async fn the_same_idempotency_key_gives_the_first_id_and_one_row() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let first = with_key(lead("ada@example.org"), "form-1");
    let other_words = with_key(lead("bob@example.org"), "form-1");

    let first = store.add_lead(first, noon()).await.unwrap();
    let second = store.add_lead(other_words, noon()).await.unwrap();

    assert_eq!(second.id, first.id);
    assert!(first.created && !second.created);
    assert_eq!(store.leads(all()).await.unwrap().len(), 1);
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
    let mut ids = std::collections::HashSet::new();
    let mut created = 0;
    for racer in racers {
        let added = racer.await.unwrap();
        created += usize::from(added.created);
        ids.insert(added.id);
    }
    assert_eq!((ids.len(), created), (1, 1));
    assert_eq!(store_len(&stores[0]).await, 1);
}

async fn store_len(store: &Store) -> usize {
    store.leads(all()).await.unwrap().len()
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
    let mut ids = std::collections::HashSet::new();
    for sender in senders {
        ids.insert(sender.await.unwrap());
    }
    assert_eq!(ids.len(), 300);
    assert_eq!(store_len(&store).await, 300);
    assert_eq!(deliveries(&store).await.len(), 300);
}

#[tokio::test]
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
    assert!(
        store
            .claim(WEBHOOK, 8, LEASE, noon())
            .await
            .unwrap()
            .is_empty()
    );

    let released = store.release(&id, noon()).await.unwrap();
    assert_eq!(released, Released::Now { deliveries: 1 });
    assert_eq!(store.release(&id, noon()).await.unwrap(), Released::NotHeld);
    assert_eq!(
        store.release("nobody", noon()).await.unwrap(),
        Released::UnknownLead
    );
    assert!(store.leads(held).await.unwrap().is_empty());
    assert_eq!(
        store.claim(WEBHOOK, 8, LEASE, noon()).await.unwrap().len(),
        1
    );
}

#[tokio::test]
async fn a_claim_is_exclusive_until_its_lease_ends() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();

    let first = store.claim(WEBHOOK, 8, LEASE, noon()).await.unwrap();
    assert_eq!(first.len(), 1);
    let About::Lead(lead) = &first[0].about else {
        panic!("not about a lead");
    };
    assert_eq!(lead.email, "ada@example.org");
    assert!(
        store
            .claim(WEBHOOK, 8, LEASE, noon())
            .await
            .unwrap()
            .is_empty()
    );

    let later = noon() + LEASE;
    let second = store.claim(WEBHOOK, 8, LEASE, later).await.unwrap();
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

#[tokio::test]
async fn a_late_success_still_counts_as_delivered() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();
    let first = store.claim(WEBHOOK, 8, LEASE, noon()).await.unwrap();
    let second = store
        .claim(WEBHOOK, 8, LEASE, noon() + LEASE)
        .await
        .unwrap();

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

#[tokio::test]
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
    let early = store
        .claim(WEBHOOK, 8, LEASE, noon() - 1.second())
        .await
        .unwrap();
    assert!(early.is_empty());
    let both = &[DeliveryKind::Notify, DeliveryKind::AutoReply];
    let mails = store
        .claim(both, 8, LEASE, noon() + 1.second())
        .await
        .unwrap();
    assert_eq!(mails.len(), 2);
    assert!(mails.iter().all(|claim| claim.kind == DeliveryKind::Notify));
    let webhooks = store
        .claim(WEBHOOK, 3, LEASE, noon() + 1.hour())
        .await
        .unwrap();
    assert_eq!(webhooks.len(), 3);
}

#[tokio::test]
async fn outcomes_are_written_down() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();

    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
    let at = noon() + 5.seconds();
    let outcome = Outcome::Retry {
        at,
        reason: "status 500".into(),
    };
    store.record(&claim, outcome, noon()).await.unwrap();
    let waiting = deliveries(&store).await.remove(0);
    assert_eq!((waiting.attempts, waiting.next_attempt_at), (1, Some(at)));
    assert_eq!(waiting.last_error.as_deref(), Some("status 500"));

    let claim = store.claim(WEBHOOK, 1, LEASE, at).await.unwrap().remove(0);
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

#[tokio::test]
async fn a_given_up_delivery_can_be_retried_from_the_start() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();
    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
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

    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
    store
        .record(&claim, Outcome::Delivered, noon())
        .await
        .unwrap();
    assert_eq!(store.retry(one, noon()).await.unwrap(), 0, "delivered");
}

#[tokio::test]
async fn all_that_failed_can_be_retried_at_once() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    for _ in 0..4 {
        store
            .add_lead(lead("ada@example.org"), noon())
            .await
            .unwrap();
    }
    let claims = store.claim(WEBHOOK, 3, LEASE, noon()).await.unwrap();
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
    let due = store.claim(WEBHOOK, 8, LEASE, noon()).await.unwrap();
    assert_eq!(due.len(), 3, "the two and the untried one");
}

#[tokio::test]
async fn one_address_gets_one_automatic_reply_a_day() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let replying = |email: &str| NewLead {
        deliveries: vec![DeliveryKind::AutoReply],
        ..lead(email)
    };
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

#[tokio::test]
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
    let whole = store.leads(all()).await.unwrap();
    assert_eq!(whole.len(), 7);
    assert!(whole.is_sorted_by(|a, b| (a.created_at, &a.id) > (b.created_at, &b.id)));

    let mut paged = Vec::new();
    loop {
        let after = paged.last().map(|last: &frontdoor::store::Lead| Cursor {
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

#[tokio::test]
async fn forgetting_a_person_removes_every_lead_and_delivery_of_theirs() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();
    store
        .add_lead(lead("Ada@Example.org"), noon())
        .await
        .unwrap();
    let bob = store
        .add_lead(lead("bob@example.org"), noon())
        .await
        .unwrap();

    let forgotten = store.forget("ADA@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 2));
    let rest = store.leads(all()).await.unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].id, bob.id);
    assert_eq!(deliveries(&store).await.len(), 1);
    assert_eq!(store.forget("ada@example.org").await.unwrap().contacts, 0);
}

#[tokio::test]
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
        (store_len(&store).await, deliveries(&store).await.len()),
        (4, 4)
    );
}

#[tokio::test]
async fn an_address_is_found_in_every_spelling() {
    let (composed, decomposed) = ("\u{c4}rger@example.org", "a\u{308}RGER@example.org");
    let fresh = Fresh::new();
    let store = fresh.open().await;
    for email in [composed, decomposed] {
        let replying = NewLead {
            deliveries: vec![DeliveryKind::AutoReply],
            ..lead(email)
        };
        store.add_lead(replying, noon()).await.unwrap();
    }
    assert_eq!(deliveries(&store).await.len(), 1, "one automatic reply");
    let filter = LeadFilter {
        email: Some("\u{e4}rger@EXAMPLE.org".into()),
        ..all()
    };
    assert_eq!(store.leads(filter).await.unwrap().len(), 2);
    let forgotten = store.forget("\u{e4}rger@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 1));
    assert_eq!(store_len(&store).await, 0);
}

#[tokio::test]
async fn a_closed_store_leaves_one_whole_file_and_refuses() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    store
        .add_lead(lead("ada@example.org"), noon())
        .await
        .unwrap();
    assert_eq!(store_len(&store).await, 1);
    store.close().await.unwrap();
    assert!(
        store
            .add_lead(lead("ada@example.org"), noon())
            .await
            .is_err()
    );
    assert!(store.leads(all()).await.is_err());
    let DatabaseUrl::Sqlite(path) = &fresh.url else {
        panic!("not a file");
    };
    let names = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|each| each.unwrap().file_name()).collect();
    assert_eq!(names, ["frontdoor.db"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_processes_may_start_on_a_new_database_at_once() {
    let fresh = Fresh::new();
    let starts: Vec<_> = (0..8)
        .map(|_| {
            let url = fresh.url.clone();
            tokio::spawn(async move { Store::open(&url, OpenMode::Create).await.map(|_| ()) })
        })
        .collect();
    for start in starts {
        start.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_absent_database_is_not_created_by_a_tool() {
    let fresh = Fresh::new();
    let opened = Store::open(&fresh.url, OpenMode::Existing).await;
    assert!(opened.is_err());
}
