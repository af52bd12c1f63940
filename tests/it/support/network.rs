//! Addresses of this machine that nobody else uses, one for each part of a
//! setup, as if each were a machine of its own.
//!
//! A part that was killed comes back under its address: a port of
//! 127.0.0.1 might meanwhile have been given to somebody's connection.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// Where a network is taken for oneself.
const CLAIM: u16 = 20_000;

pub struct Network {
    number: u8,
    hosts: AtomicU16,
    _claim: TcpListener,
}

impl Network {
    pub fn new() -> Self {
        loop {
            let number = rand::random_range(16..=254);
            let first = Ipv4Addr::new(127, number, 0, 1);
            if let Ok(claim) = TcpListener::bind((first, CLAIM)) {
                return Self {
                    number,
                    hosts: AtomicU16::new(1),
                    _claim: claim,
                };
            }
        }
    }

    /// On a host that was not given away before.
    pub fn address(&self, port: u16) -> SocketAddr {
        let host = self.hosts.fetch_add(1, Ordering::Relaxed) + 1;
        let [high, low] = host.to_be_bytes();
        (Ipv4Addr::new(127, self.number, high, low), port).into()
    }
}
