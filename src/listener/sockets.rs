//! Listening sockets: our own, and those that a service manager has opened for
//! us (`LISTEN_FDS`). The latter stay open while the program is restarted, so
//! that visitors wait in the queue instead of being refused.

use std::io;
use std::net::{self, SocketAddr};

use listenfd::ListenFd;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::sleep;

use super::ACCEPT_PAUSE;

/// Connections that the system keeps for us until they are accepted; it may
/// keep fewer (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// The name of the socket for health and metrics (`FileDescriptorName=`);
/// without names it is the second one, if only this machine reaches it.
const OPS: &str = "ops";

const TOO_MANY: &str = "one is for the site and one, which only this machine reaches, for health and \
    metrics: for IPv4 and IPv6 write `ListenStream=[::]:80` alone";

/// Takes a port, with a long queue before it.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart need not wait for the last connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Empty where the program was started by hand.
#[derive(Debug, Default)]
pub struct Inherited {
    public: Option<net::TcpListener>,
    ops: Option<net::TcpListener>,
}

impl Inherited {
    /// To be called before there is a second thread: it clears the variables, so
    /// that a program that we start doesn't take the sockets for its own.
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
            let is_ops = name == OPS || is_second;
            let slot = match is_ops {
                true => &mut inherited.ops,
                false => &mut inherited.public,
            };
            if slot.replace(listener).is_some() {
                return Err(io::Error::other(TOO_MANY));
            }
        }
        Ok(inherited)
    }

    /// Inside a runtime.
    pub fn public(&mut self) -> io::Result<Option<TcpListener>> {
        self.public.take().map(into_tokio).transpose()
    }

    pub fn ops(&mut self) -> io::Result<Option<TcpListener>> {
        self.ops.take().map(into_tokio).transpose()
    }
}

/// Closes every connection at once, for as long as the program runs.
pub async fn turn_away(listener: TcpListener) {
    loop {
        if listener.accept().await.is_err() {
            sleep(ACCEPT_PAUSE).await;
        }
    }
}

fn into_tokio(listener: net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}
