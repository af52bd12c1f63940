//! Commands that cannot be carried out.

use crate::support::database::{Database, sqlite_url};
use crate::support::office::Office;
use crate::support::process::{frontdoor, run};

#[tokio::test]
async fn an_unknown_id_ends_with_one_clear_line_and_code_1() {
    let office = Office::open().await;
    for command in [
        &["leads", "show", "nobody"][..],
        &["leads", "release", "nobody"],
        &["leads", "forget", "nobody", "--yes"],
        &["leads", "forget", "nobody@example.org", "--yes"],
        &["deliveries", "retry", "nobody"],
    ] {
        let said = office.run(command);
        assert_eq!(said.code, 1, "{command:?}");
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        said.complains("nobody");
        assert_eq!(said.out, "");
    }
}

#[tokio::test]
async fn wrong_usage_ends_with_code_2() {
    let office = Office::open().await;
    for command in [
        &["leads"][..],
        &["leads", "show"],
        &["leads", "list", "--since", "someday"],
        &["leads", "list", "--limit", "0"],
        &["deliveries", "list", "--state", "lost"],
        &["deliveries", "retry"],
        &["backup"],
    ] {
        assert_eq!(office.run(command).code, 2, "{command:?}");
    }
    let mut elsewhere = frontdoor(&["leads", "list"]);
    elsewhere.env("DATABASE_URL", "mysql://here");
    assert_eq!(run(&mut elsewhere).code, 2);
}

#[test]
fn a_missing_database_is_named_and_not_created() {
    let folder = Database::sqlite();
    let url = sqlite_url(&folder.path("absent/leads.db"));
    let said = run(frontdoor(&["leads", "list"]).env("DATABASE_URL", url));
    assert_eq!(said.code, 1);
    said.complains("absent/leads.db");
    said.complains("`frontdoor migrate`");
    assert!(!folder.path("absent").exists());
}
