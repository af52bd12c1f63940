//! Visitors who send forms through whatever happens, and remember every
//! answer.
//!
//! Some have a script that sends the same again under the same key until
//! there is a "Thank you". The others have plain forms: once, and when it
//! fails they leave. Now and then one of them clicks twice.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::support::client::client;
use crate::support::data::{fields_with, form_with, urlencoded};
use crate::support::long;
use crate::support::wait::until;

const WITH_SCRIPT: usize = 6;
const PLAIN: usize = 4;

/// Between the forms of one visitor: the machine is also there for the servers,
/// and in the short form for other tests.
const PACE: Duration = Duration::from_millis(80);
const SHORT_PACE: Duration = Duration::from_millis(250);

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
    thanked: Vec<Instant>,
}

impl Memory {
    fn note(&mut self, status: u16) {
        *self.answers.entry(status).or_default() += 1;
        if matches!(status, 201 | 303) {
            self.thanked.push(Instant::now());
        }
    }

    fn troubles(&self) -> usize {
        let all: usize = self.answers.values().sum();
        all - self.thanked.len()
    }
}

/// A time without the database.
pub struct Outage {
    /// From here on nobody can have been thanked for what came before it.
    pub seen: Instant,
    /// The database's own word.
    pub over: Instant,
}

pub struct Load {
    memory: Arc<Mutex<Memory>>,
    stop: watch::Sender<bool>,
    visitors: JoinSet<()>,
}

impl Load {
    pub fn start(site: SocketAddr) -> Self {
        let mut load = Self {
            memory: Arc::default(),
            stop: watch::Sender::new(false),
            visitors: JoinSet::new(),
        };
        for number in 0..WITH_SCRIPT + PLAIN {
            let visitor = Visitor {
                site,
                memory: load.memory.clone(),
            };
            let stop = load.stop.subscribe();
            load.visitors.spawn(visitor.send_until(stop, number));
        }
        load
    }

    /// Until so many more have been thanked.
    pub async fn until_thanked(&self, more: usize) {
        let enough = self.memory.lock().unwrap().thanked.len() + more;
        until("more thanks", async || {
            self.memory.lock().unwrap().thanked.len() >= enough
        })
        .await;
    }

    /// How long after the database's return somebody was thanked again, and how
    /// long nobody had been.
    pub async fn recovery(&self, outage: &Outage) -> (Duration, Duration) {
        let first = async || {
            let memory = self.memory.lock().unwrap();
            let mut thanked = memory.thanked.iter();
            thanked.find(|time| **time > outage.seen).copied()
        };
        until("somebody thanked again", async || first().await.is_some()).await;
        let first = first().await.unwrap();
        let memory = self.memory.lock().unwrap();
        let before = memory.thanked.iter().rfind(|time| **time < first);
        let after = first.saturating_duration_since(outage.over);
        (after, before.map_or(after, |before| first - *before))
    }

    /// Forms that are on their way are finished.
    pub async fn stop(self) -> Memory {
        self.stop.send_replace(true);
        self.visitors.join_all().await;
        std::mem::take(&mut self.memory.lock().unwrap())
    }

    /// The id that a script is answered that sends these words again.
    pub async fn send_again(site: SocketAddr, words: &str) -> Option<String> {
        id(&answer(keyed(site, words)).await)
    }

    /// How many forms were not answered with thanks so far.
    pub fn troubles(&self) -> usize {
        self.memory.lock().unwrap().troubles()
    }
}

struct Visitor {
    site: SocketAddr,
    memory: Arc<Mutex<Memory>>,
}

impl Visitor {
    async fn send_until(self, stop: watch::Receiver<bool>, number: usize) {
        let mut pace = interval(long::or_short(PACE, SHORT_PACE));
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for form in 0.. {
            pace.tick().await;
            if *stop.borrow() {
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
            let answers = self.click(clicks, || keyed(self.site, &words)).await;
            let mut ids: Vec<_> = answers.iter().filter_map(id).collect();
            ids.dedup();
            if let [first, others @ ..] = &*ids {
                let mut memory = self.memory.lock().unwrap();
                memory.contradicted += others.len();
                memory.keyed.insert(words, first.clone());
                return;
            }
            sleep(PAUSE).await;
        }
    }

    async fn send_once(&self, words: String, clicks: usize) {
        let answers = self.click(clicks, || plain(self.site, &words)).await;
        let thanked = answers.iter().any(|(status, _)| *status == 303);
        self.memory.lock().unwrap().plain.insert(words, thanked);
    }

    /// So often at once.
    async fn click(&self, clicks: usize, form: impl Fn() -> RequestBuilder) -> Vec<Answer> {
        let sent: JoinSet<_> = (0..clicks).map(|_| answer(form())).collect();
        let answers = sent.join_all().await;
        let mut memory = self.memory.lock().unwrap();
        answers.iter().for_each(|(status, _)| memory.note(*status));
        answers
    }
}

fn keyed(site: SocketAddr, words: &str) -> RequestBuilder {
    client()
        .post(format!("http://{site}/api/contacts"))
        .header("content-type", "application/json")
        .header("idempotency-key", words)
        .body(form_with("message", words).to_string())
}

fn plain(site: SocketAddr, words: &str) -> RequestBuilder {
    client()
        .post(format!("http://{site}/api/contacts"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(urlencoded(&fields_with(&[("message", words)])))
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
    let is_expected = matches!(status, 201 | 303 | 502 | 503 | 504);
    let Ok(body) = response.text().await else {
        return (0, String::new());
    };
    assert!(is_expected, "{status}: {body}");
    (status, body)
}
