//! Visitors who keep sending forms during failures and record every answer, an automation that
//! records every delivery, and a comparison of both with the database at the end.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Sql, client, form_with, http_server, until};

const VISITORS: usize = 8;

/// How long a visitor waits after a form that wasn't acknowledged.
const PAUSE: Duration = Duration::from_millis(200);

/// One form in this many is sent by a double click.
const DOUBLE_CLICK: usize = 4;

/// A form and its answer.
pub struct Sent {
    pub begun: Instant,
    /// 0: there was no whole answer.
    pub status: u16,
    pub id: Option<String>,
    message: String,
}

/// Half of them send a form again, under the same key, until it is acknowledged; the others send it
/// once.
pub struct Visitors {
    sent: Arc<Mutex<Vec<Sent>>>,
    stop: watch::Sender<bool>,
    sending: JoinSet<()>,
}

impl Visitors {
    pub fn start(server: SocketAddr) -> Self {
        Self::follow(watch::channel(server).1, Duration::from_millis(50))
    }

    /// Follows the site to each new address, with this pause between two forms of a visitor.
    pub fn follow(site: watch::Receiver<SocketAddr>, pace: Duration) -> Self {
        let (stop, stopped) = watch::channel(false);
        let sent = Arc::<Mutex<Vec<Sent>>>::default();
        let visit = |number| visit(number, pace, site.clone(), stopped.clone(), sent.clone());
        let sending = (0..VISITORS).map(visit).collect();
        Self {
            sent,
            stop,
            sending,
        }
    }

    pub fn sent(&self) -> MutexGuard<'_, Vec<Sent>> {
        self.sent.lock().unwrap()
    }

    /// Waits until this many more forms are acknowledged.
    pub async fn until_acknowledged(&self, more: usize) {
        let thanked = || self.sent().iter().filter(|each| each.id.is_some()).count();
        let enough = thanked() + more;
        until("more acknowledgements", async || thanked() >= enough).await;
    }

    pub async fn stop(self) -> Vec<Sent> {
        self.stop.send_replace(true);
        self.sending.join_all().await;
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

async fn visit(
    number: usize,
    pace: Duration,
    site: watch::Receiver<SocketAddr>,
    stopped: watch::Receiver<bool>,
    sent: Arc<Mutex<Vec<Sent>>>,
) {
    for form in 0.. {
        let clicks = 1 + usize::from(form % DOUBLE_CLICK == 0);
        loop {
            let message = format!("visitor {number}, form {form}");
            let server = *site.borrow();
            let click = |_| post(server, message.clone(), true);
            let answers = (0..clicks).map(click).collect::<JoinSet<_>>();
            let answers = answers.join_all().await;
            let is_thanked = answers.iter().any(|each| each.id.is_some());
            sent.lock().unwrap().extend(answers);
            if *stopped.borrow() {
                return;
            }
            sleep(if is_thanked { pace } else { PAUSE }).await;
            if is_thanked || number.is_multiple_of(2) {
                break;
            }
        }
    }
}

pub async fn send(server: SocketAddr, message: &str) -> Sent {
    post(server, message.to_owned(), false).await
}

/// Sends some acknowledged forms again: they are acknowledged again.
pub async fn send_again(server: SocketAddr, sent: &mut Vec<Sent>) {
    let thanked = sent.iter().filter(|each| each.id.is_some());
    let messages: Vec<_> = thanked.take(50).map(|each| each.message.clone()).collect();
    for message in messages {
        let again = post(server, message, true).await;
        assert_eq!(again.status, 201);
        sent.push(again);
    }
}

async fn post(server: SocketAddr, message: String, is_keyed: bool) -> Sent {
    let begun = Instant::now();
    let mut request = client()
        .post(format!("http://{server}/api/contacts"))
        .header("content-type", "application/json")
        .body(form_with("message", &*message).to_string());
    if is_keyed {
        request = request.header("idempotency-key", &message);
    }
    let answer = async {
        let response = request.send().await?;
        Ok::<_, reqwest::Error>((response.status().as_u16(), response.text().await?))
    };
    let (status, body) = answer.await.unwrap_or_default();
    let is_expected = matches!(status, 0 | 201 | 502 | 503 | 504);
    assert!(is_expected, "{status}: {body}");
    let answer: Value = serde_json::from_str(&body).unwrap_or_default();
    Sent {
        begun,
        status,
        id: answer["id"].as_str().map(str::to_owned),
        message,
    }
}

pub fn acknowledged(sent: &[Sent]) -> HashSet<String> {
    sent.iter().filter_map(|each| each.id.clone()).collect()
}

/// How long the automation works on a delivery.
const WORK: Duration = Duration::from_millis(10);

/// One delivery in this many fails at first.
const FAILS: usize = 20;

#[derive(Default)]
pub struct Taken {
    /// The message of each delivery, by its id.
    pub accepted: HashMap<String, String>,
    /// Accepted before, sent again.
    pub repeated: usize,
    /// Sent while the same was being sent.
    pub overlapping: usize,
    failed: HashSet<String>,
    in_progress: HashSet<String>,
}

/// Starts the automation; returns its address and a record of its deliveries.
pub async fn automation() -> (String, Arc<Mutex<Taken>>) {
    let taken = Arc::<Mutex<Taken>>::default();
    let notes = taken.clone();
    let (url, _) = http_server(move |request| take(request, notes.clone())).await;
    (url, taken)
}

async fn take(request: Request<Incoming>, taken: Arc<Mutex<Taken>>) -> Response<Full<Bytes>> {
    let id = request.headers()["webhook-id"].to_str().unwrap().to_owned();
    // If the caller is killed, only a part of its call arrives.
    let Ok(body) = request.into_body().collect().await else {
        return Response::default();
    };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
    let message = body["message"].as_str().unwrap().to_owned();
    // Continues even if the caller disconnects.
    let status = tokio::spawn(async move {
        taken.lock().unwrap().begin(&id);
        tokio::time::sleep(WORK).await;
        taken.lock().unwrap().end(id, message)
    });
    let response = Response::builder().status(status.await.unwrap());
    response.body(Full::default()).unwrap()
}

impl Taken {
    fn begin(&mut self, id: &str) {
        let is_alone = self.in_progress.insert(id.to_owned());
        self.overlapping += usize::from(!is_alone);
    }

    fn end(&mut self, id: String, message: String) -> u16 {
        self.in_progress.remove(&id);
        let is_new = !self.accepted.contains_key(&id);
        let number = self.accepted.len() + self.failed.len();
        if is_new && number.is_multiple_of(FAILS) && self.failed.insert(id.clone()) {
            return 500;
        }
        self.repeated += usize::from(self.accepted.insert(id, message).is_some());
        204
    }
}

/// Prints the figures, and fails if one that must be zero isn't.
pub fn compare(database: &Sql, sent: &[Sent], taken: &Taken) {
    let rows = pairs(database, "SELECT message, id FROM contacts");
    let stored = rows.len();
    // One id for each form.
    let leads: HashMap<_, _> = rows.into_iter().collect();
    // The message of each delivery, by its id; a lead without a delivery counts as one.
    let sql = "SELECT coalesce(deliveries.id, contacts.id), message
        FROM contacts LEFT JOIN deliveries ON contact_id = contacts.id";
    let deliveries: HashMap<_, _> = pairs(database, sql).into_iter().collect();

    let named = |each: &Sent| Some((each.message.clone(), each.id.clone()?));
    let told: HashSet<_> = sent.iter().filter_map(named).collect();
    let thanked: HashSet<_> = told.iter().map(|(message, _)| message).collect();
    let lost = told
        .iter()
        .filter(|(message, id)| leads.get(message) != Some(id));
    let carried = deliveries.iter();
    let undelivered = carried.filter(|(id, message)| taken.accepted.get(*id) != Some(message));
    let accepted = taken.accepted.keys();
    let invented = accepted.filter(|id| !deliveries.contains_key(*id));
    let promises = [
        ("lost", lost.count()),
        ("doubled", stored - leads.len()),
        ("undelivered", undelivered.count()),
        ("invented", invented.count()),
        ("sent twice at a time", taken.overlapping),
        ("told another id than before", told.len() - thanked.len()),
    ];
    let mut answers = BTreeMap::<_, usize>::new();
    for each in sent {
        *answers.entry(each.status).or_default() += 1;
    }
    let left_open = leads.keys().filter(|message| !thanked.contains(message));
    println!("answers by status (0: none): {answers:?}");
    println!(
        "{} acknowledged, {stored} stored ({} of them after an answer that left it open); \
         {} deliveries accepted ({} sent again); {promises:?}",
        thanked.len(),
        left_open.count(),
        taken.accepted.len(),
        taken.repeated,
    );
    for (what, number) in promises {
        assert_eq!(number, 0, "{what}");
    }
}

fn pairs(database: &Sql, sql: &str) -> Vec<(String, String)> {
    let rows = database.rows(sql).into_iter();
    let pair = |row| <[String; 2]>::try_from(row).expect("two columns").into();
    rows.map(pair).collect()
}
