//! Handles every request to the public site, from the first checks to the log line.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use ipnet::IpNet;

use super::edge::client::{Client, Proxies};
use super::edge::protocol;
use super::edge::request_log::{Line, REQUEST_ID, RequestId, RequestLog};
use super::edge::response::{self, HttpResponse, PAGE_METHODS};
use super::forms::contact::SENT;
use super::ops::Class;
use super::request::{ApiRequest, AppState};
use super::routes;
use super::site::release::Kind;
use super::site::resource::Resource;
use super::visits;
use crate::listener::Handler;
use crate::logging::Log;

/// The public site. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    state: Arc<AppState>,
    proxies: Proxies,
    hsts_subdomains: bool,
    log: RequestLog,
}

/// The facts about a request that every response needs.
struct RequestInfo {
    start: Instant,
    id: RequestId,
    method: Method,
    client: Client,
}

/// The folder of files with a content hash in their names.
const ASSETS: &str = "/assets/";

impl App {
    pub fn new(
        state: AppState,
        proxies: Vec<IpNet>,
        hsts_subdomains: bool,
        log: Option<Log>,
    ) -> Self {
        Self(Arc::new(Inner {
            state: Arc::new(state),
            proxies: Proxies::new(proxies),
            hsts_subdomains,
            log: RequestLog::new(log),
        }))
    }

    pub async fn answer<B>(&self, request: Request<B>, peer: SocketAddr) -> HttpResponse
    where
        B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let start = Instant::now();
        let app = &*self.0;
        let client = app.proxies.client(peer.ip(), request.headers());
        let given_id = client.proxied.then(|| request.headers().get(REQUEST_ID));
        let info = RequestInfo {
            start,
            id: RequestId::new(given_id.flatten()),
            method: request.method().clone(),
            client,
        };
        if let Some(fault) = protocol::fault(&request) {
            return app.finish(&info, protocol::refusal(fault), Class::Other, "malformed");
        }
        let path = request.uri().path();
        let is_personal = path == SENT && request.uri().query().is_some();
        if !is_personal && let Some(answer) = app.page(&info, &request) {
            return answer;
        }
        if path.starts_with(ASSETS) {
            // Another replica may already show a newer page that refers to this asset.
            app.state.releases.refresh().await;
            if let Some(answer) = app.page(&info, &request) {
                return answer;
            }
        }
        let (head, body) = request.into_parts();
        let request = ApiRequest {
            state: app.state.clone(),
            client,
            request_id: info.id.clone(),
            head,
        };
        let body = axum::body::Body::new(body);
        let (answer, class, route) = routes::answer(request, body).await;
        app.finish(&info, answer, class, route)
    }
}

impl Inner {
    fn page<B>(&self, info: &RequestInfo, request: &Request<B>) -> Option<HttpResponse> {
        let pages = self.state.releases.pages();
        let page = pages.get(request.uri().path())?;
        Some(self.answer_with(page, info, request))
    }

    fn answer_with<B>(
        &self,
        page: &Resource,
        info: &RequestInfo,
        request: &Request<B>,
    ) -> HttpResponse {
        let answer = match *request.method() {
            Method::GET | Method::HEAD => {
                page.answer(request.method(), request.headers(), info.client.tls)
            }
            _ => response::other_method(request.method(), PAGE_METHODS),
        };
        if let Some(visits) = &self.state.visits {
            visits::count_request(visits, page, request, answer.status());
        }
        let (class, route) = match page.kind {
            Kind::Asset => (Class::Asset, "/assets/*"),
            Kind::Document => (Class::Document, page.path.as_str()),
            Kind::Page | Kind::Template => (Class::Page, page.path.as_str()),
        };
        self.finish(info, answer, class, route)
    }

    /// Adds the common headers, counts the request and logs it. `route` is logged, so it must be a
    /// fixed name, never a visitor's text.
    fn finish(
        &self,
        info: &RequestInfo,
        mut answer: HttpResponse,
        class: Class,
        route: &str,
    ) -> HttpResponse {
        let headers = answer.headers_mut();
        response::secure(headers);
        headers.insert(REQUEST_ID, info.id.header());
        if info.client.tls {
            response::require_tls(headers, self.hsts_subdomains);
        }
        let (status, took) = (answer.status(), info.start.elapsed());
        self.state.metrics.request(class, status.as_u16(), took);
        self.log.write(&Line {
            method: &info.method,
            route,
            status,
            took,
            bytes: answer.body().size_hint().lower(),
            request_id: &info.id,
        });
        answer
    }
}

impl Handler for App {
    type Body = Full<Bytes>;

    async fn handle(&self, request: Request<Incoming>, peer: SocketAddr) -> HttpResponse {
        self.answer(request, peer).await
    }
}
