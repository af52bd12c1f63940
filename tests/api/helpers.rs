//! A running server for one test, and ways to talk to it.

use std::net::SocketAddr;
use std::time::Duration;

use frontdoor::config::{ServeArgs, Settings};
use frontdoor::http::App;
use frontdoor::listener::Limits;
use frontdoor::server::Server;
use frontdoor::store::{Delivery, DeliveryFilter, Lead, LeadFilter, Store};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Long enough for a slow machine; only a broken server needs it whole.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What `make web` has made.
pub fn site() -> &'static [u8] {
    std::fs::read(env!("FRONTDOOR_PACK")).unwrap().leak()
}

pub struct TestApp {
    pub address: SocketAddr,
    pub ops: SocketAddr,
    pub app: App,
    pub store: Store,
    client: reqwest::Client,
    stop: watch::Sender<bool>,
    done: JoinHandle<()>,
    data: TempDir,
}

impl TestApp {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut ServeArgs)) -> Self {
        Self::with_limits(change, Limits::default()).await
    }

    pub async fn with_limits(change: impl FnOnce(&mut ServeArgs), limits: Limits) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut args = ServeArgs {
            listen: Some("127.0.0.1:0".into()),
            ops_listen: Some("127.0.0.1:0".into()),
            rate_limit: Some("0".into()),
            ..ServeArgs::default()
        };
        let file = data.path().join("test.db");
        args.database.database_url = Some(format!("sqlite://{}", file.display()));
        change(&mut args);
        let settings = Settings::load(&args).unwrap();
        let server = Server::bind(site(), &settings, limits, None).await.unwrap();
        let (address, ops) = (server.address(), server.ops_address().unwrap());
        let (app, store) = (server.app(), server.store());
        let (stop, stopped) = watch::channel(false);
        Self {
            address,
            ops,
            app,
            store,
            client: client(),
            stop,
            done: tokio::spawn(server.run(stopped)),
            data,
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        self.client.request(method, url)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub async fn get_ops(&self, path: &str) -> Response {
        let url = format!("http://{}{path}", self.ops);
        self.client.get(url).send().await.unwrap()
    }

    pub fn post_json(&self, body: &Value) -> RequestBuilder {
        self.request(Method::POST, "/api/contacts")
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    pub fn post_form(&self, fields: &[(&str, &str)]) -> RequestBuilder {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        self.request(Method::POST, "/api/contacts")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
    }

    pub async fn leads(&self) -> Vec<Lead> {
        let filter = LeadFilter {
            limit: 1000,
            ..LeadFilter::default()
        };
        self.store.leads(filter).await.unwrap()
    }

    pub async fn deliveries(&self) -> Vec<Delivery> {
        let filter = DeliveryFilter {
            limit: 1000,
            ..DeliveryFilter::default()
        };
        self.store.deliveries(filter).await.unwrap()
    }

    /// Tells the server to stop; the handle ends when it has.
    pub fn stop(&mut self) -> &mut JoinHandle<()> {
        self.stop.send_replace(true);
        &mut self.done
    }

    /// Another way into the database, past the server.
    pub fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.data.path().join("test.db")).unwrap()
    }

    pub async fn connect(&self) -> Raw {
        Raw(TcpStream::connect(self.address).await.unwrap())
    }
}

pub fn client() -> reqwest::Client {
    // Plain HTTP only, but the client wants a TLS library all the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .unwrap()
}

/// A form that is filled in well.
pub fn good_form() -> Value {
    json!({ "name": "Ada Lovelace", "email": "ada@example.org", "message": "Hello" })
}

/// The same with one field changed.
pub fn form_with(field: &str, value: impl Into<Value>) -> Value {
    let mut form = good_form();
    form[field] = value.into();
    form
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

/// A connection on which a test decides about every byte.
pub struct Raw(pub TcpStream);

impl Raw {
    pub async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// Everything until the server closes; a reset is a close too.
    pub async fn read_to_close(&mut self, patience: Duration) -> String {
        let mut all = Vec::new();
        let read = tokio::time::timeout(patience, self.0.read_to_end(&mut all)).await;
        assert!(read.is_ok(), "still open after {patience:?}");
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Until what has come ends with `end`.
    pub async fn read_until(&mut self, end: &str) -> String {
        let mut all = Vec::new();
        while !all.ends_with(end.as_bytes()) {
            let byte = tokio::time::timeout(PATIENCE, self.0.read_u8()).await;
            all.push(
                byte.expect("an answer in time")
                    .expect("an open connection"),
            );
        }
        String::from_utf8_lossy(&all).into_owned()
    }
}
