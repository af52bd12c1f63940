//! Listening sockets: our own, and those inherited from a service manager (`LISTEN_FDS`). Inherited
//! ones stay open while the program restarts, so that visitors wait instead of being refused.

use std::io;
use std::net::{self, SocketAddr};

use listenfd::ListenFd;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::sleep;

use super::ACCEPT_PAUSE;

/// The accept queue's length; the kernel may limit it further (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// The name of the socket for health and metrics (`FileDescriptorName=`). Without names it is the
/// second socket, if it is on a loopback address.
const OPS: &str = "ops";

const TOO_MANY: &str = "one is for the site and one, which only this machine reaches, for health and \
    metrics: for IPv4 and IPv6 write `ListenStream=[::]:80` alone";

pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart needn't wait until old connections leave TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The inherited sockets; empty if the program was started by hand.
#[derive(Debug, Default)]
pub struct Inherited {
    public: Option<net::TcpListener>,
    ops: Option<net::TcpListener>,
}

impl Inherited {
    /// Must be called before a second thread starts: it clears the variables, so that child
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

    /// Must be called inside a runtime.
    pub fn public(&mut self) -> io::Result<Option<TcpListener>> {
        self.public.take().map(into_tokio).transpose()
    }

    pub fn ops(&mut self) -> io::Result<Option<TcpListener>> {
        self.ops.take().map(into_tokio).transpose()
    }
}

/// Closes every connection at once, for as long as the program runs.
pub async fn reject_all(listener: TcpListener) {
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
