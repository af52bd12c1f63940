//! The network cable of a database server: passes everything on until it is
//! cut, or goes dead without a word. Dropped, it is gone with all it carried.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Default)]
struct State {
    /// Where it leads; without one, connections are closed at once.
    end: Option<SocketAddr>,
    is_dead: bool,
    cuts: usize,
}

pub struct Wire {
    pub address: SocketAddr,
    state: watch::Sender<State>,
}

impl Wire {
    pub async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let state = watch::Sender::default();
        tokio::spawn(listen(listener, state.subscribe()));
        Self { address, state }
    }

    pub fn lead_to(&self, server: SocketAddr) {
        self.state.send_modify(|state| state.end = Some(server));
    }

    pub fn lead_nowhere(&self) {
        self.state.send_modify(|state| state.end = None);
        self.cut();
    }

    /// Every connection is closed, whatever is under way on it.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Nothing comes through, and nobody is told.
    pub fn go_dead(&self) {
        self.state.send_modify(|state| state.is_dead = true);
    }

    pub fn come_back(&self) {
        self.state.send_modify(|state| state.is_dead = false);
    }
}

async fn listen(listener: TcpListener, state: watch::Receiver<State>) {
    let mut wire = state.clone();
    loop {
        tokio::select! {
            Ok((client, _)) = listener.accept() => {
                tokio::spawn(carry(client, state.clone()));
            }
            // Returns when the wire is dropped.
            _ = wire.wait_for(|_| false) => return,
        }
    }
}

/// Until either side has closed, or the wire is cut.
async fn carry(mut client: TcpStream, mut wire: watch::Receiver<State>) {
    let State { end, cuts, .. } = *wire.borrow();
    let Some(end) = end else { return };
    let Ok(mut server) = TcpStream::connect(end).await else {
        return;
    };
    for side in [&client, &server] {
        let _ = side.set_nodelay(true);
    }
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        () = pass(from_client, to_server, wire.clone()) => {}
        () = pass(from_server, to_client, wire.clone()) => {}
        _ = wire.wait_for(|state| state.cuts > cuts) => {}
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut wire: watch::Receiver<State>,
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let _ = wire.wait_for(|state| !state.is_dead).await;
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
