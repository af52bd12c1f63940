//! Listeners that a service manager has opened for us (`LISTEN_FDS`). They stay
//! open while the program is restarted: who comes meanwhile waits, and nobody is
//! turned away.

use std::io;
use std::net;

use listenfd::ListenFd;
use tokio::net::TcpListener;

/// What a listener for health and metrics is called (`FileDescriptorName=`);
/// without names it is the second one.
const OPS: &str = "ops";

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
            let listener = given.take_tcp_listener(place)?;
            match (name, place) {
                (OPS, _) => inherited.ops = listener,
                (_, 1) if inherited.public.is_some() => inherited.ops = listener,
                _ => inherited.public = listener,
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

fn into_tokio(listener: net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}
