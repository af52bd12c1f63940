//! Behind pgbouncer in transaction mode, where each transaction may run in
//! another session.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use frontdoor::store::{OpenMode, Outcome, Store};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, getuid, kill_process};
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::place::server_address;
use super::{parsed, session};
use crate::replicas::cluster::folder_for_the_server;
use crate::support::data::{WEBHOOK, lead, subscription, visitor};
use crate::support::database::{Database, deliveries, leads};
use crate::support::network::Network;
use crate::support::wait::until;

const VISITORS: usize = 20;

struct Pooler {
    address: SocketAddr,
    child: Child,
    _folder: TempDir,
    _network: Network,
}

impl Pooler {
    /// Two sessions for everybody.
    async fn start(settings: &str) -> Self {
        let (network, folder) = (Network::new(), folder_for_the_server());
        let address = network.address();
        let port = server_address().port();
        let file = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={port} user=postgres\n[pgbouncer]\n\
             listen_addr = {}\nlisten_port = {}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 2\n{settings}\n",
            address.ip(),
            address.port()
        );
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new("pgbouncer");
        if getuid().is_root() {
            command.args(["-u", "postgres"]);
        }
        command.arg("-q").arg(&file).stderr(Stdio::null());
        let child = command
            .spawn()
            .expect("pgbouncer: scripts/install-tools pgbouncer");
        until("the pooler listens", async || {
            tokio::net::TcpStream::connect(address).await.is_ok()
        })
        .await;
        Self {
            address,
            child,
            _folder: folder,
            _network: network,
        }
    }

    fn url(&self, database: &Database) -> String {
        format!("postgres://postgres@{}/{}", self.address, database.name())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// Everything that a visitor can have stored, and a look at it.
async fn visit(store: Store, nth: usize, now: Timestamp) {
    let email = format!("ada{nth}@example.org");
    let mut form = visitor();
    form.email = &email;
    store.add_lead(lead(form), now).await.unwrap();
    let subscription = subscription(&email, None);
    store.subscribe(subscription, true, now).await.unwrap();
    store.probe().await.unwrap();
    assert!(leads(&store).await.iter().any(|lead| lead.email == email));
}

#[tokio::test]
async fn everything_works_behind_a_pooler_that_swaps_sessions() {
    // One refuses what it does not know of the first packet, one drops it.
    for settings in ["", "ignore_startup_parameters = options"] {
        let database = Database::postgres();
        let pooler = Pooler::start(settings).await;
        let url = parsed(&pooler.url(&database));
        let one = Store::open(&url, OpenMode::Create).await.unwrap();
        let other = Store::open(&url, OpenMode::Create).await.unwrap();
        let now = Timestamp::now();
        // At once: whoever sends twice meets another session.
        let mut visits = JoinSet::new();
        for nth in 0..VISITORS {
            visits.spawn(visit([&one, &other][nth % 2].clone(), nth, now));
        }
        visits.join_all().await;
        assert_eq!(leads(&other).await.len(), VISITORS);
        let lease = std::time::Duration::from_secs(60);
        let claimed = one.claim(WEBHOOK, 100, lease, now).await.unwrap();
        let again = other.claim(WEBHOOK, 100, lease, now).await.unwrap();
        assert_eq!((claimed.len(), again.len()), (VISITORS, 0));
        for claim in claimed {
            let done = one.record(&claim, Outcome::Delivered, now).await;
            assert_eq!(done, Ok(true));
        }
        let open = deliveries(&one).await;
        assert_eq!(
            open.iter()
                .filter(|each| each.finished_at.is_some())
                .count(),
            VISITORS
        );
        let forgotten = other.forget("ada3@example.org").await.unwrap();
        assert_eq!(forgotten.contacts, 1);
        for store in [one, other] {
            store.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn behind_a_pooler_a_commit_that_would_not_be_on_disk_is_refused() {
    let database = Database::postgres();
    let pooler = Pooler::start("").await;
    let weak = format!(
        "ALTER DATABASE {} SET synchronous_commit = off",
        database.name()
    );
    session(&database).run(&weak);
    let refused = Store::open(&parsed(&pooler.url(&database)), OpenMode::Create).await;
    let why = refused
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(why.contains("synchronous_commit"), "{why}");
}
