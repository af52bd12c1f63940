//! Publishing, going back, and what a server shows: at a start, when the time of
//! an edition has come, and when a release cannot be shown.

use std::net::SocketAddr;

use jiff::{SignedDuration, Timestamp};

use super::{House, own_name, shown, status, until_shown};
use crate::support::client::ready;
use crate::support::process::{Process, get, serve};
use crate::support::release::{Draft, asset};
use crate::support::wait::until;

/// Long enough for a slow machine to see what is before it.
const SOON: SignedDuration = SignedDuration::from_secs(8);
/// Its turn is new, and its content no release.
const SPOIL: &str = "UPDATE releases SET turn = 9, content = substr(content, 1, 4) WHERE id = 2";
const TOLD: &str = "a release cannot be shown";

#[tokio::test]
async fn what_is_published_is_shown_and_can_be_gone_back_from() {
    let house = House::open();
    assert_eq!(shown(house.server.address), own_name());
    assert_eq!(house.list(), (vec!["built-in".into()], "built-in".into()));

    house.publish("blue");
    house.until_shown("blue").await;
    house.publish("green");
    house.until_shown("green").await;
    let ids = ["2", "1", "built-in"].map(str::to_owned).to_vec();
    assert_eq!(house.list(), (ids.clone(), "2".into()));

    for (command, name, id) in [
        (&["releases", "rollback"][..], "blue", "1"),
        (&["releases", "rollback"], &own_name(), "built-in"),
        (&["releases", "rollback", "2"], "green", "2"),
        (
            &["releases", "rollback", "built-in"],
            &own_name(),
            "built-in",
        ),
    ] {
        let said = house.run(command);
        assert_eq!(said.code, 0, "{}", said.err);
        house.until_shown(name).await;
        assert_eq!(house.list(), (ids.clone(), id.into()));
    }
    let said = house.run(&["releases", "rollback"]);
    assert_eq!(said.code, 1);
    said.complains("there is none before it");

    // A server that starts shows the same.
    house.run(&["releases", "rollback", "1"]);
    let (log, status) = house.server.terminate();
    assert!(status.success(), "{log:#?}");
    let again = House::serve(&house.database);
    assert_eq!(shown(again.address), "blue");
}

#[tokio::test]
async fn the_real_release_is_published_once() {
    let house = House::open();
    let changed = {
        let mut draft = Draft::built();
        draft.list["facts"]["site"]["phone"] = "+1 (416) 555-0100".into();
        draft
    };
    house.publish_draft(&changed);
    assert_eq!(house.list().1, "1");
    let said = house.offer(&changed);
    said.assert(0, "Release 1 is published already: nothing has changed.\n");
    assert_eq!(house.list().0, ["1", "built-in"]);
}

#[tokio::test]
async fn what_cannot_be_gone_back_to_changes_nothing() {
    let house = House::open();
    house.publish("blue");
    for (id, code, words) in [
        ("7", 1, "there is no release 7; `frontdoor releases list`"),
        (
            "0",
            2,
            "ID is a number of `frontdoor releases list`, or built-in",
        ),
        ("blue", 2, "or built-in"),
    ] {
        let said = house.run(&["releases", "rollback", id]);
        assert_eq!(said.code, code, "{}", said.err);
        said.complains(words);
    }
    let said = house.run(&["releases", "rollback", "1"]);
    said.assert(0, "Release 1 is shown already: nothing has changed.\n");
    assert_eq!(house.list().1, "1");
}

#[tokio::test]
async fn pages_that_are_still_open_find_their_assets_and_old_releases_go() {
    let house = House::open();
    let server = house.server.address;
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        house.publish(name);
        house.until_shown(name).await;
    }
    // The last three, and what the program carries.
    for (name, expected) in names.iter().zip([404, 404, 404, 200, 200, 200]) {
        assert_eq!(status(server, &asset(name)), expected, "{name}");
    }
    assert!(get(server, &asset("five")).ends_with("\r\n\r\n<svg>five</svg>"));
    let mut built = Draft::built();
    let own = built.files(0).iter().find(|file| file["kind"] == "asset");
    assert_eq!(status(server, own.unwrap()["path"].as_str().unwrap()), 200);
    assert_eq!(house.list().0, ["6", "5", "4", "3", "2", "built-in"]);
    // One that is gone back to is not removed, however old it is.
    house.run(&["releases", "rollback", "2"]);
    house.publish("seven");
    assert_eq!(house.list().0, ["7", "6", "5", "4", "2", "built-in"]);
    // And they are there for a server that starts, too.
    let again = House::serve(&house.database);
    for (name, expected) in [("seven", 200), ("two", 200), ("six", 200), ("five", 404)] {
        assert_eq!(status(again.address, &asset(name)), expected, "{name}");
    }
}

/// Assets of earlier ones are read from the database on request.
#[tokio::test]
async fn only_the_release_that_is_shown_is_held_in_memory() {
    let house = House::open();
    for name in ["blue", "green"] {
        house.publish(name);
        house.until_shown(name).await;
    }
    let (blue, green) = (asset("blue"), asset("green"));
    let server = house.server.address;
    assert!(get(server, &blue).ends_with("\r\n\r\n<svg>blue</svg>"));
    let past = house.database.past();
    past.run("UPDATE releases SET content = NULL");
    assert_eq!((status(server, &blue), status(server, &green)), (404, 200));
}

#[tokio::test]
async fn a_site_can_be_served_from_its_file_or_folder_whatever_is_published() {
    let house = House::open();
    house.publish("blue");
    house.until_shown("blue").await;
    let folder = house.database.path("dist");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("site.pack");
    std::fs::write(&file, Draft::named("grey").bytes()).unwrap();
    for place in [&file, &folder] {
        let mut command = serve(&house.database.url());
        command.arg("--site").arg(place);
        let other = Process::spawn(command, &[]);
        until_shown(other.address, "grey").await;
        assert_eq!(status(other.address, &asset("blue")), 404);
    }
}

/// Until the time has come the first name is shown, and then the other one.
async fn until_it_changes(server: SocketAddr, begin: Timestamp, before: &str, then: &str) {
    until(&format!("{then} is shown"), async || {
        let name = shown(server);
        let now = Timestamp::now();
        assert!(now >= begin || name == before, "{name} at {now}");
        name == then
    })
    .await;
}

#[tokio::test]
async fn an_edition_takes_over_at_its_time_without_being_published_again() {
    let mut house = House::open();
    let begin = Timestamp::now() + SOON;
    let draft = Draft::named("today").then(&begin.to_string(), "tomorrow");
    let file = draft.write(&house.database, "a.pack");
    // Of a release that is served from its file, too.
    let mut command = serve(&house.database.url());
    command.arg("--site").arg(file);
    let other = Process::spawn(command, &[]);
    house.publish_draft(&draft);
    until("it is published", async || {
        shown(house.server.address) != own_name()
    })
    .await;
    // A release that cannot be shown takes nothing from the one that stays.
    house.database.past().run(
        "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
        SELECT 2, 'x', carried, pages, bytes, published_at, turn + 1, facts,
            substr(content, 1, 4) FROM releases
        WHERE id = 1",
    );
    house.server.until_logged(TOLD);
    for server in [house.server.address, other.address] {
        until_it_changes(server, begin, "today", "tomorrow").await;
        assert_eq!(status(server, &asset("tomorrow")), 200);
    }
}

#[tokio::test]
async fn a_row_that_is_damaged_leaves_the_release_before_in_place() {
    let mut house = House::open();
    house.publish("blue");
    house.publish("green");
    house.until_shown("green").await;
    let past = house.database.past();
    past.run("UPDATE releases SET turn = 5 WHERE id = 1");
    house.until_shown("blue").await;
    past.run(SPOIL);
    let finding = "site: release 2 can't be shown (its content in the database is damaged";
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
    let spoil = "UPDATE releases SET content = substr(content, 1, 1)";
    house.database.past().run(spoil);
    let again = House::serve(&house.database);
    assert_eq!(shown(again.address), own_name());
    let said = house.run(&["check"]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("! site: release 1 can't be shown");
}

#[tokio::test]
async fn the_check_says_which_release_is_shown_and_whether_the_program_has_another_one() {
    let house = House::open();
    let check = || house.run(&["check"]).out;
    assert!(check().contains("✓ site: the release that the program carries\n"));
    house.publish("blue");
    assert!(check().contains("✓ site: release 1\n"), "{}", check());
    // As an earlier program would have noted it.
    let other = "UPDATE releases SET carried = 'another'";
    house.database.past().run(other);
    let another = "! site: release 1 is shown; the program carries other pages";
    assert!(check().contains(another), "{}", check());
}
