//! What several servers do at once about the newsletter happens once.

use frontdoor::domain::{HoldReason, LinkToken};
use frontdoor::store::{Audience, OpenMode, Recipient, SendState, Store, Subscribed};
use tokio::task::JoinSet;

use super::{Fresh, noon};
use crate::support::data::subscription;
use crate::support::database::{Database, deliveries, on_postgres};
use crate::support::past::Past;
use crate::support::wait::until;

const PEOPLE: usize = 40;

/// Everybody who asks has confirmed, past the program.
async fn audience(fresh: &Fresh, store: &Store) -> Vec<Recipient> {
    for person in 0..PEOPLE {
        let request = subscription(&format!("person{person}@example.org"), None);
        store.subscribe(request, true, noon()).await.unwrap();
    }
    let all = "UPDATE subscribers SET state = 'confirmed'";
    assert_eq!(fresh.past().run(all), PEOPLE as u64);
    let found = store.recipients("one", Audience::Untried, "", 1000).await;
    found.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_for_one_address_on_several_servers_bring_one_mail() {
    let fresh = Fresh::new();
    let servers = [fresh.open().await, fresh.open().await, fresh.open().await];
    let mut asking = JoinSet::new();
    for server in servers.iter().cycle().take(30) {
        let server = server.clone();
        let request = subscription("ada@example.org", None);
        asking.spawn(async move { server.subscribe(request, true, noon()).await });
    }
    let done = asking.join_all().await.into_iter().map(Result::unwrap);
    let invited = done.filter(|done| *done == Subscribed::Invited);
    assert_eq!(invited.count(), 1);
    assert_eq!(deliveries(&servers[0]).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_runs_at_once_offer_an_issue_to_nobody_twice() {
    let fresh = Fresh::new();
    let runs = [fresh.open().await, fresh.open().await, fresh.open().await];
    let people = audience(&fresh, &runs[0]).await;
    assert_eq!(people.len(), PEOPLE);
    for person in people.iter().take(PEOPLE / 2) {
        let deferred = SendState::Deferred;
        let note = runs[0].note_not_taken("one", person, deferred, "450", noon());
        note.await.unwrap();
    }
    let mut offers = JoinSet::new();
    for run in &runs {
        for person in people.clone() {
            let run = run.clone();
            let offered = async move {
                run.offer("one", &person, &LinkToken::random(), noon())
                    .await
            };
            offers.spawn(offered);
        }
    }
    let offered = offers.join_all().await.into_iter().map(Result::unwrap);
    assert_eq!(offered.filter(|offered| *offered).count(), PEOPLE);
    let counts = runs[1].issue_counts("one").await.unwrap();
    assert_eq!((counts.offered, counts.waiting), (PEOPLE as u64, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_leaving_at_this_very_moment_is_offered_nothing() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let person = audience(&fresh, &store).await.remove(0);
    let past = fresh.past();
    past.run("BEGIN");
    let leave = format!(
        "UPDATE subscribers SET state = 'unsubscribed' WHERE id = '{}'",
        person.id
    );
    assert_eq!(past.run(&leave), 1);
    let offering = tokio::spawn(async move {
        store
            .offer("one", &person, &LinkToken::random(), noon())
            .await
    });
    if on_postgres() {
        let look = fresh.past();
        until("the offer waits", async || waiting(&look) > 0).await;
    }
    past.run("COMMIT");
    assert!(!offering.await.unwrap().unwrap());
}

fn waiting(past: &Past) -> i64 {
    past.number(
        "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
}

/// Notes each row that changes.
const COUNT_CHANGES: &str = "CREATE TABLE changes (what TEXT);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON deliveries
        FOR EACH ROW EXECUTE FUNCTION note();
    CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON subscribers
        FOR EACH ROW EXECUTE FUNCTION note();
    CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON past_consents
        FOR EACH ROW EXECUTE FUNCTION note()";

#[tokio::test(flavor = "multi_thread")]
async fn every_request_changes_as_many_rows_on_the_server_whoever_asks() {
    let database = Database::postgres();
    let store = database.open(OpenMode::Create).await;
    let past = database.past();
    past.run(COUNT_CHANGES);
    for by_mail in [true, false] {
        let ada = format!("ada{by_mail}@example.org");
        let ask = async |who: &str, email: &str, hold: Option<HoldReason>| {
            past.run("TRUNCATE changes");
            let request = subscription(email, hold);
            store.subscribe(request, by_mail, noon()).await.unwrap();
            let changes = past.number("SELECT count(*) FROM changes");
            assert_eq!(changes, 4, "{who}, by mail: {by_mail}");
        };
        ask("a new address", &ada, None).await;
        ask("one that waits", &ada, None).await;
        past.run("UPDATE deliveries SET attempts = 1");
        ask("one whose mail failed", &ada, None).await;
        past.run("UPDATE deliveries SET attempts = 1, state = 'given_up'");
        ask("one whose mail was given up", &ada, None).await;
        past.run("UPDATE subscribers SET state = 'confirmed'");
        ask("a subscriber", &ada, None).await;
        ask(
            "a robot with a known address",
            &ada,
            Some(HoldReason::Decoy),
        )
        .await;
        past.run("UPDATE subscribers SET state = 'unsubscribed'");
        ask("one who had left", &ada, None).await;
        let other = format!("robot{by_mail}@example.org");
        ask("a robot", &other, Some(HoldReason::Decoy)).await;
    }
}
