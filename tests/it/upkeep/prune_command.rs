//! `frontdoor prune`, and the same done by the server itself.

use super::records::{add_lead, add_subscriber};
use crate::support::database::Database;
use crate::support::office::Office;
use crate::support::process::{Process, frontdoor, run};
use crate::support::wait::until;

#[tokio::test]
async fn the_owner_can_do_it_at_once_and_see_before_what_would_go() {
    let office = Office::open().await;
    let past = office.database.past();
    add_lead(&past, "old", "closed", 2000);
    add_lead(&past, "spam", "spam", 2000);
    let there = || past.number("SELECT count(*) FROM contacts");
    let said = office.run(&["prune", "--dry-run"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let lines: Vec<_> = said.out.lines().map(str::trim_end).collect();
    assert_eq!(
        lines[0],
        "WHAT                       KEPT FOR   WOULD BE REMOVED"
    );
    assert_eq!(lines[1], "leads                      730 days   1");
    assert_eq!(there(), 2);
    let kept = run(office
        .command(&["prune", "--json", "--keep-spam-days", "36500"])
        .env("FRONTDOOR_KEEP_LEADS_DAYS", "0"));
    assert_eq!((kept.code, there()), (0, 2), "{}", kept.err);
    let json: serde_json::Value = serde_json::from_str(&kept.out).unwrap();
    assert_eq!(
        (&json["spam"], &json["leads"]),
        (&0.into(), &serde_json::Value::Null)
    );
    let said = office.run(&["prune"]);
    assert_eq!((said.code, there()), (0, 0), "{}", said.err);
    said.shows("leads                      730 days   1");
    said.shows("Backups made earlier still hold them");
}

/// The real program, on the real clock.
#[tokio::test]
async fn the_server_removes_by_itself_and_logs_how_many_of_whom_nothing() {
    let database = Database::new();
    database.create().await.close().await.unwrap();
    let past = database.past();
    add_lead(&past, "old", "closed", 2000);
    add_lead(&past, "waits", "new", 2000);
    let process = Process::start(&database.url(), &[]);
    let there = || past.number("SELECT count(*) FROM contacts");
    until("removal", async || there() == 1).await;
    until("its end", async || {
        past.number("SELECT count(*) FROM store_state WHERE pruned_at IS NOT NULL") == 1
    })
    .await;
    let (log, status) = process.terminate();
    assert!(status.success());
    let log = log.concat();
    assert!(
        log.contains("leads: 1") && !log.contains("@example"),
        "{log}"
    );
}

#[test]
fn keeping_longer_than_the_policy_says_is_told() {
    let database = Database::sqlite();
    let check = |days: &str| {
        let mut command = frontdoor(&["check", "--keep-leads-days", days]);
        run(command.env("DATABASE_URL", database.url())).out
    };
    assert!(!check("700").contains("policy"), "{}", check("700"));
    for longer in ["731", "0"] {
        let said = check(longer);
        assert!(
            said.contains("! privacy policy: leads are kept for longer than it says\n"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_removal_that_is_cut_off_tells_what_is_gone_and_that_it_is_not_all() {
    let office = Office::open().await;
    let past = office.database.past();
    add_lead(&past, "old", "closed", 2000);
    add_subscriber(&past, "never", "pending", 2000, &[]);
    past.keep_subscribers();
    let said = office.run(&["prune"]);
    assert_eq!(said.code, 1, "{}", said.out);
    said.shows("leads                      730 days   1");
    assert!(
        said.err.contains("not everything was removed: ")
            && said.err.contains("run this again for the rest"),
        "{}",
        said.err
    );
    assert_eq!(past.number("SELECT count(*) FROM contacts"), 0);
    assert_eq!(past.number("SELECT count(*) FROM subscribers"), 1);
}
