//! Listeners that a service manager has opened for us (`LISTEN_FDS`). They stay
//! open while the program is restarted: who comes meanwhile waits, and nobody is
//! turned away.

use std::io;
use std::net;

use listenfd::ListenFd;
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::ACCEPT_PAUSE;

/// What a listener for health and metrics is called (`FileDescriptorName=`);
/// without names it is the second one, if only this machine reaches it.
const OPS: &str = "ops";

const TOO_MANY: &str = "one is for the site and one, which only this machine reaches, for health and \
    metrics: for IPv4 and IPv6 write `ListenStream=[::]:80` alone";

/// None, where the program was started by hand.
#[derive(Debug, Default)]
pub struct Inherited {
    public: Option<net::TcpListener>,
    ops: Option<net::TcpListener>,
}

impl Inherited {
    /// To be called before there is a second thread: what says so is cleared,
    /// lest a program that we start takes it for its own.
    pub fn from_environment() -> io::Result<Self> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut given = ListenFd::from_env();
        let mut inherited = Self::default();
        for (place, name) in names_of(&names, given.len()).into_iter().enumerate() {
            let Some(listener) = given.take_tcp_listener(place)? else {
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

/// One for each; empty where there is none.
fn names_of(names: &str, number: usize) -> Vec<&str> {
    let names = names.split(':').chain(std::iter::repeat(""));
    names.take(number).collect()
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
