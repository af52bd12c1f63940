//! One behaviour suite for every database behind the store.
//!
//! Each behaviour is a function that gets a [`Fresh`] database and knows
//! nothing of what is behind it. A list at the top of each file has them run
//! against every database there is; one that is in no list is dead code.

/// One test for each behaviour and database.
macro_rules! on_every_database {
    ($($behaviour:ident,)+) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $behaviour() {
                    super::$behaviour(super::Fresh::sqlite()).await;
                }
            )+
        }
    };
}

mod deliveries;
mod leads;
mod newsletter;
mod opening;

use std::time::Duration;

use frontdoor::domain::ContactForm;
use frontdoor::store::{AddedLead, DatabaseUrl, NewLead, OpenMode, Store};
use jiff::Timestamp;

use crate::support::data::{self, visitor};
use crate::support::database::{Database, sqlite_url};

const LEASE: Duration = Duration::from_secs(20);

/// A database that is not there yet and goes away with the test.
struct Fresh {
    url: DatabaseUrl,
    _place: Database,
}

impl Fresh {
    fn sqlite() -> Self {
        let place = Database::new();
        let file = place.path("data/frontdoor.db");
        Self {
            url: sqlite_url(&file).parse().unwrap(),
            _place: place,
        }
    }

    /// As a server opens it. Twice: as two processes have it.
    async fn open(&self) -> Store {
        Store::open(&self.url, OpenMode::Create).await.unwrap()
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
