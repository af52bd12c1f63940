//! Publishing, rolling back, and what a server shows: at the start, when an edition's time has come,
//! and when a release can't be shown.

use std::net::SocketAddr;

use jiff::{SignedDuration, Timestamp};

use super::{Site, own_name, shown, status, until_shown};
use crate::support::{Draft, Process, asset, get, ready, serve, until};

/// Long enough to see the release before it.
const SOON: SignedDuration = SignedDuration::from_secs(4);
const TOLD: &str = "a published release can't be shown";

#[tokio::test]
async fn a_published_release_is_shown_and_can_be_rolled_back() {
    let site = Site::open();
    assert_eq!(shown(site.server.address), own_name());
    assert_eq!(site.list(), (vec!["built-in".into()], "built-in".into()));
    let check = || site.run(&["check"]);
    check().stdout_contains("✓ site: the built-in release\n");
    // The real one, with other facts.
    let mut blue = Draft::built();
    blue.list["facts"]["site"]["phone"] = "+1 (416) 555-0100".into();
    blue.offer(&site.database).succeeds();
    let again = blue.offer(&site.database);
    again.exits_with(0, "Release 1 is published already: nothing has changed.\n");
    check().stdout_contains("✓ site: release 1\n");
    // As an earlier program would have noted it.
    let other = "UPDATE releases SET carried = 'another'";
    site.database.sql().run(other);
    check().stdout_contains("! site: release 1 is shown; the built-in pages are different");
    site.publish("green");
    site.until_shown("green").await;
    let ids = ["2", "1", "built-in"].map(str::to_owned).to_vec();
    assert_eq!(site.list(), (ids.clone(), "2".into()));

    let rollback = |id: &[&str]| site.run(&[&["releases", "rollback"], id].concat());
    let own = own_name();
    for (id, name, shown) in [
        (&[][..], &*own, "1"),
        (&[], &own, "built-in"),
        (&["2"], "green", "2"),
        (&["built-in"], &own, "built-in"),
    ] {
        rollback(id).succeeds();
        site.until_shown(name).await;
        assert_eq!(site.list(), (ids.clone(), shown.into()));
    }
    rollback(&[]).fails_with(1, "there is none before it");
    rollback(&["7"]).fails_with(1, "there is no release 7; `frontdoor releases list`");
    for wrong in ["0", "blue"] {
        let is_number = "ID is a number of `frontdoor releases list`, or built-in";
        rollback(&[wrong]).fails_with(2, is_number);
    }
    rollback(&["2"]).succeeds();
    let already = "Release 2 is shown already: nothing has changed.\n";
    rollback(&["2"]).exits_with(0, already);
    assert!(site.server.terminate().1.success());
    let again = Process::start(&site.database.url(), &[]);
    assert_eq!(shown(again.address), "green", "also after a restart");
}

#[tokio::test]
async fn pages_that_are_still_open_find_their_assets_and_old_releases_go() {
    let site = Site::open();
    let server = site.server.address;
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        site.publish(name);
        site.until_shown(name).await;
    }
    // The last three, and what the program carries.
    for (name, expected) in names.iter().zip([404, 404, 404, 200, 200, 200]) {
        assert_eq!(status(server, &asset(name)), expected, "{name}");
    }
    assert!(get(server, &asset("five")).ends_with("\r\n\r\n<svg>five</svg>"));
    let mut built = Draft::built();
    let own = built.files(0).iter().find(|file| file["kind"] == "asset");
    assert_eq!(status(server, own.unwrap()["path"].as_str().unwrap()), 200);
    assert_eq!(site.list().0, ["6", "5", "4", "3", "2", "built-in"]);
    // A release that is gone back to isn't removed, however old it is.
    site.run(&["releases", "rollback", "2"]).succeeds();
    site.publish("seven");
    assert_eq!(site.list().0, ["7", "6", "5", "4", "2", "built-in"]);
    // And they are there for a server that starts, too.
    let again = Process::start(&site.database.url(), &[]);
    for (name, expected) in [("seven", 200), ("two", 200), ("six", 200), ("five", 404)] {
        assert_eq!(status(again.address, &asset(name)), expected, "{name}");
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
    let site = Site::open();
    let begin = Timestamp::now() + SOON;
    // Also of a release that is served from its folder, whatever is published.
    let folder = site.database.path("dist");
    std::fs::create_dir(&folder).unwrap();
    let given = Draft::named("grey").then(&begin.to_string(), "black");
    std::fs::write(folder.join("site.pack"), given.bytes()).unwrap();
    let mut command = serve(&site.database.url());
    command.arg("--site").arg(folder);
    let other = Process::spawn(command, &[]);
    let draft = Draft::named("today").then(&begin.to_string(), "tomorrow");
    draft.offer(&site.database).succeeds();
    let is_published = async || shown(site.server.address) != own_name();
    until("it is published", is_published).await;
    for (server, before, then) in [
        (site.server.address, "today", "tomorrow"),
        (other.address, "grey", "black"),
    ] {
        until_it_changes(server, begin, before, then).await;
        assert_eq!(status(server, &asset(then)), 200);
    }
    assert_eq!(status(other.address, &asset("tomorrow")), 404);
}

#[tokio::test]
async fn a_row_that_is_damaged_leaves_the_release_before_in_place_or_else_the_programs_own() {
    let mut site = Site::open();
    site.publish("blue");
    site.publish("green");
    site.until_shown("green").await;
    let sql = site.database.sql();
    sql.run("UPDATE releases SET turn = 5 WHERE id = 1");
    site.until_shown("blue").await;
    sql.run("UPDATE releases SET turn = 9, content = substr(content, 1, 4) WHERE id = 2");
    let finding = "site: release 2 can't be shown (its content in the database is damaged";
    let is_named = async || site.run(&["check"]).stdout.contains(finding);
    until("the check names it", is_named).await;
    site.server.until_logged(TOLD);
    let again = Process::start(&site.database.url(), &[]);
    for server in [again.address, site.server.address] {
        assert_eq!(shown(server), "blue", "the release before");
    }
    assert_eq!(ready(site.server.ops).await.0, 200);
    drop(again);

    sql.run("UPDATE releases SET content = substr(content, 1, 1)");
    let again = Process::start(&site.database.url(), &[]);
    assert_eq!(shown(again.address), own_name());
    let output = site.run(&["check"]).succeeds();
    output.stdout_contains("! site: release 2 can't be shown");
    site.publish("red");
    until_shown(again.address, "red").await;
    site.until_shown("red").await;
    let (log, status) = site.server.terminate();
    assert!(status.success());
    let told = |line: &String| line.contains(TOLD);
    assert!(!log.iter().any(told), "it is told once: {log:#?}");
}
