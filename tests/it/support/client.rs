//! How tests speak HTTP.

use std::fmt::Display;
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

/// What a program is told of a failure: its body, which has the status too.
pub async fn problem(response: Response, status: u16, about: impl Display) -> Value {
    assert_eq!(response.status(), status, "{about}");
    let kind = header(&response, "content-type");
    assert_eq!(kind, "application/problem+json", "{about}");
    let problem = body_json(response).await;
    assert_eq!(problem["status"], status, "{about}");
    assert!(!problem["title"].as_str().unwrap().is_empty(), "{about}");
    problem
}

pub async fn metrics(ops: SocketAddr) -> String {
    let answer = client().get(format!("http://{ops}/metrics")).send().await;
    answer.unwrap().text().await.unwrap()
}

/// Status and text of a health check.
pub async fn ready(ops: SocketAddr) -> (u16, String) {
    let url = format!("http://{ops}/readyz");
    let response = client().get(url).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}
