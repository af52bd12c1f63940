//! Three servers on one database switch to other releases while visitors read: no request fails,
//! every page belongs to one release, and every server has each asset that a page names.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{Database, Draft, Process, client, long_or_short, name_of, until};

const PATHS: [&str; 4] = ["/", "/about", "/blog", "/nowhere"];

#[tokio::test(flavor = "multi_thread")]
async fn servers_change_over_without_a_failed_request_or_a_mixed_page() {
    let (clients, changes) = long_or_short((64, 40), (6, 3));
    let database = Database::postgres();
    let quiet = ("FRONTDOOR_LOG", "info,frontdoor::request=warn");
    let servers = [(); 3].map(|()| Process::start(&database.url(), &[quiet]));
    let addresses = servers.each_ref().map(|server| server.address);
    let files = ["red", "green", "blue"].map(|name| {
        let file = Draft::named(name).write(&database, name);
        (name, file.to_str().unwrap().to_owned())
    });
    let (stop, stopped) = watch::channel(false);
    let visits = (0..clients).map(|number| visit(number, addresses, stopped.clone()));
    let visitors: JoinSet<_> = visits.collect();
    let begin = Instant::now();
    for change in 0..changes {
        // One, the next, and back again.
        let (round, step) = (change / 3, change % 3);
        let (name, file) = &files[(round + step % 2) % files.len()];
        let command = match step {
            2 => ["releases", "rollback"],
            _ => ["publish", file.as_str()],
        };
        database.run(&command).succeeds();
        for server in addresses {
            until(&format!("{name} at {server}"), async || {
                name_of(&get(server, "/about").await.1) == *name
            })
            .await;
        }
    }
    let took = begin.elapsed();
    stop.send_replace(true);
    let answers: usize = visitors.join_all().await.into_iter().sum();
    println!(
        "{clients} visitors at three servers, {changes} changes of release, every third one back, in \
        {took:.1?}: {answers} answers, no failure"
    );
}

/// Requests a page and its assets, each from another server, as a proxy would. Returns the number of
/// requests.
async fn visit(first: usize, servers: [SocketAddr; 3], stopped: watch::Receiver<bool>) -> usize {
    let mut asked = first;
    for round in first.. {
        let mut next = vec![PATHS[round % PATHS.len()].to_owned()];
        while let Some(path) = next.pop() {
            asked += 1;
            let (status, body) = get(servers[asked % servers.len()], &path).await;
            let expected = if path == "/nowhere" { 404 } else { 200 };
            assert_eq!(status, expected, "{path}");
            if !path.starts_with("/assets/") {
                // Of one release.
                name_of(&body);
                let pieces = body.split("\"/assets/").skip(1);
                let names = pieces.filter_map(|piece| piece.split('"').next());
                next.extend(names.map(|name| format!("/assets/{name}")));
            }
        }
        if *stopped.borrow() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    asked - first
}

async fn get(server: SocketAddr, path: &str) -> (u16, String) {
    let answer = client().get(format!("http://{server}{path}")).send().await;
    let answer = answer.expect("an answer");
    let status = answer.status().as_u16();
    let bytes = answer.bytes().await.expect("a whole answer");
    (status, String::from_utf8_lossy(&bytes).into_owned())
}
