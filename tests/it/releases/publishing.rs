//! Publishing, going back, and what a server shows that starts.

use super::{House, own_name, shown, status, until_shown};
use crate::support::process::{Process, get, serve};
use crate::support::release::{Draft, asset};

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
        ("7", 1, "there is no release 7: `frontdoor releases list`"),
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
    let own = Draft::built()
        .files(0)
        .iter()
        .find(|file| file["kind"] == "asset")
        .cloned();
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

/// The others are read from the database when they are asked for.
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
    house
        .database
        .past()
        .run("UPDATE releases SET content = NULL");
    assert_eq!((status(server, &blue), status(server, &green)), (404, 200));
}
