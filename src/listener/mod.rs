//! The accept loop: plain HTTP/1.1 on TCP, with limits on everything a client
//! can draw out, and a shutdown that lets requests in flight finish.

mod date;
mod limits;
mod timed_io;

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::DATE;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

pub use limits::Limits;
use timed_io::{Phase, TimedIo};

/// Room for a request's header; more is answered with 431.
const HEADER_BUFFER: usize = 32 * 1024;
/// Pause after a failed accept, for example without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers requests. Cloned once for each connection.
pub trait Handler: Clone + Send + Sync + 'static {
    type Body: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static;

    fn handle(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Self::Body>> + Send;

    /// A connection was opened (+1) or closed (-1).
    fn connections_changed(&self, by: i64);
}

/// Serves until `stop` turns true, then waits for what is in flight, but no
/// longer than [`Limits::drain`].
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: H,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(limits.connections));
    loop {
        // At the cap nothing is accepted: newcomers wait in the system's
        // queue until a connection ends, which the limits guarantee.
        let accepted = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, peer, permit) = accepted;
        let connection = connection(stream, peer, handler.clone(), limits, stop.clone());
        tokio::spawn(counted(connection, handler.clone(), permit));
    }
    drop(listener);
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    if timeout(limits.drain, room.acquire_many(all)).await.is_err() {
        tracing::warn!("stopped with requests still in flight");
    }
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    loop {
        let permit = room.clone().acquire_owned().await;
        let permit = permit.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, permit),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn counted<H: Handler>(
    connection: impl Future<Output = ()>,
    handler: H,
    permit: OwnedSemaphorePermit,
) {
    /// Counts down even when a handler panics.
    struct Open<H: Handler>(H);
    impl<H: Handler> Drop for Open<H> {
        fn drop(&mut self) {
            self.0.connections_changed(-1);
        }
    }
    handler.connections_changed(1);
    let open = Open(handler);
    connection.await;
    drop(open);
    drop(permit);
}

async fn connection<H: Handler>(
    stream: TcpStream,
    peer: SocketAddr,
    handler: H,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let phase = Phase::default();
    let io = TimedIo::new(stream, phase.clone(), limits);
    let service = service_fn(move |request| {
        let (handler, phase) = (handler.clone(), phase.clone());
        phase.handling();
        async move {
            let mut response = handler.handle(request, peer).await;
            if let Some(date) = date::date() {
                response.headers_mut().insert(DATE, date);
            }
            phase.answered();
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .max_buf_size(HEADER_BUFFER)
        // Our own clock does this, also where hyper's does not look.
        .header_read_timeout(None)
        .serve_connection(io, service);
    tokio::pin!(connection);
    // An error here is the client's: gone, too slow, or not speaking HTTP.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
