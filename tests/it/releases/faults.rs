//! A release that cannot be shown leaves the site as it is.

use super::{House, own_name, shown};
use crate::support::client::ready;
use crate::support::wait::until;

/// Its turn is new, and its content no release.
const SPOIL: &str = "UPDATE releases SET turn = 9, content = substr(content, 1, 4) WHERE id = 2";

#[tokio::test]
async fn a_row_that_is_damaged_leaves_the_release_before_in_place() {
    const TOLD: &str = "a release cannot be shown";
    let mut house = House::open();
    house.publish("blue");
    house.publish("green");
    house.until_shown("green").await;
    let past = house.database.past();
    past.run("UPDATE releases SET turn = 5 WHERE id = 1");
    house.until_shown("blue").await;
    past.run(SPOIL);
    let finding = "site: release 2 cannot be shown (its content in the database is damaged";
    until("the check names it", async || {
        house.run(&["check"]).out.contains(finding)
    })
    .await;
    house.server.until_logged(TOLD);
    let again = House::serve(&house.database);
    assert_eq!(
        shown(again.address),
        "blue",
        "the one before is shown at a start"
    );
    assert_eq!(shown(house.server.address), "blue");
    assert_eq!(ready(house.server.ops).await.0, 200);
    house.publish("red");
    house.until_shown("red").await;
    let (log, status) = house.server.terminate();
    assert!(status.success());
    let told = |line: &String| line.contains(TOLD);
    assert!(!log.iter().any(told), "it is told once: {log:#?}");
}

#[tokio::test]
async fn when_no_release_can_be_shown_the_program_shows_its_own() {
    let house = House::open();
    house.publish("blue");
    house.until_shown("blue").await;
    house
        .database
        .past()
        .run("UPDATE releases SET content = substr(content, 1, 1)");
    let again = House::serve(&house.database);
    assert_eq!(shown(again.address), own_name());
    let said = house.run(&["check"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("!!  site: release 1 cannot be shown");
}

#[tokio::test]
async fn the_check_says_which_release_is_shown_and_whether_the_program_has_another_one() {
    let house = House::open();
    let check = || house.run(&["check"]).out;
    assert!(check().contains("OK  site: the release that the program carries\n"));
    house.publish("blue");
    assert!(check().contains("OK  site: release 1\n"), "{}", check());
    // As an earlier program would have noted it.
    house
        .database
        .past()
        .run("UPDATE releases SET carried = 'another'");
    let another = "--  site: release 1 is shown; the program carries other pages";
    assert!(check().contains(another), "{}", check());
}
