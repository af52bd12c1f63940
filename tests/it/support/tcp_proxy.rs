//! A TCP proxy before a database server: it forwards everything until its connections are cut, or
//! stalls without closing them. Dropped, it closes all of them.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Default)]
struct State {
    /// Where to; without one, connections are closed at once.
    target: Option<SocketAddr>,
    is_stalled: bool,
    cuts: usize,
}

pub struct TcpProxy {
    pub address: SocketAddr,
    state: watch::Sender<State>,
}

impl TcpProxy {
    pub async fn at(address: SocketAddr) -> Self {
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

    /// Every connection is closed, whatever is under way on it.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Nothing comes through, and no connection is closed.
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

/// Until either side has closed, or the proxy is cut.
async fn forward(mut client: TcpStream, mut proxy: watch::Receiver<State>) {
    let State { target, cuts, .. } = *proxy.borrow();
    let Some(target) = target else { return };
    let Ok(mut server) = TcpStream::connect(target).await else {
        return;
    };
    for side in [&client, &server] {
        let _ = side.set_nodelay(true);
    }
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        () = copy(from_client, to_server, proxy.clone()) => {}
        () = copy(from_server, to_client, proxy.clone()) => {}
        _ = proxy.wait_for(|state| state.cuts > cuts) => {}
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut proxy: watch::Receiver<State>,
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let _ = proxy.wait_for(|state| !state.is_stalled).await;
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
