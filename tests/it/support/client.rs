//! How tests speak HTTP.

use std::net::SocketAddr;
use std::sync::OnceLock;

use reqwest::{Client, Response};
use serde_json::Value;

use super::wait::PATIENCE;

/// All share one: making it is slow.
pub fn client() -> Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(new_client).clone()
}

fn new_client() -> Client {
    // Plain HTTP only, but the client wants a TLS library all the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .unwrap()
}

pub async fn body_json(response: Response) -> Value {
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

pub fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

/// Status and text of a health check.
pub async fn ready(ops: SocketAddr) -> (u16, String) {
    let url = format!("http://{ops}/readyz");
    let response = client().get(url).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}
