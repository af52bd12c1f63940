//! The one way every request takes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Either;
use hyper::body::{Body, Incoming};
use ipnet::IpNet;
use tower::ServiceExt as _;

use super::body::{Answer, AnswerBody};
use super::client::{Client, Proxies};
use super::embedded::Kind;
use super::error::Problem;
use super::metrics::{Class, Metrics};
use super::pages::Pages;
use super::rate_limit::RateLimit;
use super::request_id::{REQUEST_ID, RequestId};
use super::request_log::{Line, RequestLog};
use super::resource::Resource;
use super::{headers, methods, redirect, routes};
use crate::domain::MESSAGES;
use crate::listener::Handler;
use crate::logging::Log;
use crate::outbox::Waker;
use crate::store::{DeliveryKind, Store};

/// What handlers work with.
pub struct AppParts {
    pub pages: Pages,
    pub metrics: Arc<Metrics>,
    pub store: Store,
    /// What each new lead calls for, by the settings.
    pub deliveries: Vec<DeliveryKind>,
    /// There is a mail server through which subscriptions are confirmed.
    pub confirm_by_mail: bool,
    pub waker: Waker,
    pub rate_limit: RateLimit,
    /// How long a body may take to arrive.
    pub body_patience: Duration,
}

/// The public site. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: Arc<AppParts>,
    api: axum::Router,
    proxies: Proxies,
    log: RequestLog,
}

/// An answer and the name it has in the log and the metrics.
struct Routed {
    answer: Answer,
    class: Class,
    route: &'static str,
}

impl App {
    pub fn new(parts: AppParts, proxies: Vec<IpNet>, log: Option<Log>) -> Self {
        let parts = Arc::new(parts);
        Self(Arc::new(Inner {
            api: routes::router(parts.clone()),
            parts,
            proxies: Proxies::new(proxies),
            log: RequestLog::new(log),
        }))
    }

    /// Answers one request, whatever its body is made of.
    pub async fn answer<B>(&self, request: Request<B>, peer: SocketAddr) -> Answer
    where
        B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let start = Instant::now();
        let app = &*self.0;
        let client = app.proxies.client(peer.ip(), request.headers());
        let given_id = request.headers().get(REQUEST_ID).filter(|_| client.proxied);
        let id = RequestId::new(given_id);
        let method = request.method().clone();
        let Routed {
            mut answer,
            class,
            route,
        } = app.route(request, client).await;
        answer.headers_mut().insert(REQUEST_ID, id.header());
        if client.tls {
            headers::require_tls(answer.headers_mut());
        }
        let (status, took) = (answer.status().as_u16(), start.elapsed());
        app.parts.metrics.request(class, status, took);
        app.log.write(&Line {
            method: &method,
            route,
            status,
            took,
            bytes: answer.body().size_hint().lower(),
            request_id: &id,
        });
        answer
    }
}

impl Inner {
    async fn route<B>(&self, request: Request<B>, client: Client) -> Routed
    where
        B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let path = request.uri().path();
        if let Some(page) = self.parts.pages.get(path) {
            return serve_page(page, &request, client);
        }
        if let Some(route) = routes::api_route(path) {
            return self.call_api(route, request, client).await;
        }
        let (route, mut answer) = match redirect::plain_path(request.uri()) {
            Some(answer) => ("trailing slash", answer),
            None if path == "*" && request.method() == Method::OPTIONS => {
                ("*", methods::options(methods::OF_PAGES))
            }
            None if path.starts_with("/api/") => {
                let problem = Problem::new(StatusCode::NOT_FOUND, "There is nothing at this path");
                ("unknown", problem.answer())
            }
            None => {
                let page = self.parts.pages.missing(path);
                let answer = page.answer(request.method(), request.headers(), client.tls);
                return Routed {
                    answer,
                    class: Class::Page,
                    route: "unknown",
                };
            }
        };
        headers::secure(answer.headers_mut());
        Routed {
            answer,
            class: Class::Other,
            route,
        }
    }

    async fn call_api<B>(
        &self,
        route: &'static routes::ApiRoute,
        mut request: Request<B>,
        client: Client,
    ) -> Routed
    where
        B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let mut answer = if request.method() == Method::OPTIONS {
            methods::options(route.methods)
        } else if !route.allows(request.method()) {
            methods::wrong(route.methods)
        } else {
            request.extensions_mut().insert(client);
            let request = request.map(axum::body::Body::new);
            // In a task of its own: a visitor who leaves before the answer has
            // still sent a message, and a panic is an answer, not a silence.
            match tokio::spawn(self.api.clone().oneshot(request)).await {
                Ok(Ok(answer)) => answer.map(Either::Right),
                Err(_) => {
                    let status = StatusCode::INTERNAL_SERVER_ERROR;
                    Problem::new(status, &MESSAGES.contact_failed).answer()
                }
            }
        };
        headers::secure(answer.headers_mut());
        Routed {
            answer,
            class: route.class,
            route: route.path,
        }
    }
}

fn serve_page<B>(page: &Resource, request: &Request<B>, client: Client) -> Routed {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => page.answer(request.method(), request.headers(), client.tls),
        Method::OPTIONS => methods::options(methods::OF_PAGES),
        _ => methods::wrong(methods::OF_PAGES),
    };
    let (class, route) = match page.kind {
        Kind::Asset => (Class::Asset, "/assets/*"),
        Kind::Document => (Class::Document, page.path),
        Kind::Page | Kind::Template => (Class::Page, page.path),
    };
    Routed {
        answer,
        class,
        route,
    }
}

impl Handler for App {
    type Body = AnswerBody;

    async fn handle(&self, request: Request<Incoming>, peer: SocketAddr) -> Answer {
        self.answer(request, peer).await
    }

    fn connections_changed(&self, by: i64) {
        self.0.parts.metrics.connections_changed(by);
    }
}
