//! A server of the test's own, which may be stopped and told other rules; and
//! where the one is that all share.

use std::net::SocketAddr;

use tempfile::TempDir;

use crate::replicas::cluster::folder_for_the_server;
use crate::replicas::server::Server;
use crate::support::network::Network;
use crate::support::postgres::server;

pub struct Place {
    pub server: Server,
    _network: Network,
    _folder: TempDir,
}

impl Place {
    pub async fn new() -> Self {
        let (network, folder) = (Network::new(), folder_for_the_server());
        let address = network.address();
        let server = Server::create(folder.path().join("0"), address).await;
        Self {
            server,
            _network: network,
            _folder: folder,
        }
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.server.address)
    }
}

/// Of the server that all tests share.
pub fn server_address() -> SocketAddr {
    let server: tokio_postgres::Config = server().parse().unwrap();
    ([127, 0, 0, 1], server.get_ports()[0]).into()
}
