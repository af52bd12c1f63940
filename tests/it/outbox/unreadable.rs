//! Rows that this version cannot read: written by a later one, or changed by hand.
//! They stop nobody, and the owner hears of them.

use crate::support::data::visitor;
use crate::support::database::on_postgres;
use crate::support::office::Office;
use crate::support::process::{Process, get};
use crate::support::receiver::Receiver;
use crate::support::wait::until;

const READABLE: usize = 3;
/// More than a lane takes at once, and all of them before the others.
const UNREADABLE: usize = 10;

/// The ids of leads, the unreadable ones first. Of one the time makes no sense, of the
/// others the number of attempts at its delivery.
async fn fill(office: &Office) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..UNREADABLE + READABLE {
        ids.push(office.add(visitor(), None).await);
    }
    let past = office.database.past();
    let (first, others) = (&ids[0], ids[1..UNREADABLE].join("', '"));
    let time = if on_postgres() {
        "infinity"
    } else {
        "2999-02-31T09:05:07.123Z"
    };
    past.run(&format!(
        "UPDATE contacts SET created_at = '{time}' WHERE id = '{first}'"
    ));
    past.run(&format!(
        "UPDATE deliveries SET attempts = -1 WHERE contact_id IN ('{others}')"
    ));
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_read_keeps_no_other_from_being_sent() {
    let (office, receiver) = (Office::open().await, Receiver::accepting().await);
    let ids = fill(&office).await;
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let server = Process::start(&office.database.url(), &settings);
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
    let delivery = office.database.past().rows(&lead).remove(0).remove(0);
    assert_eq!(office.run(&["deliveries", "retry", &delivery]).code, 0);
    receiver.wait_for_calls(READABLE + 1).await;
    assert_eq!(
        receiver.calls()[READABLE].header("frontdoor-lead-id"),
        broken
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_goes_on_without_a_row_that_cannot_be_read_and_names_it() {
    let office = Office::open().await;
    let ids = fill(&office).await;
    let past = office.database.past();
    let (last, of_last) = (
        &ids[UNREADABLE + 2],
        format!("contact_id = '{}'", ids[UNREADABLE + 2]),
    );
    past.run(&format!(
        "UPDATE deliveries SET kind = 'pigeon' WHERE {of_last}"
    ));
    let of = |table: &str, condition: &str| {
        let sql = format!("SELECT id FROM {table} WHERE {condition}");
        past.rows(&sql).into_iter().flatten().collect::<Vec<_>>()
    };
    let deliveries = of("deliveries", &format!("attempts < 0 OR {of_last}"));
    let of_readable = format!("contact_id = '{}'", ids[UNREADABLE]);
    let sent = of("deliveries", &of_readable).remove(0);

    let said = office.run(&["deliveries", "list"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows(&sent[sent.len() - 8..]);
    said.complains("10 rows can't be read and are left out");
    for id in &deliveries {
        said.complains(id);
    }
    let said = office.run(&["leads", "list"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows(&last[last.len() - 8..]);
    said.complains("1 row can't be read and is left out");
    said.complains(&ids[0]);
    let said = office.run(&["leads", "show", last]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.complains("(kind)");
    let said = office.run(&["leads", "show", &ids[0]]);
    assert_eq!(said.code, 1);
    said.complains("cannot be read: `frontdoor check` says what to do");

    let said = office.run(&["check"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for id in deliveries.iter().chain([&ids[0]]) {
        let line = said.out.lines().find(|line| line.contains(id));
        let line = line.unwrap_or_else(|| panic!("{id} is not in:\n{}", said.out));
        assert!(
            line.starts_with("! ") && line.contains("can't be read → "),
            "{line}"
        );
    }
}
