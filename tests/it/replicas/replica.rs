//! One of several programs over one database.

use std::net::SocketAddr;

use crate::support::client::{metrics, ready};
use crate::support::network::Network;
use crate::support::process::Process;
use crate::support::wait::until;

pub struct Replica {
    pub address: SocketAddr,
    ops: SocketAddr,
    database: String,
    webhook: String,
    process: Option<Process>,
}

impl Replica {
    /// Not started yet.
    pub fn new(network: &Network, database: &str, webhook: &str) -> Self {
        Self {
            address: network.address(),
            ops: network.address(),
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
            // Its own troubles only: nobody reads the log until the end.
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

    /// Until the proxy has sent it a visitor since its start.
    pub async fn until_visited(&self) {
        let forms = "frontdoor_http_requests_total{route=\"contact\"";
        let is_visited = async || metrics(self.ops).await.contains(forms);
        until(&format!("a visitor at {}", self.address), is_visited).await;
    }

    /// Until its health check answers so; whoever does not run is not asked.
    pub async fn until_ready(&self, status: u16) {
        if self.process.is_some() {
            let is_so = async || ready(self.ops).await.0 == status;
            until(&format!("{status} of {}", self.ops), is_so).await;
        }
    }
}
