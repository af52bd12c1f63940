//! Loopback addresses that no other test uses, one for each part of a setup, as if each were a
//! separate machine; and a TCP proxy.
//!
//! A part that is killed and started again keeps its address. A port of 127.0.0.1 might be taken by
//! another connection meanwhile.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::LazyLock;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

/// Below the ports that the system assigns to connections.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// One of fifteen million addresses, so two tests hardly ever get the same one.
pub fn own_host() -> Ipv4Addr {
    let number = rand::random_range(16..=254);
    Ipv4Addr::new(127, number, rand::random(), rand::random())
}

/// An address on such a host.
pub fn own_address() -> SocketAddr {
    static PORT: LazyLock<u16> = LazyLock::new(|| {
        // Free on all addresses: a program that listens on all of them would also have it on ours.
        let is_free =
            |port: &u16| std::net::TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok();
        let mut ports = std::iter::repeat_with(|| rand::random_range(PORTS));
        ports.find(is_free).unwrap()
    });
    (own_host(), *PORT).into()
}

/// An address that refuses connections, and that nobody else gets while the
/// socket is held.
pub fn closed() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

#[derive(Clone, Copy, Default)]
struct State {
    /// Where connections are forwarded to; `None` closes them at once.
    target: Option<SocketAddr>,
    is_stalled: bool,
    cuts: usize,
}

pub struct TcpProxy {
    pub address: SocketAddr,
    state: watch::Sender<State>,
}

impl TcpProxy {
    pub async fn start() -> Self {
        let address = own_address();
        let listener = TcpListener::bind(address).await.unwrap();
        let state = watch::Sender::default();
        tokio::spawn(listen(listener, state.subscribe()));
        Self { address, state }
    }

    pub fn forward_to(&self, server: SocketAddr) {
        self.state.send_modify(|state| state.target = Some(server));
    }

    pub fn refuse(&self) {
        self.state.send_modify(|state| state.target = None);
        self.cut();
    }

    /// Closes every connection, even in the middle of a transfer.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Forwards nothing, but keeps the connections open.
    pub fn stall(&self) {
        self.state.send_modify(|state| state.is_stalled = true);
    }

    pub fn resume(&self) {
        self.state.send_modify(|state| state.is_stalled = false);
    }
}

async fn listen(listener: TcpListener, state: watch::Receiver<State>) {
    let mut proxy = state.clone();
    loop {
        tokio::select! {
            Ok((client, _)) = listener.accept() => {
                tokio::spawn(forward(client, state.clone()));
            }
            // Ends when the proxy is dropped.
            _ = proxy.wait_for(|_| false) => return,
        }
    }
}

/// Forwards until both sides have closed, or the proxy cuts the connection.
async fn forward(mut client: TcpStream, mut proxy: watch::Receiver<State>) {
    let State { target, cuts, .. } = *proxy.borrow();
    let Some(target) = target else { return };
    let Ok(mut server) = TcpStream::connect(target).await else {
        return;
    };
    for side in [&client, &server] {
        let _ = side.set_nodelay(true);
    }
    let mut copying = pin!(copy_bidirectional(&mut client, &mut server));
    loop {
        let state = *proxy.borrow_and_update();
        if state.cuts > cuts {
            return;
        }
        tokio::select! {
            _ = &mut copying, if !state.is_stalled => return,
            changed = proxy.changed() => if changed.is_err() { return },
        }
    }
}
