//! The owner's automation: takes each delivery once, whatever is sent again,
//! and notices when one is sent twice at a time.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// What it does with a delivery takes so long.
const WORK: Duration = Duration::from_millis(10);

/// One delivery in so many fails at its first attempt.
const FAILS: usize = 20;

#[derive(Default, Clone)]
pub struct Taken {
    /// The words of each delivery by its id.
    pub accepted: HashMap<String, String>,
    /// Accepted before, sent again.
    pub repeated: usize,
    /// Sent while the same was being sent.
    pub overlapping: usize,
    failed: HashSet<String>,
    in_hand: HashMap<String, usize>,
}

pub struct Automation {
    pub url: String,
    taken: Arc<Mutex<Taken>>,
    server: AbortHandle,
}

impl Automation {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let taken = Arc::<Mutex<Taken>>::default();
        let notes = taken.clone();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let notes = notes.clone();
                let service = service_fn(move |request| answer(request, notes.clone()));
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(async move { connection.await.ok() });
            }
        });
        Self {
            url,
            taken,
            server: server.abort_handle(),
        }
    }

    pub fn taken(&self) -> Taken {
        self.taken.lock().unwrap().clone()
    }
}

impl Drop for Automation {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    taken: Arc<Mutex<Taken>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let id = request.headers()["webhook-id"].to_str().unwrap().to_owned();
    // A caller that is killed in the middle of a call leaves half of one.
    let Ok(body) = request.into_body().collect().await else {
        return Ok(Response::default());
    };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
    let words = body["message"].as_str().unwrap().to_owned();
    // It goes on with its work when the caller is gone.
    let status = tokio::spawn(async move {
        taken.lock().unwrap().begin(&id);
        tokio::time::sleep(WORK).await;
        taken.lock().unwrap().end(id, words)
    });
    let response = Response::builder().status(status.await.unwrap());
    Ok(response.body(Full::default()).unwrap())
}

impl Taken {
    fn begin(&mut self, id: &str) {
        let in_hand = self.in_hand.entry(id.to_owned()).or_default();
        *in_hand += 1;
        self.overlapping += usize::from(*in_hand > 1);
    }

    fn end(&mut self, id: String, words: String) -> u16 {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            *in_hand -= 1;
        }
        let is_new = !self.accepted.contains_key(&id);
        let number = self.accepted.len() + self.failed.len();
        if is_new && number.is_multiple_of(FAILS) && self.failed.insert(id.clone()) {
            return 500;
        }
        if self.accepted.insert(id, words).is_some() {
            self.repeated += 1;
        }
        204
    }
}
