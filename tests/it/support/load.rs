//! Visitors who send forms through every failure and remember every answer, the owner's
//! automation, which remembers every delivery, and what must hold between the two and the
//! database in the end. [`Visitors`] are simpler: they send one form after the other.
//!
//! Of the others some have a script that sends the same form again under the same key until it is
//! thanked for. The rest have plain forms: they send once, and leave if that fails. Now and then
//! one of them clicks twice.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use reqwest::RequestBuilder;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{Sql, body_json, client, fields_with, form_with, http_server, until, urlencoded};

const WITH_SCRIPT: usize = 6;
const PLAIN: usize = 4;

/// How long a script waits before it sends again.
const PAUSE: Duration = Duration::from_millis(200);

/// One form in so many is clicked twice.
const DOUBLE_CLICK: usize = 4;

/// What visitors remember.
#[derive(Default)]
pub struct Memory {
    /// The ids that scripts were answered, by the words of their forms.
    pub keyed: HashMap<String, String>,
    /// Scripts that were answered two ids for one form.
    pub contradicted: usize,
    /// The words of plain forms, and whether the visitor was thanked.
    pub plain: HashMap<String, bool>,
    /// How often each answer came; 0: none at all.
    pub answers: BTreeMap<u16, usize>,
    thanked: usize,
}

impl Memory {
    /// How many forms were not answered with thanks.
    pub fn troubles(&self) -> usize {
        self.answers.values().sum::<usize>() - self.thanked
    }
}

pub struct Load {
    site: watch::Receiver<SocketAddr>,
    /// Between the forms of one visitor.
    pace: Duration,
    memory: Mutex<Memory>,
    is_over: AtomicBool,
}

impl Load {
    pub fn start(site: watch::Receiver<SocketAddr>, pace: Duration) -> (Arc<Self>, JoinSet<()>) {
        let load = Arc::new(Self {
            site,
            pace,
            memory: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let visitors = 0..WITH_SCRIPT + PLAIN;
        let sending = visitors.map(|number| load.clone().send(number)).collect();
        (load, sending)
    }

    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }

    /// Until so many more have been thanked.
    pub async fn until_thanked(&self, more: usize) {
        let enough = self.memory().thanked + more;
        let are_enough = async || self.memory().thanked >= enough;
        until("more thanks", are_enough).await;
    }

    /// Visitors finish the forms that they have begun.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Some scripts send again what they were thanked for, and are told the same.
    pub async fn send_again(&self) {
        let thanked = self.memory().keyed.clone();
        for (words, first) in thanked.into_iter().take(50) {
            let again = id(&answer(self.keyed(&words)).await);
            self.memory().contradicted += usize::from(again != Some(first));
        }
    }

    /// What one visitor does.
    async fn send(self: Arc<Self>, number: usize) {
        let mut pace = interval(self.pace);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for form in 0.. {
            pace.tick().await;
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            let words = format!("visitor {number}, form {form}");
            let clicks = 1 + usize::from(form % DOUBLE_CLICK == 0);
            match number {
                ..WITH_SCRIPT => self.send_until_thanked(words, clicks).await,
                _ => self.send_once(words, clicks).await,
            }
        }
    }

    async fn send_until_thanked(&self, words: String, clicks: usize) {
        loop {
            let answers = self.click(clicks, || self.keyed(&words)).await;
            let mut ids: Vec<_> = answers.iter().filter_map(id).collect();
            ids.dedup();
            if let [first, others @ ..] = &*ids {
                let mut memory = self.memory();
                memory.contradicted += others.len();
                memory.keyed.insert(words, first.clone());
                return;
            }
            sleep(PAUSE).await;
        }
    }

    async fn send_once(&self, words: String, clicks: usize) {
        let answers = self.click(clicks, || self.plain(&words)).await;
        let thanked = answers.iter().any(|(status, _)| *status == 303);
        self.memory().plain.insert(words, thanked);
    }

    /// So often at once.
    async fn click(&self, clicks: usize, form: impl Fn() -> RequestBuilder) -> Vec<Answer> {
        let sent: JoinSet<_> = (0..clicks).map(|_| answer(form())).collect();
        let answers = sent.join_all().await;
        let mut memory = self.memory();
        for (status, _) in &answers {
            *memory.answers.entry(*status).or_default() += 1;
            memory.thanked += usize::from(matches!(status, 201 | 303));
        }
        answers
    }

    fn keyed(&self, words: &str) -> RequestBuilder {
        let body = form_with("message", words).to_string();
        self.post("application/json", body)
            .header("idempotency-key", words)
    }

    fn plain(&self, words: &str) -> RequestBuilder {
        let body = urlencoded(&fields_with(&[("message", words)]));
        self.post("application/x-www-form-urlencoded", body)
    }

    fn post(&self, kind: &str, body: String) -> RequestBuilder {
        let url = format!("http://{}/api/contacts", *self.site.borrow());
        client().post(url).header("content-type", kind).body(body)
    }
}

/// Status and body; 0 when there is no whole answer.
type Answer = (u16, String);

/// Of the lead that a script is thanked for.
fn id((status, body): &Answer) -> Option<String> {
    let answer: Value = (*status == 201).then(|| serde_json::from_str(body).unwrap())?;
    answer["id"].as_str().map(str::to_owned)
}

async fn answer(request: RequestBuilder) -> Answer {
    let Ok(response) = request.send().await else {
        return (0, String::new());
    };
    let status = response.status().as_u16();
    let Ok(body) = response.text().await else {
        return (0, String::new());
    };
    let is_expected = matches!(status, 201 | 303 | 502 | 503 | 504);
    assert!(is_expected, "{status}: {body}");
    (status, body)
}

/// How long its work on a delivery takes.
const WORK: Duration = Duration::from_millis(10);

/// One delivery in so many fails at first.
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

/// The automation's address, and what it takes from now on.
pub async fn automation() -> (String, Arc<Mutex<Taken>>) {
    let taken = Arc::<Mutex<Taken>>::default();
    let notes = taken.clone();
    let (url, _) = http_server(move |request| take(request, notes.clone())).await;
    (url, taken)
}

async fn take(request: Request<Incoming>, taken: Arc<Mutex<Taken>>) -> Response<Full<Bytes>> {
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

/// Prints the figures; those that are promises must be none.
pub fn compare(database: &Sql, visitors: &Memory, taken: &Taken) {
    let rows = pairs(database, "SELECT message, id FROM contacts");
    let stored = rows.len();
    // One id of each form.
    let leads: HashMap<_, _> = rows.into_iter().collect();
    // Their ids, and the words they carry; a lead that has none counts as one.
    let sql = "SELECT coalesce(deliveries.id, contacts.id), message
        FROM contacts LEFT JOIN deliveries ON contact_id = contacts.id";
    let deliveries: HashMap<_, _> = pairs(database, sql).into_iter().collect();

    let keyed = visitors.keyed.iter();
    let lost_keyed = keyed.filter(|(words, id)| leads.get(*words) != Some(id));
    let plain = |thanked: bool, is_stored: bool| {
        let forms = visitors.plain.iter();
        let is_meant =
            |form: &(&String, &bool)| *form.1 == thanked && leads.contains_key(form.0) == is_stored;
        forms.filter(is_meant).count()
    };
    let sent = deliveries.iter();
    let undelivered = sent.filter(|(id, words)| taken.accepted.get(*id) != Some(words));
    let accepted = taken.accepted.keys();
    let invented = accepted.filter(|id| !deliveries.contains_key(*id));
    let promises = [
        ("lost", lost_keyed.count() + plain(true, false)),
        ("doubled", stored - leads.len()),
        ("undelivered", undelivered.count()),
        ("invented", invented.count()),
        ("sent twice at a time", taken.overlapping),
        ("told another id than before", visitors.contradicted),
    ];
    println!("answers by status (0: none): {:?}", visitors.answers);
    println!(
        "{} acknowledged, {stored} stored ({} of them after an answer that left it open); \
         {} deliveries accepted ({} sent again); {}",
        visitors.keyed.len() + plain(true, true) + plain(true, false),
        plain(false, true),
        taken.accepted.len(),
        taken.repeated,
        promises
            .map(|(what, number)| format!("{number} {what}"))
            .join(", "),
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

const CLIENTS: usize = 6;

/// A form and its answer.
pub struct Sent {
    pub status: u16,
    pub id: Option<String>,
    /// Begun after [`Visitors::mark`].
    pub is_marked: bool,
}

pub struct Visitors {
    stop: watch::Sender<bool>,
    is_marked: Arc<AtomicBool>,
    sending: JoinSet<Vec<Sent>>,
}

impl Visitors {
    pub fn start(server: SocketAddr) -> Self {
        let (stop, stopped) = watch::channel(false);
        let is_marked = Arc::<AtomicBool>::default();
        let mut sending = JoinSet::new();
        for _ in 0..CLIENTS {
            let (stopped, is_marked) = (stopped.clone(), is_marked.clone());
            sending.spawn(async move {
                let mut all = Vec::new();
                while !*stopped.borrow() {
                    let is_marked = is_marked.load(Ordering::SeqCst);
                    let sent = send(server, "Hello").await;
                    all.push(Sent { is_marked, ..sent });
                }
                all
            });
        }
        Self {
            stop,
            is_marked,
            sending,
        }
    }

    pub fn mark(&self) {
        self.is_marked.store(true, Ordering::SeqCst);
    }

    pub async fn stop(self) -> Vec<Sent> {
        self.stop.send_replace(true);
        self.sending
            .join_all()
            .await
            .into_iter()
            .flatten()
            .collect()
    }
}

pub async fn send(server: SocketAddr, message: &str) -> Sent {
    let request = client()
        .post(format!("http://{server}/api/contacts"))
        .header("content-type", "application/json")
        .body(form_with("message", message).to_string());
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let answer = body_json(response).await;
    Sent {
        status,
        id: answer["id"].as_str().map(str::to_owned),
        is_marked: false,
    }
}

pub fn acknowledged(sent: &[Sent]) -> HashSet<String> {
    sent.iter().filter_map(|each| each.id.clone()).collect()
}
