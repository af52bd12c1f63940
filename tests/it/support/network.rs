//! Addresses of this machine that nobody else uses, one for each part of a
//! setup, as if each were a machine of its own.
//!
//! A part that was killed comes back under its address: a port of
//! 127.0.0.1 might meanwhile have been given to somebody's connection.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{self, UnixDatagram};
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::net::TcpSocket;

/// Below those that the system gives to connections.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

pub struct Network {
    number: u8,
    port: u16,
    hosts: AtomicU16,
    /// Under a name that only one process of this machine can have.
    _claim: UnixDatagram,
}

impl Network {
    pub fn new() -> Self {
        loop {
            let number = rand::random_range(16..=254);
            let name = format!("frontdoor-test-network-{number}");
            let name = net::SocketAddr::from_abstract_name(name).unwrap();
            if let Ok(claim) = UnixDatagram::bind_addr(&name) {
                return Self {
                    number,
                    port: free_port(),
                    hosts: AtomicU16::new(1),
                    _claim: claim,
                };
            }
        }
    }

    /// One that was not given away before.
    pub fn host(&self) -> Ipv4Addr {
        let host = self.hosts.fetch_add(1, Ordering::Relaxed) + 1;
        let [high, low] = host.to_be_bytes();
        Ipv4Addr::new(127, self.number, high, low)
    }

    /// On a host of its own.
    pub fn address(&self) -> SocketAddr {
        (self.host(), self.port).into()
    }
}

/// Free on every host: a program that listens on all addresses would have it on
/// ours, too.
fn free_port() -> u16 {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok();
    let mut ports = std::iter::repeat_with(|| rand::random_range(PORTS));
    ports.find(is_free).unwrap()
}

/// An address that refuses connections, and that nobody else gets while the
/// socket is held.
pub fn closed() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}
