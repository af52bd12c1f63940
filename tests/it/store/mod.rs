//! One suite of tests for both databases.
//!
//! Each test gets a [`TestStore`] and doesn't know which database is behind it: the run
//! decides (`support/database.rs`).

mod deliveries;
mod leads;
mod newsletter;
mod visits;

use std::time::Duration;

use frontdoor::domain::{ContactForm, StoredWord};
use frontdoor::store::{
    AddedLead, BookingService, Channel, Claim, DeliveryState, LeadFilter, LeadState, LinkPurpose,
    MatchedBy, Migrated, NewLead, OpenMode, ScheduleState, SendState, Store, StoreError,
    SubscriberState,
};
use jiff::Timestamp;

use crate::support::{self, Database, HELD, TestStore, WEBHOOK, visitor};

const LEASE: Duration = Duration::from_secs(20);
const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

fn noon() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn lead(email: &str) -> NewLead {
    support::lead(ContactForm {
        email,
        phone: "+1 416 555 0100",
        ..visitor()
    })
}

fn held(email: &str) -> NewLead {
    NewLead {
        hold: HELD,
        ..lead(email)
    }
}

async fn add(store: &Store, email: &str) -> AddedLead {
    store.add_lead(lead(email), noon()).await.unwrap()
}

/// The webhooks that are due.
async fn due(store: &Store, limit: usize, now: Timestamp) -> Vec<Claim> {
    store
        .claim_deliveries(WEBHOOK, limit, LEASE, now)
        .await
        .unwrap()
}

/// The addresses of the leads that are listed.
async fn found(store: &Store, filter: LeadFilter) -> Vec<String> {
    let leads = store.leads(filter).await.unwrap().into_iter();
    leads.map(|lead| lead.email).collect()
}

async fn refusal(place: &Database, mode: OpenMode) -> StoreError {
    let url = place.url().parse().unwrap();
    let opened = Store::open(&url, mode).await;
    opened.err().expect("it can't be opened")
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_servers_that_start_at_once_creates_the_tables_and_no_command_does() {
    let place = Database::new();
    for _ in 0..2 {
        let missing = refusal(&place, OpenMode::Existing).await;
        assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    }
    let start = || {
        let url = place.url().parse().unwrap();
        tokio::spawn(async move {
            let migrated = Store::migrate(&url).await.unwrap();
            Store::open(&url, OpenMode::Create).await.unwrap();
            migrated
        })
    };
    let starts: Vec<_> = (0..8).map(|_| start()).collect();
    let mut made = Vec::new();
    for start in starts {
        made.push(start.await.unwrap());
    }
    let created = made.iter().filter(|each| **each == Migrated::Created);
    let nothing = made.iter().filter(|each| **each == Migrated::Nothing);
    assert_eq!((created.count(), nothing.count()), (1, 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_used_if_it_was_only_extended_and_an_older_one_is_not_for_tools() {
    let test = TestStore::new().await;
    test.store.close().await.unwrap();
    let place = &test.database;
    let (sql, url) = (place.sql(), place.url().parse().unwrap());
    let known = sql.number("SELECT max(version) FROM schema_migrations");
    let found = known + 1;
    let later = format!("INSERT INTO schema_migrations VALUES ({found}, 'later', {known})");
    assert_eq!(sql.run(&later), 1);
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let store = place.open(mode).await;
        assert_eq!(store.probe().await, Ok(()));
        store.close().await.unwrap();
    }
    assert_eq!(Store::migrate(&url).await, Ok(Migrated::Nothing));

    sql.run("UPDATE schema_migrations SET compatible_from = version");
    let too_new = StoreError::TooNew { found, known };
    for mode in [OpenMode::Create, OpenMode::Existing] {
        assert_eq!(refusal(place, mode).await, too_new);
    }
    assert_eq!(Store::migrate(&url).await, Err(too_new));

    let forget = format!("DELETE FROM schema_migrations WHERE version = {found}");
    sql.run(&forget);
    sql.run("UPDATE schema_migrations SET version = version - 1");
    let too_old = refusal(place, OpenMode::Existing).await;
    let is_told = matches!(too_old, StoreError::TooOld { found, known: needs, .. }
        if (found, needs) == (known - 1, known));
    assert!(is_told, "{too_old}");
}

fn words<T: StoredWord>(all: &[T]) -> Vec<&'static str> {
    all.iter().map(|each| each.word()).collect()
}

/// `migrations/` lists the words of these columns in CHECK constraints, so a new word needs a
/// migration.
#[tokio::test(flavor = "multi_thread")]
async fn every_word_for_a_state_can_be_stored() {
    let test = TestStore::new().await;
    add(&test.store, ADA).await;
    test.subscribe(BOB).await;
    let sql = test.database.sql();
    for row in [
        "mail_links (hash, subscriber_id, purpose, created_at)
            SELECT 'hash', id, 'confirm', created_at FROM subscribers",
        "newsletter_sends (issue, subscriber_id, state, offered_at)
            SELECT 'issue', id, 'sent', created_at FROM subscribers",
        "newsletter_schedules (issue, subject, file_name, content, rate, state, send_at,
                next_attempt_at, created_at)
            SELECT 'issue', 'One', 'one.md', '{}', 0, 'done', created_at, created_at, created_at
            FROM subscribers",
        "bookings (service, id, created_at) SELECT 'cal', 'call', created_at FROM subscribers",
    ] {
        assert_eq!(sql.run(&format!("INSERT INTO {row}")), 1, "{row}");
    }
    // A channel is a key: one row can have each word in turn.
    sql.run("DELETE FROM channels WHERE channel = 'mail'");
    for (table, column, words) in [
        ("contacts", "state", words(LeadState::ALL)),
        ("subscribers", "state", words(SubscriberState::ALL)),
        ("mail_links", "purpose", words(LinkPurpose::ALL)),
        ("deliveries", "state", words(DeliveryState::ALL)),
        ("newsletter_sends", "state", words(SendState::ALL)),
        ("newsletter_schedules", "state", words(ScheduleState::ALL)),
        ("channels", "channel", words(Channel::ALL)),
        ("bookings", "service", words(BookingService::ALL)),
        ("bookings", "matched_by", words(MatchedBy::ALL)),
    ] {
        for word in words {
            let change = format!("UPDATE {table} SET {column} = '{word}'");
            assert_ne!(sql.run(&change), 0, "{change}");
        }
    }
}
