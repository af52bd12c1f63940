//! Checks that no statement that the server runs regularly scans a whole table of leads, deliveries
//! or subscribers: the database explains each statement before it runs. The word search
//! does scan, and is left out.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio_postgres::NoTls;
use uuid::Uuid;

use super::tx::{Engine, Session, Value};
use super::*;
use crate::domain::{Consent, Contact, ContactForm, HoldReason, SecretToken};
use crate::domain::{IdempotencyKey, Subscription, subscriber_email};

const ROWS: usize = 20_000;
const LEASE: Duration = Duration::from_secs(20);

/// The statements since recording started, each with its plan.
static PLANS: Mutex<Option<BTreeMap<String, String>>> = Mutex::new(None);

/// Called before each statement of the store.
pub(super) fn note(session: &mut dyn Session, sql: &str, args: &[Value]) {
    if PLANS.lock().unwrap().is_none() {
        return;
    }
    let (explain, column) = match session.engine() {
        Engine::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
        Engine::Postgres => ("EXPLAIN", "QUERY PLAN"),
    };
    let (steps, _) = session.run(&format!("{explain} {sql}"), args).unwrap();
    let steps = steps.iter().map(|step| step.get::<String>(column).unwrap());
    let plan = steps.collect::<Vec<_>>().join("\n");
    if let Some(plans) = &mut *PLANS.lock().unwrap() {
        plans.insert(sql.to_owned(), plan);
    }
}

/// Whether a step scans a large table. SQLite also reports a scan for reading a small partial
/// index, or an index in order up to a limit.
fn reads_a_whole_table(sql: &str, step: &str) -> bool {
    let step = step.trim_start_matches([' ', '-', '>']);
    let scan = step.strip_prefix("Seq Scan on ");
    let Some(scan) = scan.or(step.strip_prefix("SCAN ")) else {
        return false;
    };
    let table = scan.split(' ').next().unwrap_or_default();
    let few = "contacts_new contacts_held deliveries_failing deliveries_held_notices";
    let large = "contacts contact_changes bookings deliveries replies subscribers";
    large.split(' ').any(|each| each == table)
        && !few.split(' ').any(|index| scan.contains(index))
        && !(scan.contains("INDEX") && sql.contains("LIMIT"))
}

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// Leads of the last weeks, most of them delivered, and as many subscribers.
async fn fill(store: &Store) {
    let rows = format!(
        "WITH RECURSIVE rows (n, time) AS (
            SELECT 0, CAST('2026-02-10T10:10:10.000Z' AS {{time}})
            UNION ALL SELECT n + 1, CAST('2026-02-' || (10 + n % 19) || 'T' || (10 + n % 13) || ':'
                || (10 + n % 49) || ':' || (10 + n % 47) || '.000Z' AS {{time}})
            FROM rows WHERE n < {ROWS})"
    );
    let tables = [
        "contacts (id, name, email, email_key, message, created_at, hold_reason, state)
        SELECT 'id' || n, 'Ada', 'person' || n, 'person' || n, 'Hello', time,
            CASE WHEN n % 1000 = 0 THEN 'decoy' END,
            CASE WHEN n % 500 = 0 THEN 'new' ELSE 'answered' END FROM rows",
        "deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
        SELECT 'id' || n, 'id' || n, 'webhook',
            CASE WHEN n % 50 = 0 THEN 'pending' ELSE 'delivered' END, time, time FROM rows",
        "contact_changes (contact_id, number, state, changed_at)
        SELECT 'id' || n, 1, 'answered', time FROM rows",
        "bookings (service, id, contact_id, starts_at, created_at)
        SELECT 'cal', 'id' || n, 'id' || n, time, time FROM rows",
        "replies (delivery_id, contact_id, who, text, booking, quote, created_at)
        SELECT 'id' || n, 'id' || n, 'Anna', 'Hello', 0, 0, time FROM rows",
        "subscribers (id, email, email_key, state, created_at, consent_version)
        SELECT 'id' || n, 'person' || n, 'person' || n,
            CASE WHEN n % 3 = 0 THEN 'pending' ELSE 'confirmed' END, time, 1 FROM rows",
    ];
    let filled = store.write_long(move |tx| {
        for table in tables {
            tx.batch(&format!("{rows} INSERT INTO {table}"))?;
        }
        match tx.engine() {
            Engine::Sqlite => Ok(()),
            Engine::Postgres => tx.batch("ANALYZE"),
        }
    });
    filled.await.unwrap();
}

async fn receive_a_lead(store: &Store) -> Result<()> {
    let mut form = ContactForm::default();
    (form.name, form.email, form.message) = ("Ada", "ada@example.org", "Hello");
    let mut lead = NewLead::new(Contact::parse(form).unwrap());
    lead.deliveries = vec![
        DeliveryKind::LeadWebhook,
        DeliveryKind::LeadMail,
        DeliveryKind::AutoReply,
    ];
    lead.spam.fingerprint = Some("text".into());
    store.add_form_lead(lead.clone(), now()).await?;
    lead.hold = Some(HoldReason::Honeypot);
    lead.idempotency_key = IdempotencyKey::parse("key").unwrap();
    store.add_lead(lead.clone(), now()).await?;
    let id = store.add_lead(lead, now()).await?.id;
    let (at, reason) = (now(), String::new);
    let retry = DeliveryOutcome::Retry {
        at,
        reason: reason(),
    };
    let given_up = DeliveryOutcome::GivenUp { reason: reason() };
    for outcome in [DeliveryOutcome::Delivered, retry, given_up] {
        let claims = store
            .claim_deliveries(DeliveryKind::ALL, 1, LEASE, now())
            .await?;
        store.record_delivery(&claims[0], outcome, now()).await?;
    }
    store
        .act_on_lead(&id, LeadAction::Release, None, now())
        .await?;
    for state in [LeadState::Spam, LeadState::New, LeadState::Answered] {
        store
            .act_on_lead(&id, LeadAction::Mark(state), None, now())
            .await?;
        let mut filter = LeadFilter::default();
        (filter.state, filter.limit) = (Some(state), 10);
        store.leads(filter).await?;
    }
    store.lead(&id).await?;
    store.waiting_leads(None, 10).await?;
    store.backlog(now()).await?;
    store.count_deliveries(DeliveryState::GivenUp).await?;
    store.fix_future_times(now()).await?;
    store.probe().await
}

async fn show_the_desk(store: &Store) -> Result<()> {
    let day = SignedDuration::from_hours(24);
    let begin = now() - 3 * day;
    store.waiting_ids(100).await?;
    store.done_since(begin, 50).await?;
    store.lead_counts(1000).await?;
    store.calls(begin, begin + day).await?;
    store.answer_waits(begin, now()).await?;
    store.statistics(1, now()).await?;
    let page = |held| LeadFilter {
        held,
        genuine: !held,
        limit: 101,
        ..LeadFilter::default()
    };
    store.leads(page(true)).await?;
    let lead = store.leads(page(false)).await?.remove(100);
    let (mut next, mut others) = (page(false), page(false));
    next.after = Some(Cursor::new(lead.created_at, &lead.id));
    others.email = Some(lead.email);
    store.leads(next).await?;
    store.leads(others).await?;
    let of_lead = DeliveryFilter {
        contact_id: Some(lead.id.clone()),
        limit: 100,
        ..DeliveryFilter::default()
    };
    store.deliveries(of_lead).await?;
    store.lead_changes(&lead.id).await?;
    store.calls_of(&[&lead.id]).await?;
    store.booked_through(&lead.id).await?;
    store.leaving_reply(&lead.id).await.map(drop)
}

async fn notify_the_owner(store: &Store) -> Result<()> {
    let promise = SignedDuration::from_hours(24);
    let waited = remind_after(promise);
    store
        .remind(&[DeliveryKind::ReminderMail], waited, now())
        .await?;
    store.attention(promise, now()).await?;
    store.digest(promise, now()).await?;
    store.settle_digest("2026-03-01", true, now()).await?;
    store.record_failing(Channel::Mail, "no", now()).await?;
    for health in store.channels().await? {
        store.report_fault(&health, now()).await?;
    }
    Ok(())
}

async fn receive_a_subscriber(store: &Store) -> Result<()> {
    let (version, wording) = (1, None);
    let ada = Subscription {
        email: subscriber_email("ada@example.org").unwrap(),
        page: None,
        consent: Consent { version, wording },
        hold: None,
    };
    store.subscribe(ada.clone(), true, now()).await?;
    let confirm = &[DeliveryKind::Confirm];
    let claims = store.claim_deliveries(confirm, 8, LEASE, now()).await?;
    let ClaimedContent::Subscriber(links) = &claims[0].content else {
        panic!("not about a subscriber");
    };
    let confirmed = store.follow_link(&links.confirm, LinkPurpose::Confirm, now());
    assert_eq!(confirmed.await, Ok(LinkState::Open));
    store
        .recipients("one", Audience::Untried, Some(""), 10)
        .await?;
    let Subscriber { id, email, .. } = store.subscriber("ada@example.org").await?.unwrap();
    let (issue, token) = ("one".into(), SecretToken::random());
    let ada_again = Recipient { issue, id, email };
    assert!(store.offer(&ada_again, &token, now()).await?);
    store.mark_sent(&ada_again).await?;
    store.claim_issue(LEASE, now()).await?;
    let left = store.follow_link(&token, LinkPurpose::Unsubscribe, now());
    assert_eq!(left.await, Ok(LinkState::Open));
    store.subscribe(ada, true, now() + 100 * LEASE).await?;
    Ok(())
}

async fn assert_no_table_is_read_whole(url: &str) {
    let url = url.parse().unwrap();
    let store = Store::open(&url, OpenMode::Create).await.unwrap();
    fill(&store).await;
    *PLANS.lock().unwrap() = Some(BTreeMap::new());
    receive_a_lead(&store).await.unwrap();
    show_the_desk(&store).await.unwrap();
    notify_the_owner(&store).await.unwrap();
    receive_a_subscriber(&store).await.unwrap();
    let plans = PLANS.lock().unwrap().take().unwrap();
    store.close().await.unwrap();
    assert!(plans.len() > 30, "{plans:#?}");
    for (sql, plan) in plans {
        let whole = plan.lines().any(|step| reads_a_whole_table(&sql, step));
        assert!(!whole, "{sql}\n\n{plan}");
    }
}

#[tokio::test]
async fn no_table_is_read_whole_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("leads.db");
    assert_no_table_is_read_whole(&format!("sqlite://{}", file.display())).await;
}

#[tokio::test]
async fn no_table_is_read_whole_in_postgresql() {
    let server = std::env::var("FRONTDOOR_TEST_POSTGRES").expect("see scripts/with-postgres");
    let (client, connection) = tokio_postgres::connect(&server, NoTls).await.unwrap();
    tokio::spawn(connection);
    let name = format!("plans_{}", Uuid::new_v4().simple());
    let run = async |sql: String| client.batch_execute(&sql).await.unwrap();
    run(format!("CREATE DATABASE {name}")).await;
    let (server, _) = server.rsplit_once('/').unwrap();
    // As on an SSD, where reading a few rows by an index is cheaper than scanning.
    let disk = "options=-c%20random_page_cost%3D1.1";
    assert_no_table_is_read_whole(&format!("{server}/{name}?{disk}")).await;
    run(format!("DROP DATABASE {name} WITH (FORCE)")).await;
}
