//! What only a database server has: ways to it, tables of others, replicas
//! beside each other, and its weather.

mod doors;
mod wakeups;
mod weather;

use std::net::SocketAddr;

use frontdoor::store::{DatabaseUrl, OpenMode, Store};
use tempfile::TempDir;

use crate::support::network::Network;
use crate::support::postgres::server;
use crate::support::postgres_server::{Server, folder_for_the_server};

fn parsed(url: &str) -> DatabaseUrl {
    url.parse().unwrap()
}

async fn refusal(url: &str, mode: OpenMode) -> String {
    let opened = Store::open(&parsed(url), mode).await;
    opened.err().expect("it cannot be opened").to_string()
}

/// A server of the test's own, which may be stopped and told other rules.
struct Place {
    server: Server,
    _network: Network,
    _folder: TempDir,
}

impl Place {
    async fn new() -> Self {
        let (network, folder) = (Network::new(), folder_for_the_server());
        let server = Server::create(folder.path().join("0"), network.address()).await;
        Self {
            server,
            _network: network,
            _folder: folder,
        }
    }

    fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.server.address)
    }

    fn set(&self, setting: &str) {
        let session = self.server.session("postgres");
        session.run(&format!("ALTER SYSTEM SET {setting}"));
        session.run("SELECT pg_reload_conf()");
    }
}

/// Of the server that all tests share.
fn server_address() -> SocketAddr {
    let server: tokio_postgres::Config = server().parse().unwrap();
    ([127, 0, 0, 1], server.get_ports()[0]).into()
}
