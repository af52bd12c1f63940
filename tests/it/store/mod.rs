//! One behaviour suite for every database behind the store.
//!
//! Each behaviour gets a [`Fresh`] database and knows nothing of what is behind
//! it: the run says which (`support/database.rs`).

mod deliveries;
mod leads;
mod newsletter;
mod opening;
mod states;

use std::ops::Deref;
use std::time::Duration;

use frontdoor::domain::{ContactForm, HoldReason};
use frontdoor::store::{AddedLead, Claim, LeadFilter, NewLead, Store};
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::support::data::{self, WEBHOOK, visitor};
use crate::support::database::Database;

const LEASE: Duration = Duration::from_secs(20);
const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

/// A store on a database of its own, which goes away with the test.
struct Fresh {
    store: Store,
    place: Database,
}

impl Deref for Fresh {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Fresh {
    async fn new() -> Self {
        let place = Database::new();
        Self {
            store: place.create().await,
            place,
        }
    }

    /// The same database, as another process has it.
    async fn another(&self) -> Store {
        self.place.create().await
    }

    /// What so many get who ask at once, half of them through another process.
    async fn at_once<T, F>(&self, number: usize, ask: impl Fn(Store, usize) -> F) -> Vec<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let stores = [self.store.clone(), self.another().await];
        let mut asking = JoinSet::new();
        for nth in 0..number {
            asking.spawn(ask(stores[nth % 2].clone(), nth));
        }
        asking.join_all().await
    }
}

fn noon() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn lead(email: &str) -> NewLead {
    data::lead(ContactForm {
        email,
        phone: "+1 416 555 0100",
        ..visitor()
    })
}

fn held(email: &str) -> NewLead {
    NewLead {
        hold: Some(HoldReason::Decoy),
        ..lead(email)
    }
}

async fn add(store: &Store, email: &str) -> AddedLead {
    store.add_lead(lead(email), noon()).await.unwrap()
}

/// The webhooks that are due.
async fn due(store: &Store, limit: usize, now: Timestamp) -> Vec<Claim> {
    store.claim(WEBHOOK, limit, LEASE, now).await.unwrap()
}

/// The addresses of the leads that are listed.
async fn found(store: &Store, filter: LeadFilter) -> Vec<String> {
    let leads = store.leads(filter).await.unwrap().into_iter();
    leads.map(|lead| lead.email).collect()
}
