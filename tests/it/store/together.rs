//! Leads that wait are committed together, and each is answered for itself.

use std::collections::HashSet;
use std::time::Duration;

use frontdoor::domain::ContactForm;
use frontdoor::store::{
    About, AddedLead, Claim, DeliveryKind, LeadFilter, NewLead, OpenMode, Released, Remains,
    Result, Store, StoreError,
};
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::{LEASE, add, lead, noon};
use crate::support::data::{self, WEBHOOK, visitor};
use crate::support::database::{Database, all, deliveries, leads};
use crate::support::wait::until;

const BAD: &str = "Mallory";

async fn open(database: &Database) -> Store {
    database.open(OpenMode::Create).await
}

fn from(name: &str, email: &str) -> NewLead {
    data::lead(ContactForm {
        name,
        email,
        ..visitor()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_that_cannot_be_stored_spoils_only_itself() {
    let database = Database::new();
    let store = open(&database).await;
    database.past().refuse_leads_of(BAD);
    let mut all = JoinSet::new();
    for number in 0..200 {
        let name = if number == 77 { BAD } else { "Ada Lovelace" };
        let new = from(name, &format!("visitor{number}@example.org"));
        let store = store.clone();
        all.spawn(async move { (name, store.add_lead(new, noon()).await) });
    }
    let mut ids = HashSet::new();
    for (name, added) in all.join_all().await {
        assert_eq!(added.is_err(), name == BAD, "{added:?}");
        ids.extend(added.map(|added| added.id));
    }
    assert_eq!(ids.len(), 199);
    let stored = leads(&store).await;
    assert_eq!(stored.len(), 199);
    assert!(stored.iter().all(|lead| ids.contains(&lead.id)));
    assert_eq!(deliveries(&store).await.len(), 199);
    assert!(!store.health().is_failing(), "one bad lead is no trouble");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_who_closes_the_page_has_sent_the_message() {
    let database = Database::new();
    let store = open(&database).await;
    let past = database.past();
    past.hold();
    let first = queue_up(&store, 0, noon()).await;
    drop(queue_up(&store, 1, noon()).await);
    past.let_go();
    first.await.unwrap();
    add(&store, "next@example.org").await;
    assert_eq!(leads(&store).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_still_waits_when_its_visitor_is_told_that_it_failed_is_not_stored_later() {
    let database = Database::new();
    let store = open(&database).await;
    let past = database.past();
    past.hold();
    let mut refused = JoinSet::new();
    for number in 0..8 {
        // Of another time, so in a transaction of its own: the last one waits
        // for all the others, each of which gives up the lock after two seconds
        // or more. A visitor gives up after four.
        let now = noon() + Duration::from_secs(number);
        refused.spawn(queue_up(&store, number as usize, now).await);
    }
    for told in refused.join_all().await {
        told.unwrap_err();
    }
    past.let_go();
    store_when_it_works_again(&store).await;
    let stored = leads(&store).await;
    let last = stored.iter().find(|lead| lead.email.contains("visitor7"));
    assert_eq!(last, None);
}

/// The first is being stored when this returns, all others wait.
async fn queue_up(
    store: &Store,
    number: usize,
    now: Timestamp,
) -> impl Future<Output = Result<AddedLead>> + Send + 'static {
    let (store, email) = (store.clone(), format!("visitor{number}@example.org"));
    let watched = store.clone();
    let mut adding = Box::pin(async move { store.add_lead(lead(&email), now).await });
    let at_once = tokio::time::timeout(Duration::ZERO, &mut adding).await;
    assert!(at_once.is_err(), "nothing can be stored");
    while watched.waiting() != number {
        tokio::task::yield_now().await;
    }
    adding
}

async fn store_when_it_works_again(store: &Store) {
    until("a lead is stored", async || {
        let added = store.add_lead(lead("next@example.org"), noon()).await;
        added.is_ok()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_closed_finishes_what_waits() {
    let database = Database::new();
    let store = open(&database).await;
    let past = database.past();
    past.hold();
    let mut waiting = JoinSet::new();
    for number in 0..5 {
        waiting.spawn(queue_up(&store, number, noon()).await);
    }
    let closing = store.close();
    past.let_go();
    closing.await.unwrap();
    let added = waiting.join_all().await;
    let stored = added.iter().flatten().count();
    let again = open(&database).await;
    assert_eq!(leads(&again).await.len(), stored);
    assert_eq!(stored, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_is_full_says_so_at_once() {
    let database = Database::postgres();
    let store = open(&database).await;
    let past = database.past();
    past.hold();
    let mut waiting = Vec::new();
    let refused = loop {
        let (store, email) = (store.clone(), format!("visitor{}@x.org", waiting.len()));
        let mut adding = Box::pin(async move { store.add_lead(lead(&email), noon()).await });
        // Asked once: who has no answer then waits.
        match tokio::time::timeout(Duration::ZERO, &mut adding).await {
            Ok(answer) => break answer,
            Err(_) => waiting.push(adding),
        }
    };
    assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
    past.let_go();
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_from_before_us_are_found_by_their_address() {
    let database = Database::postgres();
    let store = open(&database).await;
    database.past().run(
        "INSERT INTO contacts (id, name, email, message, created_at)
        VALUES ('old', 'Ada', ' Ada@Example.org', 'Hello', '2020-01-01T00:00:00Z')",
    );
    let theirs = LeadFilter {
        email: Some("ada@example.org".into()),
        ..all()
    };
    let found = store.leads(theirs).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, "old");
    let mut new = lead("ada@example.org");
    new.deliveries = vec![DeliveryKind::AutoReply];
    store.add_lead(new, noon()).await.unwrap();

    let forgotten = store.forget("ADA@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 1));
    assert_eq!(forgotten.remains, Remains::UntilVacuum);
    assert!(leads(&store).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_another_kind_are_as_good() {
    for kind in ["bigint GENERATED ALWAYS AS IDENTITY", "serial", "uuid"] {
        let database = Database::postgres();
        database.past().run(&format!(
            "CREATE TABLE contacts (id {kind} PRIMARY KEY, name text, email text, phone text,
                message text, form_location text)"
        ));
        let store = open(&database).await;
        let mut all = JoinSet::new();
        for _ in 0..20 {
            let store = store.clone();
            all.spawn(async move { store.add_form_lead(lead("ada@example.org"), noon()).await });
        }
        let added = all.join_all().await.into_iter();
        let ids: HashSet<_> = added.map(|added| added.unwrap().id).collect();
        assert_eq!(ids.len(), 1, "{kind}");
        let claims = store.claim(WEBHOOK, 8, LEASE, noon()).await.unwrap();
        let [Claim { about, .. }] = &claims[..] else {
            panic!("{kind}: {claims:?}");
        };
        assert!(
            matches!(about, About::Lead(lead) if ids.contains(&lead.id)),
            "{kind}"
        );
        let id = ids.iter().next().unwrap();
        assert_eq!(store.release(id, noon()).await.unwrap(), Released::NotHeld);
        let nobody = store.release("nobody", noon()).await.unwrap();
        assert_eq!(nobody, Released::UnknownLead);
        let forgotten = store.forget("ada@example.org").await.unwrap();
        assert_eq!((forgotten.contacts, forgotten.deliveries), (1, 1), "{kind}");
    }
}
