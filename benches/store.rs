//! The store under load, as JSON for `bench/`: `leads` compares group commit
//! with one transaction per lead on one disk, in turns; `leads-postgres` does so
//! on the server of `scripts/with-postgres --durable`; `growth` times single steps on
//! stores of different sizes. Every lead is on disk before its client goes on.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use frontdoor::domain::{Contact, ContactForm};
use frontdoor::spam::{self, Message, TrainingCounts, Weights};
use frontdoor::store::{
    DatabaseUrl, DeliveryKind, DeliveryOutcome, LeadFilter, NewLead, OpenMode, Store,
};
use jiff::Timestamp;
use serde_json::{Value, json};

const CLIENTS: usize = 64;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(2);

const SIZES: [usize; 3] = [10, 1_000, 100_000];
/// How often each single step is timed.
const STEPS: usize = 300;
const LEASE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let figures = match std::env::args().skip(1).find(|name| !name.starts_with('-')) {
        Some(name) if name == "leads" => {
            let file = |name: &str, round: usize| {
                url(&directory.path().join(format!("{name}-{round}.db")))
            };
            leads(|round| Ok([file("alone", round)?, file("together", round)?])).await?
        }
        Some(name) if name == "leads-postgres" => {
            let server = std::env::var("FRONTDOOR_TEST_POSTGRES");
            let server = server.context("run it by scripts/with-postgres")?;
            let url: DatabaseUrl = server.parse().map_err(anyhow::Error::msg)?;
            // One database, which grows for both alike.
            leads(|_| Ok([url.clone(), url.clone()])).await?
        }
        Some(name) if name == "growth" => growth(directory.path()).await?,
        _ => anyhow::bail!("usage: cargo bench --bench store -- leads|leads-postgres|growth"),
    };
    println!("{figures}");
    Ok(())
}

async fn leads(
    databases: impl Fn(usize) -> anyhow::Result<[DatabaseUrl; 2]>,
) -> anyhow::Result<Value> {
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let [one, other] = databases(round)?;
        alone.push(many_clients(Store::open_without_group_commit(&one).await?).await?);
        together.push(many_clients(Store::open(&other, OpenMode::Create).await?).await?);
    }
    Ok(json!({"clients": CLIENTS, "alone": alone, "together": together}))
}

async fn growth(directory: &Path) -> anyhow::Result<Value> {
    let mut rows = Vec::new();
    for size in SIZES {
        let file = directory.join(format!("{size}.db"));
        let store = Store::open(&url(&file)?, OpenMode::Create).await?;
        fill(&store, size).await?;
        rows.push(json!({
            "stored": size,
            "insert": steps(async || insert(&store).await).await?,
            "list": steps(async || list(&store).await).await?,
            "claim": steps(async || claim(&store).await).await?,
        }));
    }
    Ok(Value::Array(rows))
}

fn url(file: &Path) -> anyhow::Result<DatabaseUrl> {
    let url = format!("sqlite://{}", file.display());
    url.parse().map_err(anyhow::Error::msg)
}

fn lead(number: usize) -> anyhow::Result<NewLead> {
    let form = ContactForm {
        name: "Ada Lovelace",
        email: &format!("ada{number}@example.org"),
        phone: "+1 416 555 0100",
        message: &format!(
            "{}{}",
            "I would like a website. ".repeat(10),
            letters(number)
        ),
        ..ContactForm::default()
    };
    let contact = Contact::parse(form).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    Ok(NewLead {
        deliveries: vec![DeliveryKind::LeadWebhook],
        ..NewLead::new(contact)
    })
}

/// Nobody sends the same text.
fn letters(mut number: usize) -> String {
    let mut letters = String::new();
    while number > 0 || letters.is_empty() {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    letters
}

/// As the server does for each lead that comes in.
fn scored(lead: &NewLead, weights: &Weights) -> NewLead {
    let sent = Message {
        name: lead.contact.name.as_str(),
        email: lead.contact.email.as_str(),
        message: lead.contact.message.as_str(),
        elapsed: None,
    };
    NewLead {
        spam: spam::assess(sent, weights),
        ..lead.clone()
    }
}

/// One round of leads as fast as they are stored.
async fn many_clients(store: Store) -> anyhow::Result<Value> {
    let weights = Arc::new(Weights::with_examples(&TrainingCounts::default()));
    let start = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let (store, lead, weights) = (store.clone(), lead(number)?, weights.clone());
        clients.spawn(async move {
            let mut waits = Vec::new();
            while start.elapsed() < ROUND {
                let sent = Instant::now();
                let lead = scored(&lead, &weights);
                store.add_lead(lead, Timestamp::now()).await?;
                waits.push(sent.elapsed());
            }
            anyhow::Ok(waits)
        });
    }
    let mut waits = Vec::new();
    while let Some(client) = clients.join_next().await {
        waits.extend(client??);
    }
    let seconds = start.elapsed().as_secs_f64();
    waits.sort_unstable();
    let p99 = waits[waits.len() * 99 / 100];
    Ok(json!({"perSecond": waits.len() as f64 / seconds, "p99": millis(p99)}))
}

async fn fill(store: &Store, size: usize) -> anyhow::Result<()> {
    let mut clients = tokio::task::JoinSet::new();
    for first in 0..CLIENTS {
        let store = store.clone();
        clients.spawn(async move {
            for number in (first..size).step_by(CLIENTS) {
                store.add_lead(lead(number)?, Timestamp::now()).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(client) = clients.join_next().await {
        client??;
    }
    Ok(())
}

/// Milliseconds of each run of one step.
async fn steps(step: impl AsyncFn() -> anyhow::Result<()>) -> anyhow::Result<Vec<f64>> {
    let mut found = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        let start = Instant::now();
        step().await?;
        found.push(millis(start.elapsed()));
    }
    Ok(found)
}

async fn insert(store: &Store) -> anyhow::Result<()> {
    store.add_lead(lead(0)?, Timestamp::now()).await?;
    Ok(())
}

/// What the owner sees first.
async fn list(store: &Store) -> anyhow::Result<()> {
    let newest = LeadFilter {
        limit: 50,
        ..LeadFilter::default()
    };
    store.leads(newest).await?;
    Ok(())
}

/// What the worker does for one delivery.
async fn claim(store: &Store) -> anyhow::Result<()> {
    let now = Timestamp::now();
    let claims = store
        .claim_deliveries(&[DeliveryKind::LeadWebhook], 1, LEASE, now)
        .await?;
    let claim = claims.first().context("nothing to claim")?;
    store
        .record_delivery(claim, DeliveryOutcome::Delivered, now)
        .await?;
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
