//! How connections come to an end when the server does.
//!
//! A proxy keeps connections for the next visitors. If it had to learn of the
//! stop from a connection that closes, it might have sent a form on it at that
//! very moment; and as nobody can tell whether that was stored, it must not send
//! it to somebody else. So it is told in an answer, and heard until then.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// When a connection has to come to an end.
pub struct End {
    /// Its clones wait for the signal; this one never sees it.
    pub stop: watch::Receiver<bool>,
    /// For so long after the signal a request may still begin.
    pub farewell: Duration,
}

impl End {
    /// Asked for every answer, and costs one atomic.
    pub fn has_begun(&self) -> bool {
        self.stop.has_changed().unwrap_or(true)
    }

    /// Returns when no more request is waited for.
    pub async fn has_come(&self) {
        let mut stop = self.stop.clone();
        let _ = stop.wait_for(|stop| *stop).await;
        tokio::time::sleep(self.farewell).await;
    }
}

/// Closes the port, behind all whom the system has let in for us: they may have
/// sent already.
pub fn last_ones(listener: TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    let listener = listener.into_std().ok();
    std::iter::from_fn(move || {
        let (stream, peer) = listener.as_ref()?.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    })
}
