//! Opening, closing, and opening again.

use frontdoor::store::{OpenMode, Store};

use super::{Fresh, add, lead, noon};
use crate::support::database::{all, leads};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_survives_closing_and_opening_again() {
    let fresh = Fresh::new();
    let id = {
        let store = fresh.open().await;
        add(&store, "ada@example.org").await.id
    };
    let again = Store::open(&fresh.url, OpenMode::Existing).await.unwrap();
    assert!(again.lead(&id).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_store_refuses() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    add(&store, "ada@example.org").await;
    assert_eq!(leads(&store).await.len(), 1);
    store.close().await.unwrap();
    let late = store.add_lead(lead("ada@example.org"), noon()).await;
    assert!(late.is_err());
    assert!(store.leads(all()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn several_processes_may_start_on_a_new_database_at_once() {
    let fresh = Fresh::new();
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

#[tokio::test(flavor = "multi_thread")]
async fn an_absent_database_is_not_created_by_a_tool() {
    let fresh = Fresh::new();
    let opened = Store::open(&fresh.url, OpenMode::Existing).await;
    assert!(opened.is_err());
}
