//! Visitors who send forms one after the other and remember every answer.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{body_json, client};
use super::data::form_with;

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
