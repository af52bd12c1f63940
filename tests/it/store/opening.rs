//! Databases that are new, absent, or of another version.

use frontdoor::store::{Migrated, OpenMode, Store, StoreError};

use super::Fresh;
use crate::support::database::Database;

async fn refusal(place: &Database, mode: OpenMode) -> StoreError {
    let url = place.url().parse().unwrap();
    let opened = Store::open(&url, mode).await;
    opened.err().expect("it cannot be opened")
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_processes_that_start_on_a_new_database_one_makes_the_tables() {
    let place = Database::new();
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
async fn a_tool_makes_no_tables() {
    let place = Database::new();
    for _ in 0..2 {
        let missing = refusal(&place, OpenMode::Existing).await;
        assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_used_if_it_was_only_extended_and_an_older_one_is_not_for_tools() {
    let Fresh { store, place } = Fresh::new().await;
    store.close().await.unwrap();
    let (past, url) = (place.past(), place.url().parse().unwrap());
    let known = past.number("SELECT max(version) FROM schema_migrations");
    let found = known + 1;
    let later = format!("INSERT INTO schema_migrations VALUES ({found}, 'later', {known})");
    assert_eq!(past.run(&later), 1);
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let store = place.open(mode).await;
        assert_eq!(store.probe().await, Ok(()));
        store.close().await.unwrap();
    }
    assert_eq!(Store::migrate(&url).await, Ok(Migrated::Nothing));

    past.run("UPDATE schema_migrations SET compatible_from = version");
    let too_new = StoreError::TooNew { found, known };
    for mode in [OpenMode::Create, OpenMode::Existing] {
        assert_eq!(refusal(&place, mode).await, too_new);
    }
    assert_eq!(Store::migrate(&url).await, Err(too_new));

    past.run(&format!(
        "DELETE FROM schema_migrations WHERE version = {found}"
    ));
    past.run("UPDATE schema_migrations SET version = version - 2");
    let too_old = refusal(&place, OpenMode::Existing).await;
    let is_told = matches!(too_old, StoreError::TooOld { found, known: needs, .. }
        if (found, needs) == (known - 2, known));
    assert!(is_told, "{too_old}");
}
