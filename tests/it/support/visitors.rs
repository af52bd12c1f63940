//! Visitors who send forms one after the other and remember every answer.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

const CLIENTS: usize = 6;

/// One form and what became of it.
pub struct Sent {
    pub began: Instant,
    pub status: u16,
    pub id: Option<String>,
}

pub struct Visitors {
    stop: watch::Sender<bool>,
    sending: JoinSet<Vec<Sent>>,
}

impl Visitors {
    pub fn start(server: SocketAddr) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut sending = JoinSet::new();
        for _ in 0..CLIENTS {
            let (stopped, client) = (stopped.clone(), client());
            sending.spawn(async move {
                let mut sent = Vec::new();
                while !*stopped.borrow() {
                    sent.push(send(&client, server, "Hello").await);
                }
                sent
            });
        }
        Self { stop, sending }
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

/// All share one: making it is slow.
pub fn client() -> Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(new_client).clone()
}

fn new_client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(20));
    client.build().unwrap()
}

pub async fn send(client: &Client, server: SocketAddr, message: &str) -> Sent {
    let began = Instant::now();
    let body = json!({ "name": "Ada", "email": "ada@example.org", "message": message });
    let request = client
        .post(format!("http://{server}/api/contacts"))
        .header("content-type", "application/json");
    let response = request.body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    let answer: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    let id = (status == 201).then(|| answer["id"].as_str().unwrap().to_owned());
    Sent { began, status, id }
}

/// Asks until the answer is as wanted: a condition, not a pause.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < Duration::from_secs(20), "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Status and text of a health check.
pub async fn ready(ops: SocketAddr) -> (u16, String) {
    let url = format!("http://{ops}/readyz");
    let response = client().get(url).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// The ids in a database file, read past the program.
pub fn stored(database: &Path) -> HashSet<String> {
    let db = rusqlite::Connection::open(database).unwrap();
    let verdict: String = db
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok", "{}", database.display());
    let mut query = db.prepare("SELECT id FROM contacts").unwrap();
    let ids = query.query_map([], |row| row.get(0)).unwrap();
    ids.map(Result::unwrap).collect()
}

pub fn acknowledged(sent: &[Sent]) -> HashSet<String> {
    sent.iter().filter_map(|each| each.id.clone()).collect()
}
