//! An HTTP receiver that records its calls.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::TIMEOUT;

#[derive(Clone)]
pub struct Call {
    pub headers: HeaderMap,
    pub body: String,
}

impl Call {
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// What to answer to the call with this number, counted from 0.
type Script = dyn Fn(usize) -> Answer + Send + Sync;

pub enum Answer {
    Status(u16),
    Header(u16, &'static str, String),
    /// Answers 204, but not before the gate is opened.
    AtGate(watch::Receiver<bool>),
}

pub struct Receiver {
    pub url: String,
    calls: watch::Sender<Vec<Call>>,
    server: AbortHandle,
}

impl Receiver {
    pub async fn start(script: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let calls = watch::Sender::<Vec<Call>>::default();
        let (log, script): (_, Arc<Script>) = (calls.clone(), Arc::new(script));
        let answering = move |request| answer(request, log.clone(), script.clone());
        let (url, server) = http_server(answering).await;
        Self { url, calls, server }
    }

    pub async fn accepting() -> Self {
        Self::start(|_| Answer::Status(204)).await
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.borrow().clone()
    }

    /// Waits until this many calls have arrived.
    pub async fn wait_for_calls(&self, number: usize) {
        let mut calls = self.calls.subscribe();
        let arrived = timeout(TIMEOUT, calls.wait_for(|calls| calls.len() >= number));
        arrived.await.expect("calls in time").unwrap();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Starts an HTTP server; returns its address and a handle that stops it.
pub async fn http_server<R>(
    answer: impl Fn(Request<Incoming>) -> R + Clone + Send + 'static,
) -> (String, AbortHandle)
where
    R: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answered = answer(request);
                async { Ok::<_, Infallible>(answered.await) }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move { connection.await.ok() });
        }
    });
    (url, server.abort_handle())
}

async fn answer(
    request: Request<Incoming>,
    log: watch::Sender<Vec<Call>>,
    script: Arc<Script>,
) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let call = Call {
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let mut number = 0;
    log.send_modify(|calls| {
        number = calls.len();
        calls.push(call);
    });
    let response = Response::builder();
    let response = match script(number) {
        Answer::Status(status) => response.status(status),
        Answer::Header(status, name, value) => response.status(status).header(name, value),
        Answer::AtGate(mut gate) => {
            gate.wait_for(|open| *open).await.unwrap();
            response.status(204)
        }
    };
    response.body(Full::default()).unwrap()
}
