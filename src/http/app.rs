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
use super::form_body::Format;
use super::metrics::{Class, Metrics};
use super::pages::Pages;
use super::rate_limit::RateLimit;
use super::request_id::{REQUEST_ID, RequestId};
use super::request_log::{Line, RequestLog};
use super::resource::Resource;
use super::{headers, methods, protocol, redirect, routes};
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
    hsts_subdomains: bool,
    log: RequestLog,
}

/// An answer and the name it has in the log and the metrics.
struct Routed {
    answer: Answer,
    class: Class,
    route: &'static str,
}

impl App {
    pub fn new(
        parts: AppParts,
        proxies: Vec<IpNet>,
        hsts_subdomains: bool,
        log: Option<Log>,
    ) -> Self {
        let parts = Arc::new(parts);
        Self(Arc::new(Inner {
            api: routes::router(parts.clone()),
            parts,
            proxies: Proxies::new(proxies),
            hsts_subdomains,
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
        } = match protocol::fault(&request) {
            Some(fault) => Routed {
                answer: protocol::refusal(fault),
                class: Class::Other,
                route: "malformed",
            },
            None => app.route(request, client).await,
        };
        answer.headers_mut().insert(REQUEST_ID, id.header());
        if client.tls {
            headers::require_tls(answer.headers_mut(), app.hsts_subdomains);
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
            None if request.method() == Method::CONNECT => {
                ("unknown", methods::wrong(methods::OF_PAGES))
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
            // Whoever posts what we cannot read gets JSON, as elsewhere.
            let format = Format::of(request.headers()).unwrap_or(Format::Json);
            request.extensions_mut().insert(client);
            let request = request.map(axum::body::Body::new);
            // In a task of its own: a visitor who leaves before the answer has
            // still sent a message, and a panic is an answer, not a silence.
            match tokio::spawn(self.api.clone().oneshot(request)).await {
                Ok(Ok(answer)) => answer.map(Either::Right),
                Err(_) => (route.failed)(&self.parts, format, client),
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

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_TYPE, HOST};
    use http_body_util::{BodyExt as _, Full};

    use super::*;
    use crate::config::{ServeArgs, Settings};
    use crate::listener::Limits;
    use crate::server::Server;

    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";

    /// The site, but every call of its API breaks down.
    async fn broken_app(folder: &std::path::Path) -> App {
        let mut args = ServeArgs {
            listen: Some("127.0.0.1:0".into()),
            ops_listen: Some("off".into()),
            ..ServeArgs::default()
        };
        let file = folder.join("test.db");
        args.database.database_url = Some(format!("sqlite://{}", file.display()));
        let settings = Settings::load(&args).unwrap();
        let site = crate::http::embedded::built();
        let server = Server::bind(site, &settings, Limits::default(), None)
            .await
            .unwrap();
        let parts = server.app().0.parts.clone();
        async fn breakdown() -> StatusCode {
            panic!("on purpose")
        }
        let api = axum::Router::new().fallback(axum::routing::any(breakdown));
        App(Arc::new(Inner {
            parts,
            api,
            proxies: Proxies::default(),
            hsts_subdomains: false,
            log: RequestLog::new(None),
        }))
    }

    /// Content type and body of a 500.
    async fn failure(app: &App, method: Method, path: &str, kind: &str) -> (String, String) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header(HOST, "x").header(CONTENT_TYPE, kind);
        let request = request
            .body(Full::new(Bytes::from_static(b"email=a")))
            .unwrap();
        let answer = app.answer(request, ([192, 0, 2, 1], 1).into()).await;
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let kind = answer.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (kind, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_breakdown_is_told_in_the_words_and_the_form_of_what_was_asked() {
        let folder = tempfile::tempdir().unwrap();
        let app = broken_app(folder.path()).await;
        let (problem, page) = ("application/problem+json", "text/html; charset=utf-8");
        let contact = "Failed to send message. Please try again later.";
        let newsletter = "Failed to subscribe. Please try again later.";
        for (path, sent, kind, words) in [
            ("/api/contacts", JSON, problem, contact),
            ("/api/contacts", FORM, page, contact),
            ("/api/newsletter", JSON, problem, newsletter),
            ("/api/newsletter", FORM, page, newsletter),
        ] {
            let failure = failure(&app, Method::POST, path, sent).await;
            assert_eq!(failure.0, kind, "{path} {sent}");
            assert!(failure.1.contains(words), "{path} {sent}: {}", failure.1);
        }
        for path in [
            "/newsletter/confirm?token=x",
            "/newsletter/unsubscribe?token=x",
        ] {
            for method in [Method::GET, Method::POST] {
                let failure = failure(&app, method, path, FORM).await;
                assert_eq!(failure.0, page, "{path}");
                assert!(
                    !failure.1.contains(contact) && !failure.1.contains("{{"),
                    "{path}"
                );
            }
        }
    }
}
