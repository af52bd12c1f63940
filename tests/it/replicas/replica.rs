//! One of several programs over one database.

use std::net::SocketAddr;

use crate::support::client::{metrics, ready};
use crate::support::network::Network;
use crate::support::process::Process;
use crate::support::wait::until;

pub struct Replica {
    pub address: SocketAddr,
    database: String,
    settings: Vec<(&'static str, String)>,
    process: Option<Process>,
}

impl Replica {
    /// Not started yet.
    pub fn new(network: &Network, database: &str, webhook: &str) -> Self {
        let (address, ops) = (network.address(), network.address());
        let settings = vec![
            ("FRONTDOOR_LISTEN", address.to_string()),
            ("FRONTDOOR_OPS_LISTEN", ops.to_string()),
            ("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.0/8".to_owned()),
            // Its own troubles only: nobody reads the log until the end.
            ("FRONTDOOR_LOG", "info,frontdoor::request=warn".to_owned()),
            ("FRONTDOOR_WEBHOOK_URL", webhook.to_owned()),
        ];
        Self {
            address,
            database: database.to_owned(),
            settings,
            process: None,
        }
    }

    pub fn start(&mut self) {
        let settings = self.settings.iter();
        let settings: Vec<_> = settings
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
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
        let ops = self.process.as_ref().expect("it runs").ops;
        let forms = "frontdoor_http_requests_total{route=\"contact\"";
        until(&format!("a visitor at {}", self.address), async || {
            metrics(ops).await.contains(forms)
        })
        .await;
    }

    /// Until its health check answers so; whoever does not run is not asked.
    pub async fn until_ready(&self, status: u16) {
        let Some(process) = &self.process else { return };
        until(&format!("{status} of {}", process.ops), async || {
            ready(process.ops).await.0 == status
        })
        .await;
    }
}
