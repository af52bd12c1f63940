//! The owner's desk, as a browser uses it: on its own listener, signed in by a link, with the same
//! store as everything else.

mod health;
mod leads;
mod mail_links;
mod newsletter;
mod numbers;
mod replies;
mod sessions;
mod site;

use std::net::SocketAddr;

use frontdoor::config::ServeArgs;
use frontdoor::domain::SecretToken;
use http::Method;
use http::header::{COOKIE, ORIGIN, SET_COOKIE};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::support::{TestApp, body_json, client, header, problem};

/// A server with a desk.
async fn app(change: impl FnOnce(&mut ServeArgs)) -> TestApp {
    TestApp::with(|args| {
        args.desk.desk_listen = Some("127.0.0.1:0".into());
        change(args);
    })
    .await
}

/// The same, and a browser that is signed in.
async fn desk(change: impl FnOnce(&mut ServeArgs)) -> (TestApp, Browser) {
    let app = app(change).await;
    let anna = Browser::signed_in(&app, "Anna").await;
    (app, anna)
}

/// A browser at the desk.
struct Browser {
    desk: SocketAddr,
    cookie: Option<String>,
}

impl Browser {
    fn new(app: &TestApp) -> Self {
        let desk = app.desk.expect("the desk is on");
        Self { desk, cookie: None }
    }

    /// One that is signed in under this name.
    async fn signed_in(app: &TestApp, name: &str) -> Self {
        let link = SecretToken::random();
        let now = app.store.now();
        app.store.add_desk_link(&link, name, now).await.unwrap();
        let mut browser = Self::new(app);
        let answer = browser.sign_in(link.as_str()).await;
        assert_eq!(answer.status(), 204);
        browser
    }

    async fn sign_in(&mut self, token: &str) -> Response {
        let answer = self.post("sign-in", json!({ "token": token })).await;
        if answer.status() == 204 {
            let cookie = header(&answer, SET_COOKIE.as_str()).split(';').next();
            self.cookie = cookie.map(str::to_owned);
        }
        answer
    }

    /// Without `Origin`, as for a link that is followed.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = client().request(method, format!("http://{}{path}", self.desk));
        match &self.cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    async fn read(&self, path: &str) -> Value {
        let answer = self.get(&format!("/api/desk/{path}")).await;
        assert_eq!(answer.status(), 200, "{path}");
        body_json(answer).await
    }

    /// As the desk's own page sends it.
    async fn send(&self, method: Method, path: &str, body: Value) -> Response {
        let request = self.request(method, &format!("/api/desk/{path}"));
        let origin = format!("http://{}", self.desk);
        request
            .header(ORIGIN, origin)
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .unwrap()
    }

    async fn post(&self, path: &str, body: Value) -> Response {
        self.send(Method::POST, path, body).await
    }

    /// What the desk says of something that was done.
    async fn done(&self, path: &str, body: Value) -> Value {
        let answer = self.post(path, body).await;
        let status = answer.status();
        let said = body_json(answer).await;
        assert_eq!(status, 200, "{path}: {said}");
        said
    }

    /// Keeps a draft that was `before` when this browser read it.
    async fn keep(&self, path: &str, text: &str, before: &str) -> (u16, String) {
        let draft = json!({ "text": text, "before": before });
        let answer = self.send(Method::PUT, path, draft).await;
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn refused(&self, path: &str, body: Value, status: u16) {
        let about = format!("{path} {body}");
        problem(self.post(path, body).await, status, about).await;
    }

    async fn mark(&self, lead: &str, state: &str) -> Value {
        let path = format!("leads/{lead}/state");
        self.done(&path, json!({ "state": state })).await
    }
}
