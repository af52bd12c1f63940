//! No statement on the way of a lead or a subscriber reads a whole table. Asked
//! of the statements that the store runs, as its connections hear them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use super::connection;
use super::tests::{lead, now};
use crate::domain::{
    Consent, HoldReason, IdempotencyKey, LinkToken, Subscription, subscriber_email,
};
use crate::store::{
    About, Audience, DeliveryFilter, DeliveryKind, DeliveryState, LeadFilter, LinkPurpose, NewLead,
    OpenMode, Outcome, Recipient, Retry, SendState, Store,
};

const LEASE: Duration = Duration::from_secs(20);
const KINDS: &[DeliveryKind] = &[
    DeliveryKind::Webhook,
    DeliveryKind::Notify,
    DeliveryKind::AutoReply,
    DeliveryKind::HeldNotice,
    DeliveryKind::Confirm,
];

/// What was run on the files that are listened to.
static HEARD: LazyLock<Mutex<HashMap<PathBuf, BTreeSet<String>>>> = LazyLock::new(Mutex::default);

/// Every connection of the store, in tests.
pub fn overheard(mut db: Connection, path: &Path) -> rusqlite::Result<Connection> {
    let path = path.to_owned();
    let hear = move |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(statement, _) = event
            && let Some(heard) = HEARD.lock().unwrap().get_mut(&path)
        {
            heard.insert(statement.sql().into_owned());
        }
    };
    db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(hear))?;
    Ok(db)
}

async fn the_way_of_a_lead(store: &Store) {
    let keyed = NewLead {
        idempotency_key: IdempotencyKey::parse("key").unwrap(),
        deliveries: KINDS[..3].to_vec(),
        ..lead()
    };
    store.add_lead(keyed.clone(), now()).await.unwrap();
    let id = store.add_lead(keyed, now()).await.unwrap().id;
    store.add_form_lead(lead(), now()).await.unwrap();
    let held = NewLead {
        hold: Some(HoldReason::Decoy),
        deliveries: KINDS[..2].to_vec(),
        ..lead()
    };
    let held = store.add_lead(held, now()).await.unwrap().id;
    store.lead(&id).await.unwrap().unwrap();
    for outcome in [
        Outcome::Delivered,
        Outcome::Retry {
            at: now(),
            reason: String::new(),
        },
        Outcome::GivenUp {
            reason: String::new(),
        },
    ] {
        let claim = store.claim(KINDS, 1, LEASE, now()).await.unwrap().remove(0);
        store.record(&claim, outcome, now()).await.unwrap();
    }
    store.claim(KINDS, 8, LEASE, now()).await.unwrap();
    store.replan(KINDS, now() - LEASE).await.unwrap();
    store.release(&held, now()).await.unwrap();
    store.retry(Retry::One(id), now()).await.unwrap();
    let (limit, since) = (10, Some(now()));
    for (held, email) in [(false, None), (true, None), (false, Some("a@b.c".into()))] {
        let filter = LeadFilter {
            held,
            email,
            since,
            limit,
            ..LeadFilter::default()
        };
        store.leads(filter).await.unwrap();
    }
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Pending),
        limit,
        ..DeliveryFilter::default()
    };
    store.deliveries(filter).await.unwrap();
    store.probe().await.unwrap();
}

async fn subscribe(store: &Store, email: &str, now: Timestamp) -> Recipient {
    let subscription = Subscription {
        email: subscriber_email(email).unwrap(),
        page: None,
        consent: Consent {
            version: 1,
            wording: None,
        },
        hold: None,
    };
    store.subscribe(subscription, true, now).await.unwrap();
    let subscriber = store.subscriber(email).await.unwrap().unwrap();
    Recipient {
        id: subscriber.id,
        email: subscriber.email,
    }
}

async fn the_way_of_a_subscriber(store: &Store) {
    let ada = subscribe(store, "ada@example.org", now()).await;
    let claims = store.claim(&KINDS[4..], 8, LEASE, now()).await.unwrap();
    let About::Subscriber(links) = &claims[0].about else {
        panic!("not about a subscriber");
    };
    for (token, purpose) in [
        (&links.confirm, LinkPurpose::Confirm),
        (&links.unsubscribe, LinkPurpose::Unsubscribe),
    ] {
        store.look_at_link(token, purpose, now()).await.unwrap();
        store.follow_link(token, purpose, now()).await.unwrap();
    }
    subscribe(store, "ada@example.org", now() + 100 * LEASE).await;
    let token = LinkToken::random();
    store.offer("one", &ada, &token, now()).await.unwrap();
    store.mark_sent("one", &ada).await.unwrap();
    store.withdraw_offer("one", &ada).await.unwrap();
    let audience = store.recipients("one", Audience::Untried, "", 10);
    audience.await.unwrap();
    let noted = store.noted_until("one", SendState::Offered, now());
    noted.await.unwrap();
    store.past_consents(&ada.id).await.unwrap();
}

/// The steps that SQLite would take.
fn plan(db: &Connection, sql: &str) -> String {
    let mut query = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let steps = query.raw_query().mapped(|row| row.get::<_, String>(3));
    let steps: Vec<_> = steps.map(Result::unwrap).collect();
    steps.join("\n")
}

/// What may be read from the first row to the last: it has few, however many
/// leads there are. The indexes are of what is held back right now.
const SMALL: [&str; 7] = [
    "CONSTANT ROW",
    "contacts USING INDEX contacts_held",
    "deliveries USING INDEX deliveries_held_notices",
    "json_each",
    "schema_migrations",
    "sqlite_schema",
    "store_state",
];

fn reads_a_whole_table(plan: &str) -> bool {
    let mut whole = plan.lines().filter_map(|step| step.strip_prefix("SCAN "));
    whole.any(|what| !SMALL.iter().any(|small| what.starts_with(small)))
}

#[tokio::test]
async fn no_statement_on_the_way_of_a_lead_or_a_subscriber_reads_a_whole_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("leads.db");
    let url = format!("sqlite://{}", path.display()).parse().unwrap();
    let store = Store::open(&url, OpenMode::Create).await.unwrap();
    store.close().await.unwrap();
    HEARD.lock().unwrap().insert(path.clone(), BTreeSet::new());
    let store = Store::open(&url, OpenMode::Create).await.unwrap();
    the_way_of_a_lead(&store).await;
    the_way_of_a_subscriber(&store).await;
    let heard = HEARD.lock().unwrap().remove(&path).unwrap();

    let db = connection::open_reader(&path).unwrap();
    let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE"];
    let statements = heard
        .iter()
        .filter(|sql| verbs.iter().any(|verb| sql.starts_with(verb)));
    let plans: Vec<_> = statements.map(|sql| (sql, plan(&db, sql))).collect();
    assert!(plans.len() > 30, "{heard:#?}");
    for (sql, plan) in &plans {
        assert!(!reads_a_whole_table(plan), "{sql}\n\n{plan}");
    }
    let claim = plans
        .iter()
        .find(|(sql, _)| sql.contains("SET lease_token = :token"));
    let (_, plan) = claim.expect("deliveries were claimed");
    assert!(
        plan.contains("deliveries_due") && !plan.contains("TEMP B-TREE"),
        "{plan}"
    );
}
