//! What was kept long enough goes, and nothing else.

use std::fs;

use frontdoor::config::{RetentionArgs, RetentionSettings};
use frontdoor::store::{OldRecords, OpenMode, Store};
use frontdoor::upkeep::{Counts, DailyMaintenance, count, prune};
use jiff::SignedDuration;

use super::records::{add_lead, assert_pruned, days_ago, fill, now};
use crate::support::database::{Database, leads};
use crate::support::past::Past;

/// The policy's.
fn settings() -> RetentionSettings {
    RetentionArgs::default().load().unwrap()
}

async fn all_pruned(store: &Store) -> Counts {
    let pruned = prune(store, &settings(), now()).await;
    pruned.ended.unwrap();
    pruned.counts
}

async fn filled() -> (Database, Store) {
    let database = Database::new();
    let store = database.open(OpenMode::Create).await;
    fill(&database.past());
    (database, store)
}

#[tokio::test]
async fn what_was_kept_long_enough_goes_and_what_waits_never_does() {
    let (database, store) = filled().await;
    let counted = count(&store, &settings(), now()).await.unwrap();
    let removed = all_pruned(&store).await;
    let counts: Vec<_> = removed
        .iter()
        .map(|(of, number)| (of.key(), *number))
        .collect();
    assert_eq!(
        counts,
        [
            ("leads", 2),
            ("spam", 1),
            ("unconfirmed", 1),
            ("unsubscribed", 2),
            ("past_consents", 1),
            ("deliveries", 2),
            ("links", 1),
            ("refusals", 1),
            ("refused_issues", 1),
            ("schedules", 2),
        ]
    );
    // Some went with their person before they were counted themselves.
    let sooner = |of: &str| if of == "past_consents" { 1 } else { 0 };
    for ((of, before), (_, after)) in counted.iter().zip(&removed) {
        assert_eq!(*before, after + sooner(of.key()), "{}", of.name());
    }
    assert_pruned(&database.past());
    let again = all_pruned(&store).await;
    assert!(again.iter().all(|(_, number)| *number == 0), "{again:?}");
}

/// Between finding and removing others write.
#[tokio::test]
async fn what_is_found_to_be_old_is_looked_at_again_before_it_goes() {
    let database = Database::new();
    let store = database.open(OpenMode::Create).await;
    let past = database.past();
    for id in ["goes", "opened", "wrote"] {
        add_lead(&past, id, "closed", 2000);
    }
    let of = OldRecords::Leads;
    let age = settings().period(of).unwrap();
    let one = store.old(of, age, 1, now()).await.unwrap();
    assert_eq!(one.len(), 1);
    let found = store.old(of, age, 10, now()).await.unwrap();
    assert_eq!(found.len(), 3);
    past.run("UPDATE contacts SET state = 'new' WHERE id = 'opened'");
    add_lead(&past, "again", "new", 1);
    past.run("UPDATE contacts SET email_key = 'wrote@example.org' WHERE id = 'again'");
    assert_eq!(store.prune(of, &found, age, now()).await, Ok(1));
    assert_eq!(store.prune(of, &found, age, now()).await, Ok(0));
    let there = past.rows("SELECT id FROM contacts ORDER BY id");
    assert_eq!(there.concat(), ["again", "opened", "wrote"]);
}

/// More than one search finds, and than one step removes.
#[tokio::test]
async fn all_that_is_old_goes_however_much_it_is() {
    let database = Database::new();
    let store = database.open(OpenMode::Create).await;
    let past = database.past();
    add_lead(&past, "kept", "closed", 10);
    let numbers = match past {
        Past::File(_) => {
            "(WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number
                WHERE n < 10250) SELECT n FROM number)"
        }
        Past::Server(_) => "generate_series(1, 10250) AS number (n)",
    };
    past.run(&format!(
        "INSERT INTO deliveries (id, contact_id, kind, state, created_at, finished_at)
        SELECT 'sent' || n, 'kept', 'webhook', 'delivered', '{0}', '{0}' FROM {numbers}",
        days_ago(200)
    ));
    let removed = all_pruned(&store).await;
    assert!(removed.contains(&(OldRecords::Deliveries, 10_250)));
    assert_eq!(past.number("SELECT count(*) FROM deliveries"), 0);
}

#[tokio::test]
async fn once_a_day_whichever_server_comes_first() {
    let database = Database::new();
    let stores = [
        database.open(OpenMode::Create).await,
        database.open(OpenMode::Existing).await,
    ];
    let past = database.past();
    let [mut one, mut other] = stores.map(|store| DailyMaintenance::new(store, None, settings()));
    let old = || past.number("SELECT count(*) FROM contacts WHERE id LIKE 'old%'");
    add_lead(&past, "old1", "closed", 2000);
    one.look(now()).await;
    assert_eq!(old(), 0);
    add_lead(&past, "old2", "closed", 2000);
    other.look(now()).await;
    one.look(now() + SignedDuration::from_hours(11)).await;
    assert_eq!(old(), 1, "it was done today");
    other.look(now() + SignedDuration::from_hours(24)).await;
    assert_eq!(old(), 0);
}

#[tokio::test]
async fn of_those_who_come_together_one_has_it_and_a_killed_ones_is_taken_up() {
    let database = Database::new();
    let store = database.open(OpenMode::Create).await;
    let lease = SignedDuration::from_mins(30);
    let last = store.last_pruning().await.unwrap();
    assert_eq!(last, None);
    assert!(store.claim_pruning(last, lease, now()).await.unwrap());
    let later = now() + lease - SignedDuration::from_secs(1);
    assert!(!store.claim_pruning(last, lease, later).await.unwrap());
    let ended = now() + lease;
    assert!(store.claim_pruning(last, lease, ended).await.unwrap());
    store.finish_pruning(ended).await.unwrap();
    assert!(!store.claim_pruning(last, lease, ended).await.unwrap());
    let last = store.last_pruning().await.unwrap();
    assert_eq!(last, Some(ended));
}

#[tokio::test]
async fn a_clock_that_is_suddenly_years_ahead_removes_nothing_on_its_first_day() {
    let database = Database::new();
    let store = database.open(OpenMode::Create).await;
    let past = database.past();
    let mut maintenance = DailyMaintenance::new(store, None, settings());
    maintenance.look(now()).await;
    add_lead(&past, "one", "closed", 10);
    let there = || past.number("SELECT count(*) FROM contacts");
    let days = |days: i64| now() + SignedDuration::from_hours(24 * days);
    maintenance.look(days(3650)).await;
    assert_eq!(there(), 1);
    // It was right.
    maintenance.look(days(3651)).await;
    assert_eq!(there(), 0);
}

/// The daily job does not write the file anew, for which visitors would wait.
#[tokio::test]
async fn no_word_of_what_was_removed_is_left_in_the_files() {
    let database = Database::sqlite();
    let store = database.open(OpenMode::Create).await;
    let past = database.past();
    let secret = "Zanzibar quinces".repeat(40);
    for number in 0..2_000 {
        add_lead(&past, &format!("old{number}"), "closed", 2000);
    }
    past.run(&format!("UPDATE contacts SET message = '{secret}'"));
    drop(past);
    let mut maintenance = DailyMaintenance::new(store.clone(), None, settings());
    maintenance.look(now()).await;
    assert_eq!(leads(&store).await.len(), 0);
    let mut read = 0;
    for file in database.files() {
        let bytes = fs::read(&file).unwrap();
        read += bytes.len();
        for word in ["Zanzibar", "zanzibar", "old7@example"] {
            let found = bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes());
            assert!(!found, "{word} in {}", file.display());
        }
    }
    assert!(read > 2_000_000, "the file keeps its size: {read}");
}
