//! Visitors who send forms one after the other and remember every answer.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Instant;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{body_json, client};
use super::data::form_with;

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
            let stopped = stopped.clone();
            sending.spawn(async move {
                let mut sent = Vec::new();
                while !*stopped.borrow() {
                    sent.push(send(server, "Hello").await);
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

pub async fn send(server: SocketAddr, message: &str) -> Sent {
    let began = Instant::now();
    let request = client()
        .post(format!("http://{server}/api/contacts"))
        .header("content-type", "application/json")
        .body(form_with("message", message).to_string());
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let answer = body_json(response).await;
    let id = (status == 201).then(|| answer["id"].as_str().unwrap().to_owned());
    Sent { began, status, id }
}

pub fn acknowledged(sent: &[Sent]) -> HashSet<String> {
    sent.iter().filter_map(|each| each.id.clone()).collect()
}
