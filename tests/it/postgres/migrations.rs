//! The tables are made once, whoever comes first, and an older program lives
//! beside a newer schema that was only expanded.

use frontdoor::store::{LeadState, Migrated, OpenMode, Store, StoreError};

use super::{parsed, refusal};
use crate::support::database::Database;

const HIGHEST: &str = "SELECT max(version) FROM schema_migrations";

/// As if a later program had been here.
fn newer(database: &Database, compatible_from: i64) -> i64 {
    let version = database.past().number(HIGHEST) + 1;
    database.past().run(&format!(
        "INSERT INTO schema_migrations (version, name, compatible_from)
         VALUES ({version}, 'later', {compatible_from})"
    ));
    version
}

#[tokio::test]
async fn of_many_that_start_at_once_one_makes_the_tables() {
    let database = Database::postgres();
    let url = parsed(&database.url());
    let starts = (0..8).map(|_| {
        tokio::spawn({
            let url = url.clone();
            async move { Store::migrate(&url).await.unwrap() }
        })
    });
    let mut made = 0;
    for start in starts.collect::<Vec<_>>() {
        match start.await.unwrap() {
            Migrated::Created => made += 1,
            other => assert_eq!(other, Migrated::Nothing),
        }
    }
    assert_eq!(made, 1);
    let steps = database
        .past()
        .number("SELECT count(*) FROM schema_migrations");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(usize::try_from(steps), Ok(files));
    assert_eq!(Store::migrate(&url).await, Ok(Migrated::Nothing));
    assert_eq!(Store::check(&url).await, Ok(true));
}

#[tokio::test]
async fn a_tool_makes_no_tables() {
    let database = Database::postgres();
    let missing = refusal(&database.url(), OpenMode::Existing).await;
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(database.past().number(tables), 0);
}

#[tokio::test]
async fn a_schema_that_was_only_expanded_does_not_stop_an_older_program() {
    let database = Database::postgres();
    database.create().await.close().await.unwrap();
    let ours = database.past().number(HIGHEST);
    newer(&database, ours);
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let store = database.open(mode).await;
        assert_eq!(store.probe().await, Ok(()));
        store.close().await.unwrap();
    }
    let url = parsed(&database.url());
    assert_eq!(Store::migrate(&url).await, Ok(Migrated::Nothing));
}

#[tokio::test]
async fn a_schema_that_is_not_compatible_is_refused_by_server_and_tool() {
    let database = Database::postgres();
    database.create().await.close().await.unwrap();
    let known = database.past().number(HIGHEST);
    let found = newer(&database, known + 1);
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let refused = refusal(&database.url(), mode).await;
        assert_eq!(refused, StoreError::TooNew { found, known });
    }
}

#[tokio::test]
async fn a_tool_does_not_touch_a_schema_of_an_earlier_version() {
    let database = Database::postgres();
    database.create().await.close().await.unwrap();
    let known = database.past().number(HIGHEST);
    let last = format!("DELETE FROM schema_migrations WHERE version = {known}");
    database.past().run(&last);
    let before = database.past().number(HIGHEST);
    let refused = refusal(&database.url(), OpenMode::Existing).await;
    let StoreError::TooOld {
        found,
        known: needs,
        ..
    } = refused
    else {
        panic!("{refused}");
    };
    assert_eq!((found, needs), (before, known));
}

/// What version 6 left, by taking back what came after it.
const BEFORE_STATES: &str = "DROP TABLE spam_words, newsletter_schedules, contact_changes,
        digests, channels, releases;
    DROP INDEX deliveries_reminders, deliveries_failing, deliveries_given_up, deliveries_digests;
    ALTER TABLE deliveries DROP COLUMN reached;
    ALTER TABLE contacts DROP COLUMN reminded_at, DROP COLUMN request_id;
    ALTER TABLE past_consents DROP COLUMN import_file, DROP COLUMN import_source;
    ALTER TABLE subscribers DROP COLUMN refused_code, DROP COLUMN refused_at,
        DROP COLUMN refused_issue, DROP COLUMN refusals, DROP COLUMN suspended_at,
        DROP COLUMN import_file, DROP COLUMN import_source;
    ALTER TABLE contacts DROP COLUMN text_key, DROP COLUMN spam_reasons, DROP COLUMN spam_lesson,
        DROP COLUMN state CASCADE, DROP COLUMN answered_at, DROP COLUMN note;
    ALTER TABLE store_state DROP COLUMN pruned_at, DROP COLUMN pruning_ends_at;
    DROP INDEX contacts_by_words, mail_links_to_confirm, newsletter_sends_refused;
    DELETE FROM schema_migrations WHERE version >= 7";

/// Nobody is overdue, or reminded of, on the day of the upgrade.
#[tokio::test]
async fn old_leads_are_closed_and_those_within_the_promise_or_held_are_new() {
    let database = Database::postgres();
    database.create().await.close().await.unwrap();
    let past = database.past();
    past.run(BEFORE_STATES);
    past.run(
        "INSERT INTO contacts (id, name, email, email_key, message, created_at, hold_reason,
            released_at)
        SELECT id, '', '', 'key', '', now() - age::interval, why, now() - let_go::interval
        FROM (VALUES ('old', '25 hours', NULL, NULL), ('young', '23 hours', NULL, NULL),
            ('held', '900 days', 'decoy', NULL), ('let go', '9 days', 'decoy', '8 days'),
            ('let go lately', '9 days', 'decoy', '1 hour')) AS leads (id, age, why, let_go)",
    );
    let store = database.create().await;
    for (id, state) in [
        ("old", LeadState::Closed),
        ("young", LeadState::New),
        ("held", LeadState::New),
        ("let go", LeadState::Closed),
        ("let go lately", LeadState::New),
    ] {
        let lead = store.lead(id).await.unwrap().unwrap();
        assert_eq!(lead.state, state, "{id}");
    }
    assert_eq!(store.waiting_leads(10).await.unwrap().len(), 2);
    // As a replica of the version before inserts it.
    past.run(
        "INSERT INTO contacts (id, name, email, message, created_at)
        VALUES ('beside', '', '', '', now())",
    );
    let beside = store.lead("beside").await.unwrap().unwrap();
    assert_eq!(beside.state, LeadState::New);
}

#[tokio::test]
async fn a_column_of_anothers_table_that_has_our_name_is_named() {
    let database = Database::postgres();
    database
        .past()
        .run("CREATE TABLE contacts (name text, email text, message text, state text)");
    let refused = refusal(&database.url(), OpenMode::Create).await.to_string();
    assert!(refused.contains("rename it"), "{refused}");
}

#[tokio::test]
async fn a_table_of_another_program_that_is_in_the_way_is_named_and_left_alone() {
    for (table, says) in [
        (
            "CREATE TABLE schema_migrations (version varchar)",
            "schema_migrations",
        ),
        ("CREATE TABLE subscribers (name text)", "search_path"),
    ] {
        let database = Database::postgres();
        database.past().run(table);
        let refused = refusal(&database.url(), OpenMode::Create).await.to_string();
        assert!(refused.contains(says), "{refused}");
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
        assert_eq!(database.past().number(tables), 1, "{table}");
    }
}

#[tokio::test]
async fn another_schema_of_the_database_can_be_ours() {
    let database = Database::postgres();
    database
        .past()
        .run("CREATE SCHEMA site; CREATE TABLE subscribers (name text)");
    let url = format!("{}?options=-c%20search_path%3Dsite", database.url());
    let store = Store::open(&parsed(&url), OpenMode::Create).await.unwrap();
    assert_eq!(store.probe().await, Ok(()));
    store.close().await.unwrap();
}
