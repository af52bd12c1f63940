//! Tests of PostgreSQL alone: connections, tables of other programs and outages.

mod connecting;
mod outages;

use std::net::SocketAddr;

use frontdoor::store::{DatabaseUrl, OpenMode, Store};

use crate::support::server;

fn parsed(url: &str) -> DatabaseUrl {
    url.parse().unwrap()
}

async fn refusal(url: &str, mode: OpenMode) -> String {
    let opened = Store::open(&parsed(url), mode).await;
    opened.err().expect("it can't be opened").to_string()
}

/// Of the server that all tests share.
fn server_address() -> SocketAddr {
    let server: tokio_postgres::Config = server().parse().unwrap();
    ([127, 0, 0, 1], server.get_ports()[0]).into()
}
