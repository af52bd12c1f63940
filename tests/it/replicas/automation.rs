//! The owner's automation: takes each delivery once, whatever is sent again,
//! and notices when one is sent twice at a time.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::Value;

use crate::support::receiver::serve;

/// What it does with a delivery takes so long.
const WORK: Duration = Duration::from_millis(10);

/// One delivery in so many fails at its first attempt.
const FAILS: usize = 20;

#[derive(Default)]
pub struct Taken {
    /// The words of each delivery by its id.
    pub accepted: HashMap<String, String>,
    /// Accepted before, sent again.
    pub repeated: usize,
    /// Sent while the same was being sent.
    pub overlapping: usize,
    failed: HashSet<String>,
    in_hand: HashSet<String>,
}

/// Its address, and what it takes from now on.
pub async fn start() -> (String, Arc<Mutex<Taken>>) {
    let taken = Arc::<Mutex<Taken>>::default();
    let notes = taken.clone();
    let (url, _) = serve(move |request| answer(request, notes.clone())).await;
    (url, taken)
}

async fn answer(request: Request<Incoming>, taken: Arc<Mutex<Taken>>) -> Response<Full<Bytes>> {
    let id = request.headers()["webhook-id"].to_str().unwrap().to_owned();
    // A caller that is killed in the middle of a call leaves half of one.
    let Ok(body) = request.into_body().collect().await else {
        return Response::default();
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
    response.body(Full::default()).unwrap()
}

impl Taken {
    fn begin(&mut self, id: &str) {
        let is_alone = self.in_hand.insert(id.to_owned());
        self.overlapping += usize::from(!is_alone);
    }

    fn end(&mut self, id: String, words: String) -> u16 {
        self.in_hand.remove(&id);
        let is_new = !self.accepted.contains_key(&id);
        let number = self.accepted.len() + self.failed.len();
        if is_new && number.is_multiple_of(FAILS) && self.failed.insert(id.clone()) {
            return 500;
        }
        self.repeated += usize::from(self.accepted.insert(id, words).is_some());
        204
    }
}
