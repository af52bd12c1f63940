//! Three servers over one database change over to other releases of the site
//! while visitors read: no request fails, every page is of one release, and
//! every asset that a page names is there, whichever server is asked for it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::client::client;
use crate::support::database::Database;
use crate::support::long;
use crate::support::process::{Process, frontdoor, run};
use crate::support::release::{Draft, name_of};
use crate::support::wait::until;

const PATHS: [&str; 4] = ["/", "/about", "/blog", "/nowhere"];

/// What the visitors have seen.
#[derive(Default)]
struct Seen {
    pages: AtomicUsize,
    assets: AtomicUsize,
    slowest: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_change_over_without_a_failed_request_or_a_mixed_page() {
    let (clients, changes) = long::or_short((64, 40), (8, 4));
    let database = Database::postgres();
    let servers: Vec<Process> = (0..3)
        .map(|_| {
            Process::start(
                &database.url(),
                &[("FRONTDOOR_LOG", "info,frontdoor::request=warn")],
            )
        })
        .collect();
    let addresses: Vec<SocketAddr> = servers.iter().map(|server| server.address).collect();
    let files = ["red", "green", "blue"].map(|name| {
        let file = Draft::named(name).write(&database, name);
        (name, file.to_str().unwrap().to_owned())
    });
    let seen = Arc::<Seen>::default();
    let (stop, stopped) = watch::channel(false);
    let mut visitors = JoinSet::new();
    for number in 0..clients {
        let visitor = visit(number, addresses.clone(), seen.clone(), stopped.clone());
        visitors.spawn(visitor);
    }
    let (mut changeovers, begin) = (Vec::new(), Instant::now());
    for change in 0..changes {
        // One, the next, and back again.
        let (round, step) = (change / 3, change % 3);
        let (name, file) = &files[(round + step % 2) % files.len()];
        let command = match step {
            2 => vec!["releases", "rollback"],
            _ => vec!["publish", file.as_str()],
        };
        let said = run(frontdoor(&command).env("DATABASE_URL", database.url()));
        assert_eq!(said.code, 0, "{}", said.err);
        let published = Instant::now();
        for server in &addresses {
            until(&format!("{name} at {server}"), async || {
                name_of(&get(*server, "/about").await.1) == *name
            })
            .await;
        }
        changeovers.push(published.elapsed());
    }
    let took = begin.elapsed();
    stop.send_replace(true);
    // A visitor who has found a fault has ended in a panic.
    visitors.join_all().await;
    let (pages, assets) = (
        seen.pages.load(Ordering::Relaxed),
        seen.assets.load(Ordering::Relaxed),
    );
    assert!(
        pages > clients * changes && assets > clients,
        "{pages} {assets}"
    );
    changeovers.sort_unstable();
    println!(
        "{clients} visitors at three servers, {changes} changes of release, every third one back, in \
        {took:.1?}: {pages} pages, {assets} assets, no failure; all servers had changed over {:.0?} after \
        the command (slowest {:.0?}); slowest answer {} ms",
        changeovers[changes / 2],
        changeovers[changes - 1],
        seen.slowest.load(Ordering::Relaxed)
    );
}

/// Asks another server each time, as a proxy before them would.
async fn visit(
    number: usize,
    servers: Vec<SocketAddr>,
    seen: Arc<Seen>,
    stopped: watch::Receiver<bool>,
) {
    let mut next = number;
    let mut ask = async |path: &str| {
        next += 1;
        let begin = Instant::now();
        let answer = get(servers[next % servers.len()], path).await;
        let took = begin.elapsed().as_millis() as usize;
        seen.slowest.fetch_max(took, Ordering::Relaxed);
        answer
    };
    let mut round = number;
    while !*stopped.borrow() {
        round += 1;
        let path = PATHS[round % PATHS.len()];
        let (status, html) = ask(path).await;
        assert_eq!(status, if path == "/nowhere" { 404 } else { 200 }, "{path}");
        name_of(&html);
        seen.pages.fetch_add(1, Ordering::Relaxed);
        for asset in assets(&html) {
            let (status, _) = ask(&asset).await;
            assert_eq!(status, 200, "{asset} of {path}");
            seen.assets.fetch_add(1, Ordering::Relaxed);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// All that the page names.
fn assets(html: &str) -> Vec<String> {
    let pieces = html.split("\"/assets/").skip(1);
    let names = pieces.filter_map(|piece| piece.split('"').next());
    names.map(|name| format!("/assets/{name}")).collect()
}

async fn get(server: SocketAddr, path: &str) -> (u16, String) {
    let answer = client().get(format!("http://{server}{path}")).send().await;
    let answer = answer.expect("an answer");
    let status = answer.status().as_u16();
    let bytes = answer.bytes().await.expect("a whole answer");
    (status, String::from_utf8_lossy(&bytes).into_owned())
}
