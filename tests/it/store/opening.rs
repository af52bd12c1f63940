//! Opening, closing, and opening again.

use frontdoor::store::{OpenMode, Store};

use super::{Fresh, add, lead, noon};
use crate::support::database::{all, leads};

on_every_database! {
    what_is_stored_survives_closing_and_opening_again,
    a_closed_store_refuses,
    several_processes_may_start_on_a_new_database_at_once,
    an_absent_database_is_not_created_by_a_tool,
}

async fn what_is_stored_survives_closing_and_opening_again(fresh: Fresh) {
    let id = {
        let store = fresh.open().await;
        add(&store, "ada@example.org").await.id
    };
    let again = Store::open(&fresh.url, OpenMode::Existing).await.unwrap();
    assert!(again.lead(&id).await.unwrap().is_some());
}

async fn a_closed_store_refuses(fresh: Fresh) {
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;
    assert_eq!(leads(&store).await.len(), 1);
    store.close().await.unwrap();
    let late = store.add_lead(lead("ada@example.org"), noon()).await;
    assert!(late.is_err());
    assert!(store.leads(all()).await.is_err());
}

async fn several_processes_may_start_on_a_new_database_at_once(fresh: Fresh) {
    let starts: Vec<_> = (0..8)
        .map(|_| {
            let url = fresh.url.clone();
            tokio::spawn(async move { Store::open(&url, OpenMode::Create).await.map(|_| ()) })
        })
        .collect();
    for start in starts {
        start.await.unwrap().unwrap();
    }
}

async fn an_absent_database_is_not_created_by_a_tool(fresh: Fresh) {
    let opened = Store::open(&fresh.url, OpenMode::Existing).await;
    assert!(opened.is_err());
}
