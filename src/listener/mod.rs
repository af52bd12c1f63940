//! The accept loop: plain HTTP/1.1 on TCP, with limits on everything a client
//! can draw out, and a shutdown that lets requests in flight finish, those
//! included that a proxy sends before it can know.

mod date;
mod guests;
mod inherited;
mod length_lines;
mod limits;
mod networks;
mod phase;
mod stopping;
mod timed_io;

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;

use guests::{Guests, Seat};
pub use inherited::{Inherited, turn_away};
pub use limits::Limits;
pub use networks::{is_nearby, network};
use phase::Phase;
use stopping::{End, last_ones};
use timed_io::TimedIo;

/// Room for a request's header; more is answered with 431.
const HEADER_BUFFER: usize = 32 * 1024;
/// Pause after a failed accept, for example without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Connections that the system keeps for us until they are accepted; it may
/// keep fewer (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// Marks a request that says twice where its body ends.
#[derive(Debug, Clone, Copy)]
pub struct TwoLengths;

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

/// Takes a port, with a long queue before it.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart need not wait for the last connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` turns true, then waits for what is in flight, but no
/// longer than [`Limits::drain`]. Addresses in `trusted` are proxies.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: H,
    limits: Limits,
    trusted: Vec<IpNet>,
    mut stop: watch::Receiver<bool>,
) {
    let door = Door {
        guests: Guests::new(limits, trusted),
        handler,
        limits,
        unseen: stop.clone(),
    };
    let guests = &door.guests;
    loop {
        tokio::select! {
            accepted = accept(&listener, guests) => door.let_in(accepted),
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    for (stream, peer) in last_ones(listener) {
        door.let_in((stream, peer, guests.place().await));
    }
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let all_gone = guests.places.acquire_many(all);
    if timeout(limits.drain, all_gone).await.is_err() {
        tracing::warn!("stopped with requests still in flight");
    }
}

type Accepted = (TcpStream, SocketAddr, OwnedSemaphorePermit);

/// What every connection is made with.
struct Door<H> {
    guests: Arc<Guests>,
    handler: H,
    limits: Limits,
    /// Has not seen the signal to stop, whenever a connection is made.
    unseen: watch::Receiver<bool>,
}

impl<H: Handler> Door<H> {
    fn let_in(&self, (stream, peer, place): Accepted) {
        // Answers are written whole; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let phase = Phase::new(self.guests.epoch);
        let seat = self.guests.seat(peer.ip(), phase.clone());
        let id = seat.id;
        let io = TimedIo::new(stream, phase.clone(), self.limits);
        let end = End {
            stop: self.unseen.clone(),
            farewell: self.guests.farewell(peer.ip()),
        };
        let connection = connection(io, peer, self.handler.clone(), phase, end);
        let task = tokio::spawn(counted(connection, self.handler.clone(), (seat, place)));
        self.guests.started(id, task.abort_handle());
    }
}

/// The next connection that may stay. One over its address's share is closed
/// without a word: an answer would cost what the limit saves.
async fn accept(listener: &TcpListener, guests: &Guests) -> Accepted {
    loop {
        match listener.accept().await {
            Ok((_, peer)) if !guests.may_enter(peer.ip()) => {}
            Ok((stream, peer)) => return (stream, peer, guests.place().await),
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
    place: (Seat, OwnedSemaphorePermit),
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
    drop(place);
}

async fn connection<H: Handler>(io: TimedIo, peer: SocketAddr, handler: H, phase: Phase, end: End) {
    let end = &end;
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (handler, phase) = (handler.clone(), phase.clone());
        phase.handling();
        if phase.has_unknown_length() {
            mark_lengths(&mut request, &phase);
        }
        let has_body = !request.body().is_end_stream();
        async move {
            let mut response = handler.handle(request, peer).await;
            if let Some(date) = date::date() {
                response.headers_mut().insert(DATE, date);
            }
            // The body held a line that looks like a length, or a request
            // follows unasked: the next one must not pay for our doubt.
            if end.has_begun() || has_body && phase.has_unknown_length() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
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
        () = end.has_come() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// A length that is not among the request's headers was taken out by hyper,
/// because there is a transfer encoding too.
fn mark_lengths(request: &mut Request<Incoming>, phase: &Phase) {
    if request.headers().contains_key(TRANSFER_ENCODING) {
        request.extensions_mut().insert(TwoLengths);
    } else if request.headers().contains_key(CONTENT_LENGTH) {
        phase.knows_length();
    }
}
