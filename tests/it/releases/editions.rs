//! A release with pages for later shows them when their time has come.

use std::net::SocketAddr;

use jiff::{SignedDuration, Timestamp};

use super::{House, shown, status};
use crate::support::process::{Process, serve};
use crate::support::release::{Draft, asset};
use crate::support::wait::until;

/// Long enough for a slow machine to see what is before it.
const SOON: SignedDuration = SignedDuration::from_secs(8);

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
        shown(house.server.address) != super::own_name()
    })
    .await;
    // A release that cannot be shown takes nothing from the one that stays.
    house.database.past().run(
        "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
        SELECT 2, 'x', carried, pages, bytes, published_at, turn + 1, facts,
            substr(content, 1, 4) FROM releases
        WHERE id = 1",
    );
    house.server.until_logged("a release cannot be shown");
    for server in [house.server.address, other.address] {
        until_it_changes(server, begin, "today", "tomorrow").await;
        assert_eq!(status(server, &asset("tomorrow")), 200);
    }
}
