//! Listening sockets: our own, and sockets inherited from a service manager (`LISTEN_FDS`).
//! Inherited sockets stay open while the program restarts, so that visitors wait instead of being
//! refused.

use std::io;
use std::net::{self, SocketAddr};

use anyhow::Context as _;
use listenfd::ListenFd;
use tokio::net::{TcpListener, TcpSocket};

/// The accept queue's length; the kernel may limit it further (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// The name of the socket for health and metrics (`FileDescriptorName=`). Without names, it
/// is the second socket, provided that it is on a loopback address.
const OPS: &str = "ops";

const TOO_MANY: &str = "one is for the site and one, which only this machine reaches, for health and \
    metrics: for IPv4 and IPv6 write `ListenStream=[::]:80` alone";

/// The inherited sockets; empty if the program was started by hand.
#[derive(Debug, Default)]
pub struct Inherited {
    pub public: Option<net::TcpListener>,
    pub ops: Option<net::TcpListener>,
}

impl Inherited {
    /// Must be called before a second thread starts, because it clears the variables, so that child
    /// processes don't take the sockets for their own.
    pub fn from_environment() -> io::Result<Self> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut given = ListenFd::from_env();
        let mut inherited = Self::default();
        let mut names = names.split(':');
        for index in 0..given.len() {
            let name = names.next().unwrap_or_default();
            let Some(listener) = given.take_tcp_listener(index)? else {
                continue;
            };
            let is_private = listener.local_addr()?.ip().is_loopback();
            let is_second = inherited.public.is_some() && is_private;
            let slot = if name == OPS || is_second {
                &mut inherited.ops
            } else {
                &mut inherited.public
            };
            if slot.replace(listener).is_some() {
                return Err(io::Error::other(TOO_MANY));
            }
        }
        Ok(inherited)
    }
}

/// Listens on the inherited socket, or on a new one at this address. Must be called inside a
/// runtime.
pub fn listen(
    inherited: Option<net::TcpListener>,
    address: SocketAddr,
) -> anyhow::Result<TcpListener> {
    let Some(listener) = inherited else {
        return bind(address).with_context(|| format!("can't listen on {address}"));
    };
    let actual = listener.local_addr()?;
    if actual != address {
        tracing::warn!(%actual, set = %address, "the socket unit decides where to listen, not the setting");
    }
    into_tokio(listener).context("can't use the socket that systemd has opened")
}

fn into_tokio(listener: net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart needn't wait until old connections leave TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
