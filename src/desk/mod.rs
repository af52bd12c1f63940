//! The owner's desk: leads, newsletter, releases and health in a browser, on a listener of its own.
//!
//! A request is answered in this order: a 400 if it breaks HTTP's rules; 403 if it changes
//! something and doesn't come from the desk's own pages; the sign-in page or 401 without a session;
//! otherwise a file of the desk or a handler. Only the links in mails (`mark`) work without a
//! session. The origin is the one of the settings, never what `Host` or a proxy says. Handlers are
//! thin: they call what the commands call.

mod health;
mod inbox;
mod lead;
mod mark;
mod newsletter;
mod numbers;
mod preview;
mod reply;
mod session;
mod site;
#[cfg(test)]
mod types_tests;

pub use session::link;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post, put};
use axum::{Extension, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderMap, ORIGIN, VARY,
};
use http::{HeaderValue, Method, Response, StatusCode};
use hyper::body::Incoming;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;
use url::Url;

use self::preview::Previews;
use crate::config::Settings;
use crate::content::site;
use crate::html::escape;
use crate::http::{Problem, accepts, has_tag, protocol, secure};
use crate::listener::Handler;
use crate::store::{DeskSession, Store, StoreError};
use crate::upkeep::Backups;

/// More than the longest newsletter issue.
const BODY_LIMIT: usize = 256 * 1024;

/// The policy of every answer but the sign-in page's and the mail links': the desk's own script,
/// styles and fonts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const SIGN_IN_PAGE: &str = include_str!("sign-in.html");
/// Of the pages that need no session.
const STYLE: &str = include_str!("no-session.css");

/// The desk's files as `desk/` builds them.
macro_rules! built {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/desk/dist/", $name))
    };
}

/// What the handlers need.
pub struct DeskParts {
    pub store: Store,
    /// The address that the owner's browser shows.
    pub url: Url,
    pub settings: Settings,
    pub backups: Option<Backups>,
    /// The release inside the program.
    pub built_in: &'static [u8],
}

/// The state of all handlers.
struct Inner {
    parts: DeskParts,
    /// When links were last asked for by mail.
    mailed: Mutex<Vec<Instant>>,
    previews: Previews,
    /// What was tried from the health page since the start, and did well.
    tried: Mutex<Vec<health::Part>>,
    /// One live check at a time.
    live: Arc<Semaphore>,
    sign_in_policy: HeaderValue,
}

type Desk = State<Arc<Inner>>;

/// Answers the desk's requests. Cheap to clone.
#[derive(Clone)]
pub struct DeskApp {
    router: Router,
    url: Url,
}

impl DeskApp {
    pub fn new(parts: DeskParts) -> Self {
        let url = parts.url.clone();
        let inner = Arc::new(Inner {
            parts,
            mailed: Mutex::default(),
            previews: Previews::default(),
            tried: Mutex::default(),
            live: Arc::new(Semaphore::new(1)),
            sign_in_policy: sign_in_policy(),
        });
        let guarded = Router::new()
            .route("/desk.js", get(script))
            .route("/desk.css", get(styles))
            .route("/api/desk/me", get(session::me))
            .route("/api/desk/sign-out", post(session::sign_out))
            .route("/api/desk/sessions", get(session::list))
            .route("/api/desk/sessions/{id}/revoke", post(session::revoke))
            .route("/api/desk/health", get(health::show))
            .route("/api/desk/health/live", post(health::live))
            .route("/api/desk/health/try/{part}", post(health::try_part))
            .route("/api/desk/inbox", get(inbox::list))
            .route("/api/desk/export.csv", get(inbox::export))
            .route("/api/desk/summary", get(inbox::summary))
            .route("/api/desk/undo", post(lead::undo))
            .route("/api/desk/leads/{id}", get(lead::show))
            .route("/api/desk/leads/{id}/state", post(lead::set_state))
            .route("/api/desk/leads/{id}/note", post(lead::set_note))
            .route("/api/desk/leads/{id}/release", post(lead::release))
            .route("/api/desk/leads/{id}/seen", post(lead::seen))
            .route("/api/desk/leads/{id}/writing", post(lead::writing))
            .route("/api/desk/leads/{id}/forget", post(lead::forget))
            .route(
                "/api/desk/leads/{id}/reply",
                put(reply::keep).post(reply::send),
            )
            .route("/api/desk/leads/{id}/reply/preview", post(reply::preview))
            .route("/api/desk/replies/{id}/call-back", post(reply::call_back))
            .route("/api/desk/preview/{id}", get(preview::show))
            .route("/api/desk/newsletter", get(newsletter::show))
            .route("/api/desk/newsletter/draft", put(newsletter::keep))
            .route("/api/desk/newsletter/preview", post(newsletter::preview))
            .route("/api/desk/newsletter/test", post(newsletter::test))
            .route("/api/desk/newsletter/send", post(newsletter::send))
            .route(
                "/api/desk/newsletter/issues/{id}/{action}",
                post(newsletter::act),
            )
            .route("/api/desk/subscribers", get(newsletter::subscribers))
            .route(
                "/api/desk/subscribers/{id}/resume",
                post(newsletter::resume),
            )
            .route("/api/desk/subscribers/{id}/proof", get(newsletter::proof))
            .route("/api/desk/numbers", get(numbers::show))
            .route("/api/desk/site", get(site::show))
            .route("/api/desk/site/roll-back", post(site::roll_back))
            .route("/api/desk/deliveries/{id}/retry", post(lead::retry))
            .fallback(page)
            .layer(middleware::from_fn_with_state(inner.clone(), with_session));
        let router = Router::new()
            .route("/text.woff2", get(async || font(built!("text.woff2"))))
            .route(
                "/display.woff2",
                get(async || font(built!("display.woff2"))),
            )
            .route(
                "/text-ext.woff2",
                get(async || font(built!("text-ext.woff2"))),
            )
            .route(
                "/display-ext.woff2",
                get(async || font(built!("display-ext.woff2"))),
            )
            .route("/api/desk/sign-in", post(session::sign_in))
            .route("/api/desk/sign-in/mail", post(session::mail_link))
            .fallback_service(guarded.with_state(inner.clone()))
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
            .layer(middleware::from_fn_with_state(inner.clone(), own_origin))
            // Below the layers: it refuses other origins with a page.
            .route(
                "/mark/{state}/{lead}/{mac}",
                get(mark::show).post(mark::mark),
            )
            .with_state(inner);
        Self { router, url }
    }

    pub fn url(&self) -> &Url {
        &self.url
    }
}

impl Handler for DeskApp {
    type Body = Body;

    async fn handle(&self, request: Request<Incoming>, _peer: SocketAddr) -> Response<Body> {
        if let Some(fault) = protocol::fault(&request) {
            return protocol::refusal(fault).map(Body::new);
        }
        let Ok(mut response) = self.router.clone().oneshot(request.map(Body::new)).await;
        let headers = response.headers_mut();
        let policy = headers.entry(CONTENT_SECURITY_POLICY);
        policy.or_insert(HeaderValue::from_static(POLICY));
        let caching = headers.entry(CACHE_CONTROL);
        caching.or_insert(HeaderValue::from_static("no-store"));
        secure(headers);
        response
    }
}

/// Refuses changes that other sites ask for. A request without `Origin` isn't from a browser's
/// page, and no browser leaves it out of a POST.
async fn own_origin(State(desk): Desk, request: Request, next: Next) -> Response<Body> {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    match changes && !is_own_origin(&desk, request.headers()) {
        true => Refusal::new(
            StatusCode::FORBIDDEN,
            "This isn't from the desk's own page.",
        )
        .into_response(),
        false => next.run(request).await,
    }
}

fn is_own_origin(desk: &Inner, headers: &HeaderMap) -> bool {
    let own = desk.parts.url.origin().ascii_serialization();
    let origin = headers.get(ORIGIN);
    origin.is_some_and(|origin| origin.as_bytes() == own.as_bytes())
}

/// Lets only signed-in browsers through.
async fn with_session(State(desk): Desk, mut request: Request, next: Next) -> Response<Body> {
    let session = match session::of(&desk, request.headers()).await {
        Ok(Some(session)) => session,
        Ok(None) => return signed_out(&desk, &request),
        Err(refusal) => return refusal.into_response(),
    };
    request.extensions_mut().insert(session);
    next.run(request).await
}

fn signed_out(desk: &Inner, request: &Request) -> Response<Body> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let accepts_page = request.headers().get(http::header::ACCEPT);
    let is_page = accepts_page.is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
    match request.uri().path() {
        "/" if is_read => {
            let headers = [
                (
                    CONTENT_TYPE,
                    HeaderValue::from_static("text/html; charset=utf-8"),
                ),
                (CONTENT_SECURITY_POLICY, desk.sign_in_policy.clone()),
            ];
            let can_mail = desk.parts.settings.mail.is_some();
            let mut name = String::new();
            escape(&site().name, &mut name);
            let page = SIGN_IN_PAGE
                .replace("{{style}}", STYLE)
                .replace("{{mail}}", if can_mail { "" } else { "hidden" })
                .replace("{{name}}", &name);
            (headers, page).into_response()
        }
        path if is_read && is_page && !path.starts_with("/api/") => {
            Redirect::to("/").into_response()
        }
        _ => Refusal::new(
            StatusCode::UNAUTHORIZED,
            "Sign in first: `frontdoor desk open`.",
        )
        .into_response(),
    }
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The hashes of the page's one style and one script.
fn sign_in_policy() -> HeaderValue {
    let (_, script) = SIGN_IN_PAGE.split_once("<script>").expect("it has one");
    let (script, _) = script.split_once("</script>").expect("it ends");
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; font-src 'self'; connect-src 'self'; \
        form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        hash(script),
        hash(STYLE),
    );
    HeaderValue::try_from(policy).expect("plain ASCII")
}

async fn script(headers: HeaderMap) -> Response<Body> {
    let media_type = "text/javascript; charset=utf-8";
    compressed(&headers, media_type, built!("desk.js.br"))
}

async fn styles(headers: HeaderMap) -> Response<Body> {
    compressed(&headers, "text/css; charset=utf-8", built!("desk.css.br"))
}

/// Every address of the desk's own pages has the same document.
async fn page(request: Request) -> Response<Body> {
    let is_page = !request.uri().path().starts_with("/api/");
    match *request.method() {
        Method::GET | Method::HEAD if is_page => {
            let media_type = "text/html; charset=utf-8";
            compressed(request.headers(), media_type, built!("index.html.br"))
        }
        _ => Refusal::new(StatusCode::NOT_FOUND, "There is nothing here.").into_response(),
    }
}

/// A file as the build compressed it. A browser keeps it, and asks each time whether it has changed.
fn compressed(
    request: &HeaderMap,
    media_type: &'static str,
    bytes: &'static [u8],
) -> Response<Body> {
    let tag = format!("\"{}\"", STANDARD.encode(Sha256::digest(bytes)));
    let caching = [
        (CACHE_CONTROL, "private, no-cache"),
        (VARY, "accept-encoding"),
    ];
    if has_tag(request, &tag) {
        return (
            StatusCode::NOT_MODIFIED,
            caching,
            [(ETAG, format!("W/{tag}"))],
        )
            .into_response();
    }
    // The same tag for both forms.
    let head = [
        (ETAG, format!("W/{tag}")),
        (CONTENT_TYPE, media_type.into()),
    ];
    let accept = request.get(ACCEPT_ENCODING).map(HeaderValue::to_str);
    if accept.is_some_and(|accept| accept.is_ok_and(|accept| accepts(accept, "br"))) {
        return (caching, head, [(CONTENT_ENCODING, "br")], bytes).into_response();
    }
    let mut plain = Vec::new();
    brotli::BrotliDecompress(&mut &*bytes, &mut plain).expect("the build compressed it");
    (caching, head, plain).into_response()
}

/// Fonts are compressed by themselves, and the same for years.
fn font(bytes: &'static [u8]) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, "font/woff2"),
        (CACHE_CONTROL, "private, max-age=604800"),
    ];
    (headers, bytes).into_response()
}

/// Why something wasn't done, in words for the owner.
#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    words: String,
}

impl Refusal {
    fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self {
            status,
            words: words.into(),
        }
    }

    fn gone(words: &str) -> Self {
        Self::new(StatusCode::GONE, words)
    }

    fn unknown_lead() -> Self {
        Self::new(StatusCode::NOT_FOUND, "This lead is gone.")
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        tracing::debug!(%error, "the desk got no answer from the store");
        let words = format!("The database doesn't answer ({error}). Nothing was changed.");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, words)
    }
}

impl From<JsonRejection> for Refusal {
    fn from(why: JsonRejection) -> Self {
        Self::new(why.status(), why.body_text())
    }
}

impl From<QueryRejection> for Refusal {
    fn from(why: QueryRejection) -> Self {
        Self::new(why.status(), why.body_text())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        Problem::new(self.status, &self.words)
            .answer()
            .map(Body::new)
    }
}

/// A JSON body, refused as a problem document.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(Refusal))]
struct JsonBody<T>(T);

/// The query, refused as a problem document.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Refusal))]
struct Asked<T>(T);

type Answered<T> = Result<Json<T>, Refusal>;
type By = Extension<DeskSession>;
