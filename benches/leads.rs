//! Durable leads a second: group commit against one transaction per lead, on
//! one disk, in turns, in one run. Every lead is on disk before its client
//! sends the next one.

use std::path::Path;
use std::time::{Duration, Instant};

use frontdoor::domain::{Contact, ContactForm, Source};
use frontdoor::store::{DatabaseUrl, DeliveryKind, NewLead, OpenMode, Store};
use jiff::Timestamp;

const CLIENTS: usize = 64;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const GOAL: f64 = 3.0;

struct Figures {
    leads_a_second: f64,
    p99: Duration,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let file = |name: &str| directory.path().join(format!("{name}-{round}.db"));
        let store = Store::open_without_group_commit(&file("alone")).await?;
        alone.push(measure(store).await?);
        together.push(measure(open(&file("together")).await?).await?);
    }
    println!("durable leads a second, {CLIENTS} clients, median of {ROUNDS} rounds");
    let alone = report("one transaction per lead", alone);
    let together = report("group commit", together);
    let ratio = together / alone;
    let verdict = if ratio >= GOAL { "met" } else { "missed" };
    println!("ratio {ratio:.1}, goal {GOAL:.1}: {verdict}");
    Ok(())
}

async fn open(file: &Path) -> anyhow::Result<Store> {
    let url: DatabaseUrl = format!("sqlite://{}", file.display())
        .parse()
        .map_err(anyhow::Error::msg)?;
    Ok(Store::open(&url, OpenMode::Create).await?)
}

fn lead() -> anyhow::Result<NewLead> {
    let form = ContactForm {
        name: "Ada Lovelace",
        email: "ada@example.org",
        phone: "+1 416 555 0100",
        message: &"I would like a website. ".repeat(10),
        form_location: "homepage",
    };
    let contact = Contact::parse(form).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    Ok(NewLead {
        contact,
        source: Source::default(),
        hold: None,
        idempotency_key: None,
        deliveries: vec![DeliveryKind::Webhook],
    })
}

async fn measure(store: Store) -> anyhow::Result<Figures> {
    let start = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..CLIENTS {
        let (store, lead) = (store.clone(), lead()?);
        clients.spawn(async move {
            let mut waits = Vec::new();
            while start.elapsed() < ROUND {
                let sent = Instant::now();
                store.add_lead(lead.clone(), Timestamp::now()).await?;
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
    Ok(Figures {
        leads_a_second: waits.len() as f64 / seconds,
        p99: waits[waits.len() * 99 / 100],
    })
}

/// Prints the median round with the spread and returns it.
fn report(name: &str, mut rounds: Vec<Figures>) -> f64 {
    rounds.sort_by(|a, b| a.leads_a_second.total_cmp(&b.leads_a_second));
    let median = &rounds[rounds.len() / 2];
    println!(
        "{name:<26} {:>8.0}  (from {:.0} to {:.0}; p99 {:.1} ms)",
        median.leads_a_second,
        rounds[0].leads_a_second,
        rounds[rounds.len() - 1].leads_a_second,
        median.p99.as_secs_f64() * 1000.0,
    );
    median.leads_a_second
}
