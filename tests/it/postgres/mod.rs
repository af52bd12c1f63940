//! What only a database server has: ways to it, tables of others, replicas
//! beside each other, and its weather.

mod doors;
mod links;
mod migrations;
mod place;
mod wakeups;
mod weather;

use frontdoor::store::{DatabaseUrl, OpenMode, Store, StoreError};

use crate::support::database::Database;
use crate::support::postgres::Session;

fn parsed(url: &str) -> DatabaseUrl {
    url.parse().unwrap()
}

async fn refusal(url: &str, mode: OpenMode) -> StoreError {
    let opened = Store::open(&parsed(url), mode).await;
    opened.err().expect("it cannot be opened")
}

/// A way in past the program.
fn session(database: &Database) -> Session {
    Session::new(&database.url())
}
