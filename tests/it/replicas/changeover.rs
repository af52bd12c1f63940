//! Three servers over one database change over to other releases of the site
//! while visitors read: no request fails, every page is of one release, and
//! every asset that a page names is there, whichever server is asked for it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{
    Database, Draft, Process, client, frontdoor, long_or_short, name_of, run, until,
};

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
            2 => vec!["releases", "rollback"],
            _ => vec!["publish", file.as_str()],
        };
        run(frontdoor(&command).env("DATABASE_URL", database.url())).succeeds();
        for server in addresses {
            until(&format!("{name} at {server}"), async || {
                name_of(&get(server, "/about").await.1) == *name
            })
            .await;
        }
    }
    let took = begin.elapsed();
    stop.send_replace(true);
    let seen = visitors.join_all().await;
    let logs = servers.map(|server| server.terminate().0);
    let faults: Vec<_> = seen.iter().filter_map(|seen| seen.fault.as_ref()).collect();
    assert!(faults.is_empty(), "{faults:#?}, {logs:#?}");
    let sum = |number: fn(&Seen) -> usize| seen.iter().map(number).sum::<usize>();
    let (pages, assets) = (sum(|seen| seen.pages), sum(|seen| seen.assets));
    assert!(pages > clients && assets > clients, "{pages} {assets}");
    println!(
        "{clients} visitors at three servers, {changes} changes of release, every third one back, in \
        {took:.1?}: {pages} pages, {assets} assets, no failure"
    );
}

/// What a visitor has seen.
#[derive(Default)]
struct Seen {
    pages: usize,
    assets: usize,
    /// The first answer that was wrong; nothing is asked for after it.
    fault: Option<String>,
}

/// Asks another server each time, as a proxy before them would.
async fn visit(first: usize, servers: [SocketAddr; 3], stopped: watch::Receiver<bool>) -> Seen {
    let (mut seen, mut asked) = (Seen::default(), first);
    for round in first.. {
        let mut next = vec![PATHS[round % PATHS.len()].to_owned()];
        while let Some(path) = next.pop() {
            asked += 1;
            let (status, body) = get(servers[asked % servers.len()], &path).await;
            if status != if path == "/nowhere" { 404 } else { 200 } {
                seen.fault = Some(format!("{path}: {status}"));
                return seen;
            }
            if path.starts_with("/assets/") {
                seen.assets += 1;
                continue;
            }
            // Of one release.
            name_of(&body);
            seen.pages += 1;
            let pieces = body.split("\"/assets/").skip(1);
            let names = pieces.filter_map(|piece| piece.split('"').next());
            next.extend(names.map(|name| format!("/assets/{name}")));
        }
        if *stopped.borrow() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    seen
}

async fn get(server: SocketAddr, path: &str) -> (u16, String) {
    let answer = client().get(format!("http://{server}{path}")).send().await;
    let answer = answer.expect("an answer");
    let status = answer.status().as_u16();
    let bytes = answer.bytes().await.expect("a whole answer");
    (status, String::from_utf8_lossy(&bytes).into_owned())
}
