//! One behaviour suite for every database behind the store.
//!
//! Each behaviour gets a [`Fresh`] database and knows nothing of what is behind
//! it: the run says which (`support/database.rs`).

mod deliveries;
mod finding;
mod lead_states;
mod leads;
mod newsletter;
mod newsletter_side_by_side;
mod opening;
mod side_by_side;
mod together;

use std::time::Duration;

use frontdoor::domain::ContactForm;
use frontdoor::store::{AddedLead, DatabaseUrl, NewLead, OpenMode, Store};
use jiff::Timestamp;

use crate::support::data::{self, visitor};
use crate::support::database::Database;
use crate::support::past::Past;

const LEASE: Duration = Duration::from_secs(20);

/// A database that is not there yet and goes away with the test.
struct Fresh {
    url: DatabaseUrl,
    place: Database,
}

impl Fresh {
    fn new() -> Self {
        let place = Database::new();
        Self {
            url: place.url().parse().unwrap(),
            place,
        }
    }

    /// As a server opens it, but by the test's clock. Twice: as two processes
    /// have it.
    async fn open(&self) -> Store {
        let opened = Store::open(&self.url, OpenMode::Create);
        opened.await.unwrap()
    }

    /// A way in past the program.
    fn past(&self) -> Past {
        self.place.past()
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

async fn add(store: &Store, email: &str) -> AddedLead {
    store.add_lead(lead(email), noon()).await.unwrap()
}
