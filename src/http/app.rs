//! Handles every request, from its first checks to the log line.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{Method, Request, StatusCode};
use http_body_util::Either;
use hyper::body::{Body, Incoming};
use ipnet::IpNet;
use tower::ServiceExt as _;

use super::edge::client::{Client, Proxies};
use super::edge::protocol;
use super::edge::request_log::{Line, REQUEST_ID, RequestId, RequestLog};
use super::edge::response::{self, Answer, AnswerBody, PAGE_METHODS};
use super::forms::AppParts;
use super::ops::metrics::Class;
use super::routes::{self, Label};
use super::site::release::Kind;
use super::site::resource::Resource;
use crate::listener::Handler;
use crate::logging::Log;

/// The public site. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: Arc<AppParts>,
    routes: axum::Router,
    proxies: Proxies,
    hsts_subdomains: bool,
    log: RequestLog,
}

/// The parts of a request that every answer needs.
struct RequestInfo {
    start: Instant,
    id: RequestId,
    method: Method,
    client: Client,
}

/// The folder of files with a content hash in their names.
const ASSETS: &str = "/assets/";

/// For requests that are rejected before routing.
const MALFORMED: Label<'static> = Label {
    class: Class::Other,
    route: "malformed",
};

impl App {
    pub fn new(
        parts: AppParts,
        proxies: Vec<IpNet>,
        hsts_subdomains: bool,
        log: Option<Log>,
    ) -> Self {
        let parts = Arc::new(parts);
        Self(Arc::new(Inner {
            routes: routes::router(parts.clone()),
            parts,
            proxies: Proxies::new(proxies),
            hsts_subdomains,
            log: RequestLog::new(log),
        }))
    }

    /// Answers one request, with any kind of body.
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
        let asked = RequestInfo {
            start,
            id,
            method,
            client,
        };
        if let Some(fault) = protocol::fault(&request) {
            return app.finish(&asked, protocol::refusal(fault), MALFORMED);
        }
        if let Some(answer) = app.page(&asked, &request) {
            return answer;
        }
        if request.uri().path().starts_with(ASSETS) {
            if let Some(answer) = app.earlier_asset(&asked, &request).await {
                return answer;
            }
            // Another replica may already show a newer page that refers to this asset.
            app.parts.site.refresh().await;
            if let Some(answer) = app.page(&asked, &request) {
                return answer;
            }
        }
        let (answer, label) = app.route(request, &asked).await;
        app.finish(&asked, answer, label)
    }
}

impl Inner {
    /// The page or file at the path.
    fn page<B>(&self, asked: &RequestInfo, request: &Request<B>) -> Option<Answer> {
        let pages = self.parts.site.pages();
        let page = pages.get(request.uri().path())?;
        Some(self.answer_with(page, asked, request))
    }

    /// An asset of an earlier release, whose pages may still be open in a browser.
    async fn earlier_asset<B>(&self, asked: &RequestInfo, request: &Request<B>) -> Option<Answer> {
        let asset = self.parts.site.earlier_asset(request.uri().path()).await?;
        Some(self.answer_with(&asset, asked, request))
    }

    fn answer_with<B>(&self, page: &Resource, asked: &RequestInfo, request: &Request<B>) -> Answer {
        let answer = match *request.method() {
            Method::GET | Method::HEAD => {
                page.answer(request.method(), request.headers(), asked.client.tls)
            }
            _ => response::other_method(request.method(), PAGE_METHODS),
        };
        let (class, route) = match page.kind {
            Kind::Asset => (Class::Asset, "/assets/*"),
            Kind::Document => (Class::Document, page.path.as_str()),
            Kind::Page | Kind::Template => (Class::Page, page.path.as_str()),
        };
        self.finish(asked, answer, Label { class, route })
    }

    /// Adds the common headers, counts the request and logs it.
    fn finish(&self, asked: &RequestInfo, mut answer: Answer, label: Label<'_>) -> Answer {
        let headers = answer.headers_mut();
        headers.insert(REQUEST_ID, asked.id.header());
        if asked.client.tls {
            response::require_tls(headers, self.hsts_subdomains);
        }
        let (status, took) = (answer.status().as_u16(), asked.start.elapsed());
        self.parts.metrics.request(label.class, status, took);
        let line = Line {
            method: &asked.method,
            route: label.route,
            status,
            took,
            bytes: answer.body().size_hint().lower(),
            request_id: &asked.id,
        };
        self.log.write(&line);
        answer
    }

    async fn route<B>(
        &self,
        mut request: Request<B>,
        asked: &RequestInfo,
    ) -> (Answer, Label<'static>)
    where
        B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let extensions = request.extensions_mut();
        extensions.insert(asked.client);
        extensions.insert(asked.id.clone());
        let request = request.map(axum::body::Body::new);
        let Ok(mut answer) = self.routes.clone().oneshot(request).await;
        if answer.status() == StatusCode::NO_CONTENT {
            // The router adds the header, but a 204 must not have one.
            answer.headers_mut().remove(CONTENT_LENGTH);
        }
        let label = answer.extensions_mut().remove();
        let label = label.expect("every answer of the router has a label");
        (answer.map(Either::Right), label)
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
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http::header::{CONTENT_TYPE, HOST};
    use http_body_util::BodyExt as _;
    use hyper::body::Frame;

    use super::*;
    use crate::config::{ServeArgs, Settings};
    use crate::listener::Limits;
    use crate::server::Server;

    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";

    /// A body that panics when dropped.
    struct Trap;

    impl Drop for Trap {
        fn drop(&mut self) {
            panic!("on purpose")
        }
    }

    impl Body for Trap {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(None)
        }
    }

    async fn app(folder: &std::path::Path) -> App {
        let mut args = ServeArgs::default();
        args.network.listen = Some("127.0.0.1:0".into());
        args.network.ops_listen = Some("off".into());
        let file = folder.join("test.db");
        args.database.database_url = Some(format!("sqlite://{}", file.display()));
        let settings = Settings::load(&args).unwrap();
        let site = crate::http::site::release::built();
        let server = Server::bind(site, &settings, Limits::default(), None).await;
        server.unwrap().app()
    }

    /// Content type and body of a 500.
    async fn failure(app: &App, method: Method, path: &str, kind: &str) -> (String, String) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header(HOST, "x").header(CONTENT_TYPE, kind);
        let request = request.body(Trap).unwrap();
        let answer = app.answer(request, ([192, 0, 2, 1], 1).into()).await;
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let kind = answer.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (kind, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_panic_is_answered_in_the_words_and_the_format_of_what_was_asked() {
        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path()).await;
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
