//! The accept loop: plain HTTP/1.1 over TCP, with a limit on every resource a client can use, and a
//! graceful shutdown.
//!
//! hyper's header timeout starts when it begins to wait for a request, so it covers silent
//! connections, half-sent headers and idle keep-alive. Handlers limit the time for reading a body.
//! The kernel closes connections whose client reads none of its response (`TCP_USER_TIMEOUT`).

mod connections;
mod sockets;

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use connections::ConnectionGuard;
pub use connections::{Connections, Limits, is_nearby, network};
pub use sockets::{Inherited, listen};

/// The largest request header; a larger one gets a 431.
const HEADER_SIZE: usize = 32 * 1024;
/// The pause after a failed accept, for example when file descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers requests. Cloned for each connection.
pub trait Handler: Clone + Send + Sync + 'static {
    type Body: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static;

    fn handle(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// Serves until `stop` turns true, then waits for requests in flight, at most [`Limits::drain`].
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: H,
    connections: Arc<Connections>,
    stop: watch::Receiver<bool>,
) {
    let start = async |stream: TcpStream, peer: SocketAddr| {
        if let Some(guard) = connections.admit(peer.ip()).await {
            let connection = Connection {
                handler: handler.clone(),
                guard,
                peer,
                stop: stop.clone(),
            };
            tokio::spawn(connection.serve(stream));
        }
    };
    let accept = async || match listener.accept().await {
        Ok((stream, peer)) => start(stream, peer).await,
        Err(error) => {
            tracing::warn!(%error, "can't accept connections for now: visitors wait");
            sleep(ACCEPT_PAUSE).await;
        }
    };
    let mut stopping = stop.clone();
    loop {
        tokio::select! {
            () = accept() => {}
            _ = stopping.wait_for(|stop| *stop) => break,
        }
    }
    // The kernel has already accepted these connections, and their clients may have sent a request.
    if let Ok(listener) = listener.into_std() {
        while let Ok((stream, peer)) = listener.accept() {
            let stream = stream.set_nonblocking(true).map(|()| stream);
            if let Ok(stream) = stream.and_then(TcpStream::from_std) {
                start(stream, peer).await;
            }
        }
    }
    if timeout(connections.limits.drain, connections.all_closed())
        .await
        .is_err()
    {
        tracing::warn!("stopped with requests still in flight: they were cut off");
    }
}

struct Connection<H> {
    handler: H,
    guard: ConnectionGuard,
    peer: SocketAddr,
    stop: watch::Receiver<bool>,
}

impl<H: Handler> Connection<H> {
    async fn serve(self, stream: TcpStream) {
        let connections = &self.guard.connections;
        // Responses are written whole; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let stall = connections.limits.write_stall.as_millis();
        let _ = set_tcp_user_timeout(&stream, u32::try_from(stall).unwrap_or(u32::MAX));
        let service = service_fn(|request| self.answer(request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(connections.limits.header)
            .max_header_size(HEADER_SIZE)
            .max_buf_size(HEADER_SIZE)
            .serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let stopped = async {
            let _ = self.stop.clone().wait_for(|stop| *stop).await;
            sleep(connections.grace(self.peer.ip())).await;
        };
        // Errors here are the client's: disconnected, too slow, or not speaking HTTP.
        tokio::select! {
            biased; // A finished response is written before an eviction takes effect.
            _ = connection.as_mut() => return,
            () = self.guard.evicted() => return,
            () = stopped => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<H::Body>, Infallible> {
        // hyper drops a `Content-Length` sent along with chunks. A client that sends both may be
        // smuggling a request past a proxy, so nothing after this body is read as a request.
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        if !self.guard.begin_request() {
            // The connection is about to be closed; this request isn't handled.
            std::future::pending::<()>().await;
        }
        let mut response = self.handler.handle(request, self.peer).await;
        self.guard.end_request();
        if is_chunked || *self.stop.borrow() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response)
    }
}
