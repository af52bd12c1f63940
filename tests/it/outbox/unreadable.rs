//! Rows that this version cannot read: written by a later one, or changed by hand.
//! They stop nobody, and the owner hears of them.

use crate::support::data::visitor;
use crate::support::database::on_postgres;
use crate::support::process::{Process, get};
use crate::support::receiver::Receiver;
use crate::support::test_store::TestStore;
use crate::support::wait::until;

const READABLE: usize = 3;
/// More than a lane takes at once, and all of them before the others.
const UNREADABLE: usize = 10;

/// The ids of leads, the unreadable ones first. Of one the time makes no sense, of the
/// others the number of attempts at its delivery.
async fn fill(test: &TestStore) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..UNREADABLE + READABLE {
        ids.push(test.add(visitor()).await);
    }
    let sql = test.database.sql();
    let (first, others) = (&ids[0], ids[1..UNREADABLE].join("', '"));
    let time = if on_postgres() {
        "infinity"
    } else {
        "2999-02-31T09:05:07.123Z"
    };
    for change in [
        format!("contacts SET created_at = '{time}' WHERE id = '{first}'"),
        format!("deliveries SET attempts = -1 WHERE contact_id IN ('{others}')"),
    ] {
        sql.run(&format!("UPDATE {change}"));
    }
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_read_keeps_no_other_from_being_sent() {
    let (test, receiver) = (TestStore::new().await, Receiver::accepting().await);
    let ids = fill(&test).await;
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let server = Process::start(&test.database.url(), &settings);
    receiver.wait_for_calls(READABLE).await;
    let calls = receiver.calls();
    let mut sent: Vec<_> = calls
        .iter()
        .map(|call| call.header("frontdoor-lead-id"))
        .collect();
    sent.sort_unstable();
    assert_eq!(sent, &ids[UNREADABLE..]);
    let counted = format!("\nfrontdoor_store_unreadable_rows_total {UNREADABLE}\n");
    until("all are counted", async || {
        get(server.ops, "/metrics").contains(&counted)
    })
    .await;

    // Started over by the owner, a delivery can be read again.
    let broken = &ids[1];
    let lead = format!("SELECT id FROM deliveries WHERE contact_id = '{broken}'");
    let delivery = test.database.sql().rows(&lead).remove(0).remove(0);
    test.run(&["deliveries", "retry", &delivery]).succeeds();
    receiver.wait_for_calls(READABLE + 1).await;
    let last = receiver.calls().remove(READABLE);
    assert_eq!(last.header("frontdoor-lead-id"), broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_goes_on_without_a_row_that_cannot_be_read_and_names_it() {
    let test = TestStore::new().await;
    let ids = fill(&test).await;
    let sql = test.database.sql();
    let last = &ids[UNREADABLE + 2];
    let of_last = format!("contact_id = '{last}'");
    let unknown = "UPDATE deliveries SET kind = 'pigeon' WHERE ";
    sql.run(&format!("{unknown}{of_last}"));
    let of = |table: &str, condition: &str| {
        let query = format!("SELECT id FROM {table} WHERE {condition}");
        sql.rows(&query).into_iter().flatten().collect::<Vec<_>>()
    };
    let deliveries = of("deliveries", &format!("attempts < 0 OR {of_last}"));
    let of_readable = format!("contact_id = '{}'", ids[UNREADABLE]);
    let sent = of("deliveries", &of_readable).remove(0);

    let said = test.run(&["deliveries", "list"]).succeeds();
    said.shows(&sent[sent.len() - 8..]);
    said.complains("10 rows cannot be read and are left out");
    for id in &deliveries {
        said.complains(id);
    }
    let said = test.run(&["leads", "list"]).succeeds();
    said.shows(&last[last.len() - 8..]);
    said.complains("1 row cannot be read and is left out");
    said.complains(&ids[0]);
    let said = test.run(&["leads", "show", last]).succeeds();
    said.complains("(kind)");
    let said = test.run(&["leads", "show", &ids[0]]);
    said.fails(1, "cannot be read: `frontdoor check` says what to do");

    let said = test.run(&["check"]).succeeds();
    for id in deliveries.iter().chain([&ids[0]]) {
        let line = said.out.lines().find(|line| line.contains(id));
        let line = line.unwrap_or_else(|| panic!("{id} is not in:\n{}", said.out));
        let is_told = line.starts_with("!!") && line.contains("cannot be read: ");
        assert!(is_told, "{line}");
    }
}
