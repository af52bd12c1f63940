//! A running server for one test, and ways to talk to it and to others.

use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::LazyLock;

use frontdoor::config::{ServeArgs, Settings};
use frontdoor::listener::{Inherited, Limits};
use frontdoor::server::Server;
use frontdoor::store::{ActionOutcome, Delivery, Lead, LeadAction, LeadState, Store};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Database, Sql, TIMEOUT, until, urlencoded};

/// The release that `make web-for-tests` built.
pub fn site() -> &'static [u8] {
    std::fs::read(concat!(env!("FRONTDOOR_WEB_DIST"), "/site.pack"))
        .unwrap()
        .leak()
}

pub struct TestApp {
    pub address: SocketAddr,
    pub ops: SocketAddr,
    /// `None` unless the test turns it on.
    pub desk: Option<SocketAddr>,
    pub store: Store,
    stop: watch::Sender<bool>,
    done: JoinHandle<()>,
    database: Database,
}

impl TestApp {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut ServeArgs)) -> Self {
        Self::with_limits(change, Limits::default()).await
    }

    pub async fn with_limits(change: impl FnOnce(&mut ServeArgs), limits: Limits) -> Self {
        let database = Database::with_tables().await;
        let server = bind(&database, change, limits).await;
        let (address, ops) = (server.address(), server.ops_address().unwrap());
        let (desk, store) = (server.desk_address(), server.store());
        let (stop, stopped) = watch::channel(false);
        Self {
            address,
            ops,
            desk,
            store,
            stop,
            done: tokio::spawn(server.run(stopped)),
            database,
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        client().request(method, url)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    /// The value of a metric.
    pub async fn metric(&self, name: &str) -> f64 {
        let text = metrics(self.ops).await;
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.expect(name).parse().unwrap()
    }

    pub async fn get_ops(&self, path: &str) -> Response {
        let url = format!("http://{}{path}", self.ops);
        client().get(url).send().await.unwrap()
    }

    pub fn post_json(&self, body: &Value) -> RequestBuilder {
        self.request(Method::POST, "/api/contacts")
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    pub async fn send(&self, form: &Value) -> Response {
        self.post_json(form).send().await.unwrap()
    }

    pub fn post_form(&self, fields: &[(&str, &str)]) -> RequestBuilder {
        self.request(Method::POST, "/api/contacts")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(urlencoded(fields))
    }

    pub async fn send_form(&self, fields: &[(&str, &str)]) -> Response {
        self.post_form(fields).send().await.unwrap()
    }

    /// Sends a form and returns its lead's id.
    pub async fn add(&self, form: &Value) -> String {
        let answer = body_json(self.send(form).await).await;
        answer["id"].as_str().unwrap().to_owned()
    }

    pub async fn lead(&self, id: &str) -> Lead {
        self.store.lead(id).await.unwrap().unwrap()
    }

    pub async fn mark(&self, id: &str, state: LeadState) {
        let (mark, now) = (LeadAction::Mark(state), self.store.now());
        let marked = self.store.act_on_lead(id, mark, None, now).await;
        assert!(matches!(marked, Ok(ActionOutcome::Done(_))), "{marked:?}");
    }

    pub async fn leads(&self) -> Vec<Lead> {
        super::leads(&self.store).await
    }

    pub async fn deliveries(&self) -> Vec<Delivery> {
        super::deliveries(&self.store).await
    }

    /// Tells the server to stop; the handle ends when it has.
    pub fn stop(&mut self) -> &mut JoinHandle<()> {
        self.stop.send_replace(true);
        &mut self.done
    }

    pub fn sql(&self) -> Sql {
        self.database.sql()
    }

    pub async fn connect(&self) -> Raw {
        Raw(TcpStream::connect(self.address).await.unwrap())
    }
}

/// A server that doesn't accept connections yet.
pub async fn bind(
    database: &Database,
    change: impl FnOnce(&mut ServeArgs),
    limits: Limits,
) -> Server {
    let mut args = ServeArgs::default();
    args.network.listen = Some("127.0.0.1:0".into());
    args.network.ops_listen = Some("127.0.0.1:0".into());
    args.network.rate_limit = Some("0".into());
    args.desk.desk_listen = Some("off".into());
    args.database.database_url = Some(database.url());
    change(&mut args);
    let settings = Settings::load(&args).unwrap();
    Server::start(Inherited::default(), site(), &settings, limits, None)
        .await
        .unwrap()
}

/// Limits that no test reaches, so that only the one that a test changes has an effect.
pub fn generous_limits() -> Limits {
    let long = 10 * TIMEOUT;
    Limits {
        header: long,
        body: long,
        write_stall: long,
        drain: long,
        proxy_grace: long,
        ..Limits::default()
    }
}

/// A connection on which the test sends and reads every byte.
pub struct Raw(pub TcpStream);

impl Raw {
    pub async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// Everything until the server closes the connection or resets it.
    pub async fn read_to_close(&mut self) -> String {
        let mut all = Vec::new();
        let read = tokio::time::timeout(TIMEOUT, self.0.read_to_end(&mut all)).await;
        assert!(read.is_ok(), "still open after {TIMEOUT:?}");
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Reads until the text so far ends with `end`.
    pub async fn read_until(&mut self, end: &str) -> String {
        let mut all = Vec::new();
        while !all.ends_with(end.as_bytes()) {
            let byte = tokio::time::timeout(TIMEOUT, self.0.read_u8()).await;
            all.push(
                byte.expect("an answer in time")
                    .expect("an open connection"),
            );
        }
        String::from_utf8_lossy(&all).into_owned()
    }
}

/// Shared by all tests, because creating it is slow.
pub fn client() -> Client {
    static CLIENT: LazyLock<Client> = LazyLock::new(|| {
        // Plain HTTP only, but the client wants a TLS library all the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(Policy::none()).no_proxy();
        client.timeout(TIMEOUT).build().unwrap()
    });
    CLIENT.clone()
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

/// The body of an error as programs get it (RFC 9457). It repeats the status.
pub async fn problem(response: Response, status: u16, about: impl Display) -> Value {
    assert_eq!(response.status(), status, "{about}");
    let kind = header(&response, "content-type");
    assert_eq!(kind, "application/problem+json", "{about}");
    let problem = body_json(response).await;
    assert_eq!(problem["status"], status, "{about}");
    assert!(!problem["title"].as_str().unwrap().is_empty(), "{about}");
    problem
}

/// The findings of one check, a line each: state, what, remedy.
pub fn findings(all: &Value, check: &str) -> Vec<String> {
    let all = all.as_array().expect("findings").iter();
    let found = all.filter(|each| each["check"] == check);
    let line = |each: &Value| {
        let text = |key: &str| each[key].as_str().unwrap_or_default().to_owned();
        [text("state"), text("what"), text("remedy")].join(" | ")
    };
    found.map(line).collect()
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

/// Waits until the health check answers with this status; returns its text.
pub async fn until_ready(ops: SocketAddr, wanted: u16) -> String {
    let mut body = String::new();
    until(&format!("{wanted} of {ops}"), async || {
        let (status, text) = ready(ops).await;
        body = text;
        status == wanted
    })
    .await;
    body
}
