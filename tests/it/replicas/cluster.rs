//! A primary with a synchronous standby, ways to lose the primary, and the replicas of the program
//! that use them.
//!
//! A commit is on the standby's disk before anybody is answered. A killed primary never comes back:
//! its proxy refuses connections from then on (fencing), and the next standby is a new server.

use std::net::SocketAddr;

use crate::support::{Process, STANDBY, Server, Session, TcpProxy, metrics, own_address, until};

const DATABASE: &str = "leads";

pub struct Cluster {
    pub primary: Server,
    pub standby: Option<Server>,
    /// From the primary to its standby.
    between: Option<TcpProxy>,
    /// The proxies in front of both, whose addresses the program knows.
    proxies: [TcpProxy; 2],
    /// Which of the proxies is in front of the primary.
    to_primary: usize,
}

impl Cluster {
    pub async fn start() -> Self {
        let primary = Server::create().await;
        let create = format!("CREATE DATABASE {DATABASE}");
        primary.session("postgres").run(&create);
        let proxies = [TcpProxy::start().await, TcpProxy::start().await];
        proxies[0].forward_to(primary.address);
        let mut cluster = Self {
            primary,
            standby: None,
            between: None,
            proxies,
            to_primary: 0,
        };
        cluster.add_standby().await;
        cluster
    }

    pub fn url(&self) -> String {
        let [one, other] = self.proxies.each_ref().map(|proxy| proxy.address);
        format!("postgres://postgres@{one},{other}/{DATABASE}?target_session_attrs=read-write")
    }

    /// A session beside the program and the proxies.
    pub fn session(&self) -> Session {
        self.primary.session(DATABASE)
    }

    /// The proxy in front of the primary.
    pub fn proxy(&self) -> &TcpProxy {
        &self.proxies[self.to_primary]
    }

    /// Cuts the primary off from its standby.
    pub fn silence_primary(&self) {
        self.between.as_ref().expect("a standby").stall();
    }

    /// Waits until this many commits wait for the standby.
    pub async fn until_commits_wait(&self, number: usize) {
        let session = self.session();
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let all_wait = async || session.rows(waiting).len() >= number;
        until("commits that wait for the standby", all_wait).await;
    }

    pub fn kill_primary(&mut self) {
        self.primary.kill();
        self.proxy().refuse();
        // With what was on its way.
        self.between = None;
    }

    /// The standby takes over, alone for now: it waits for nobody's copy.
    pub async fn promote(&mut self) {
        let standby = self.standby.take().expect("a standby");
        standby.promote().await;
        self.primary = standby;
        self.to_primary = 1 - self.to_primary;
    }

    /// A new standby; returns once every commit waits for it.
    pub async fn add_standby(&mut self) {
        let between = TcpProxy::start().await;
        between.forward_to(self.primary.address);
        let standby = Server::follow(between.address).await;
        self.between = Some(between);
        self.proxies[1 - self.to_primary].forward_to(standby.address);
        self.standby = Some(standby);
        let setting = format!("synchronous_standby_names = '{STANDBY}'");
        self.primary.set(&setting);
        let session = self.session();
        let waits =
            "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'";
        until("a standby in step", async || session.rows(waits).len() == 1).await;
    }
}

/// One of several servers on the database.
pub struct Replica {
    pub address: SocketAddr,
    pub ops: SocketAddr,
    database: String,
    webhook: String,
    pub process: Option<Process>,
}

impl Replica {
    /// Not started yet.
    pub fn new(database: &str, webhook: &str) -> Self {
        Self {
            address: own_address(),
            ops: own_address(),
            database: database.to_owned(),
            webhook: webhook.to_owned(),
            process: None,
        }
    }

    pub fn start(&mut self) {
        let settings = [
            ("FRONTDOOR_LISTEN", &*self.address.to_string()),
            ("FRONTDOOR_OPS_LISTEN", &*self.ops.to_string()),
            ("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.0/8"),
            // No line for each request, because the log isn't read until the end.
            ("FRONTDOOR_LOG", "info,frontdoor::request=warn"),
            ("FRONTDOOR_WEBHOOK_URL", &self.webhook),
        ];
        self.process = Some(Process::start(&self.database, &settings));
    }

    pub fn kill(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    /// As an upgrade does; returns its log.
    pub fn stop(&mut self) -> Vec<String> {
        let (log, status) = self.process.take().expect("it runs").terminate();
        assert!(status.success(), "{log:#?}");
        log
    }

    /// Waits until the proxy has sent it a visitor since its start.
    pub async fn until_visited(&self) {
        let forms = "frontdoor_http_requests_total{route=\"contact\"";
        let is_visited = async || metrics(self.ops).await.contains(forms);
        until(&format!("a visitor at {}", self.address), is_visited).await;
    }
}
