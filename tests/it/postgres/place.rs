//! A server of the test's own, which may be stopped and told other rules.

use tempfile::TempDir;

use crate::replicas::cluster::folder_for_the_server;
use crate::replicas::network::Network;
use crate::replicas::server::Server;
use crate::replicas::wire::Wire;

pub struct Place {
    pub server: Server,
    pub network: Network,
    _folder: TempDir,
}

impl Place {
    pub async fn new() -> Self {
        let (network, folder) = (Network::new(), folder_for_the_server());
        let address = network.address(5432);
        let server = Server::create(folder.path().join("0"), address).await;
        Self {
            server,
            network,
            _folder: folder,
        }
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.server.address)
    }

    /// Another way to it, which can be cut.
    pub async fn wire(&self) -> Wire {
        let wire = Wire::at(self.network.address(5432)).await;
        wire.lead_to(self.server.address);
        wire
    }
}
