//! The network cable of a database server: passes everything on until it is
//! cut, or goes dead without a word.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// Where it leads; without one, connections are closed at once.
type End = Option<SocketAddr>;

pub struct Wire {
    pub address: SocketAddr,
    end: watch::Sender<End>,
    dead: watch::Sender<bool>,
    carried: Arc<Mutex<JoinSet<()>>>,
    listening: AbortHandle,
}

impl Wire {
    pub async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let (end, dead) = (watch::Sender::new(None), watch::Sender::new(false));
        let carried = Arc::<Mutex<JoinSet<()>>>::default();
        let ends = (end.subscribe(), dead.subscribe());
        let listening = tokio::spawn(listen(listener, ends, carried.clone()));
        Self {
            address,
            end,
            dead,
            carried,
            listening: listening.abort_handle(),
        }
    }

    pub fn lead_to(&self, server: SocketAddr) {
        self.end.send_replace(Some(server));
    }

    pub fn lead_nowhere(&self) {
        self.end.send_replace(None);
        self.cut();
    }

    /// Every connection is closed, whatever is under way on it.
    pub fn cut(&self) {
        self.carried.lock().unwrap().abort_all();
    }

    /// Nothing comes through, and nobody is told.
    pub fn go_dead(&self) {
        self.dead.send_replace(true);
    }

    pub fn come_back(&self) {
        self.dead.send_replace(false);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.listening.abort();
        self.cut();
    }
}

async fn listen(
    listener: TcpListener,
    (end, dead): (watch::Receiver<End>, watch::Receiver<bool>),
    carried: Arc<Mutex<JoinSet<()>>>,
) {
    while let Ok((client, _)) = listener.accept().await {
        let (end, dead) = (*end.borrow(), dead.clone());
        let mut carried = carried.lock().unwrap();
        while carried.try_join_next().is_some() {}
        carried.spawn(async move {
            if let Some(server) = end
                && let Ok(server) = TcpStream::connect(server).await
            {
                carry(client, server, dead).await;
            }
        });
    }
}

/// Until either side has closed.
async fn carry(mut client: TcpStream, mut server: TcpStream, dead: watch::Receiver<bool>) {
    for side in [&client, &server] {
        let _ = side.set_nodelay(true);
    }
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        () = pass(from_client, to_server, dead.clone()) => {}
        () = pass(from_server, to_client, dead) => {}
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut dead: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let _ = dead.wait_for(|dead| !dead).await;
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
