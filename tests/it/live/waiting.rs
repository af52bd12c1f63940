//! What waits for the owner in the database.

use frontdoor::store::Channel;
use jiff::Timestamp;

use super::check;
use crate::support::data::visitor;
use crate::support::office::Office;

#[tokio::test]
async fn leads_that_are_overdue() {
    let office = Office::open().await;
    office.add(visitor(), None).await;
    office
        .database
        .past()
        .run("UPDATE contacts SET created_at = '2025-01-01T00:00:00.000Z'");
    office.store.close().await.unwrap();
    let found = check(&office.database.url(), &[]);
    found.says(
        "leads",
        "unsure",
        &["1 lead is overdue", "frontdoor leads due"],
    );
    // A failing check removes its own lead and no other.
    let leads = office.json(&["leads", "list", "--json"]);
    assert_eq!(leads.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn deliveries_that_were_given_up_or_are_tried_again() {
    let office = Office::open().await;
    office.add(visitor(), None).await;
    let past = office.database.past();
    past.run("UPDATE deliveries SET attempts = 3");
    let noted = office
        .store
        .note_failing(Channel::Webhook, "status 404", Timestamp::now());
    noted.await.unwrap();
    office.store.close().await.unwrap();
    let url = office.database.url();
    let waits = "webhook: 1 delivery waits for another try: status 404";
    let retry = "frontdoor deliveries retry --all";
    check(&url, &[]).says("deliveries", "unsure", &[waits, retry]);

    past.run("UPDATE deliveries SET state = 'given_up', finished_at = '2026-01-01T00:00:00.000Z'");
    let list = "frontdoor deliveries list --state given_up";
    let found = check(&url, &[]);
    found.says("deliveries", "unsure", &["1 delivery was given up", list]);
    // The remedy is a command that finds it.
    let words: Vec<_> = list.split(' ').skip(1).chain(["--json"]).collect();
    assert_eq!(office.json(&words).as_array().unwrap().len(), 1);
}
