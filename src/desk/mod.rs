//! The owner's desk: leads, newsletter, releases and health in a browser, on a listener of its own.
//!
//! A request is answered with the first of these that applies: a 400 if it breaks HTTP's rules; a
//! 403 if it changes something and doesn't come from the desk's own pages; the sign-in page or a
//! 401 if it has no session; a file of the desk, or a handler. Only the links in mails (`mark`)
//! work without a session. The desk's origin comes from the settings, never from `Host` or a proxy.
//! Handlers are thin: they call the same functions as the commands.

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
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::{MethodRouter, get, post, put};
use axum::{Extension, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderMap, ORIGIN, VARY,
};
use http::{HeaderValue, Method, Response, StatusCode};
use hyper::body::Incoming;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;
use url::Url;

use self::preview::Previews;
use crate::config::{MailSettings, Settings};
use crate::content::site;
use crate::domain::sentence;
use crate::html::escape;
use crate::http::{Problem, accepts, has_tag, protocol, secure};
use crate::listener::Handler;
use crate::newsletter::MAX_FILE;
use crate::store::{DeskSession, Store, StoreError};
use crate::upkeep::Backups;

/// Larger than the longest newsletter issue.
const BODY_LIMIT: usize = 2 * MAX_FILE;

/// The policy of every response except [`open_page`]s: it allows the desk's own script, styles and
/// fonts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The desk's files as `desk/` builds them.
macro_rules! built {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/desk/dist/", $name))
    };
}

/// What the handlers need.
pub struct DeskParts {
    pub store: Store,
    /// The address at which the owner's browser reaches the desk.
    pub url: Url,
    pub settings: Settings,
    pub backups: Option<Backups>,
    /// The release inside the program.
    pub built_in: &'static [u8],
}

/// What all requests share.
struct Shared {
    parts: DeskParts,
    /// When the latest links were requested by mail.
    mailed: Mutex<Vec<Instant>>,
    previews: Previews,
    /// The tests on the health page that have succeeded since the start.
    tried: Mutex<Vec<health::Part>>,
    /// Allows one live check at a time.
    live: Arc<Semaphore>,
}

type SharedState = State<Arc<Shared>>;

/// A request from a signed-in browser, for its handler; set by `with_session`.
#[derive(Clone, FromRequestParts)]
#[from_request(via(Extension))]
struct Desk {
    shared: Arc<Shared>,
    store: Store,
    by: DeskSession,
    now: Timestamp,
}

impl Desk {
    fn settings(&self) -> &Settings {
        &self.shared.parts.settings
    }

    fn promise(&self) -> SignedDuration {
        self.settings().promise.promise
    }

    /// The mail server, where one is set up.
    fn mail(&self) -> Option<&MailSettings> {
        self.settings().mail.as_ref()
    }
}

/// Answers the desk's requests. Cheap to clone.
#[derive(Clone)]
pub struct DeskApp {
    router: Router,
    url: Url,
}

impl DeskApp {
    pub fn new(parts: DeskParts) -> Self {
        let url = parts.url.clone();
        let shared = Arc::new(Shared {
            parts,
            mailed: Mutex::default(),
            previews: Previews::default(),
            tried: Mutex::default(),
            live: Arc::new(Semaphore::new(1)),
        });
        let api = Router::new()
            .route("/me", get(session::me))
            .route("/sign-out", post(session::sign_out))
            .route("/sessions", get(session::list))
            .route("/sessions/{id}/revoke", post(session::revoke))
            .route("/health", get(health::show))
            .route("/health/live", post(health::live))
            .route("/health/try/{part}", post(health::try_part))
            .route("/inbox", get(inbox::list))
            .route("/export.csv", get(inbox::export))
            .route("/summary", get(inbox::summary))
            .route("/undo", post(lead::undo))
            .route("/leads/{id}", get(lead::show))
            .route("/leads/{id}/state", post(lead::set_state))
            .route("/leads/{id}/note", post(lead::set_note))
            .route("/leads/{id}/release", post(lead::release))
            .route("/leads/{id}/seen", post(lead::seen))
            .route("/leads/{id}/writing", post(lead::writing))
            .route("/leads/{id}/forget", post(lead::forget))
            .route("/leads/{id}/reply", put(reply::keep).post(reply::send))
            .route("/leads/{id}/reply/preview", post(reply::preview))
            .route("/replies/{id}/call-back", post(reply::call_back))
            .route("/preview/{id}", get(preview::show))
            .route("/newsletter", get(newsletter::show))
            .route("/newsletter/draft", put(newsletter::keep))
            .route("/newsletter/preview", post(newsletter::preview))
            .route("/newsletter/test", post(newsletter::test))
            .route("/newsletter/send", post(newsletter::send))
            .route("/newsletter/issues/{id}/{action}", post(newsletter::act))
            .route("/subscribers", get(newsletter::subscribers))
            .route("/subscribers/{id}/resume", post(newsletter::resume))
            .route("/subscribers/{id}/proof", get(newsletter::proof))
            .route("/numbers", get(numbers::show))
            .route("/site", get(site::show))
            .route("/site/roll-back", post(site::roll_back))
            .route("/deliveries/retry-all", post(lead::retry_all))
            .route("/deliveries/{id}/retry", post(lead::retry));
        let guarded = Router::new()
            .route(
                "/desk.js",
                compressed_file("text/javascript", built!("desk.js.br")),
            )
            .route(
                "/desk.css",
                compressed_file("text/css", built!("desk.css.br")),
            )
            .nest("/api/desk", api)
            .fallback(page)
            .layer(middleware::from_fn_with_state(shared.clone(), with_session));
        let router = Router::new()
            .route("/text.woff2", font(built!("text.woff2")))
            .route("/display.woff2", font(built!("display.woff2")))
            .route("/text-ext.woff2", font(built!("text-ext.woff2")))
            .route("/display-ext.woff2", font(built!("display-ext.woff2")))
            .route("/api/desk/sign-in", post(session::sign_in))
            .route("/api/desk/sign-in/mail", post(session::mail_link))
            .fallback_service(guarded.with_state(shared.clone()))
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
            .layer(middleware::from_fn_with_state(shared.clone(), own_origin))
            // After the layers, because it refuses other origins with a page of its own.
            .route(
                "/mark/{state}/{lead}/{mac}",
                get(mark::show).post(mark::mark),
            )
            .with_state(shared);
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

/// Refuses changes that other sites request. Browsers send `Origin` with every POST, so a request
/// without it isn't from the desk's page.
async fn own_origin(State(shared): SharedState, request: Request, next: Next) -> Response<Body> {
    if is_read(&request) || is_own_origin(&shared, request.headers()) {
        return next.run(request).await;
    }
    let message = "This isn't from the desk's own page.";
    DeskError::new(StatusCode::FORBIDDEN, message).into_response()
}

fn is_read(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

fn is_own_origin(shared: &Shared, headers: &HeaderMap) -> bool {
    let own = shared.parts.url.origin().ascii_serialization();
    let origin = headers.get(ORIGIN);
    origin.is_some_and(|origin| origin.as_bytes() == own.as_bytes())
}

/// Lets only signed-in browsers through.
async fn with_session(
    State(shared): SharedState,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    match session::from_headers(&shared, request.headers()).await {
        Ok(Some(by)) => {
            let store = shared.parts.store.clone();
            let now = store.now();
            let desk = Desk {
                shared,
                store,
                by,
                now,
            };
            request.extensions_mut().insert(desk);
            next.run(request).await
        }
        Ok(None) => signed_out(&shared, &request),
        Err(error) => error.into_response(),
    }
}

fn signed_out(shared: &Shared, request: &Request) -> Response<Body> {
    let accepted = request.headers().get(http::header::ACCEPT);
    let is_page = accepted.is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
    match request.uri().path() {
        "/" if is_read(request) => {
            let can_mail = shared.parts.settings.mail.is_some();
            let content = include_str!("sign-in.html")
                .replace("{{mail}}", if can_mail { "" } else { "hidden" })
                .replace("{{name}}", &escape(&site().name));
            open_page(StatusCode::OK, "Sign in", &content)
        }
        path if is_read(request) && is_page && !path.starts_with("/api/") => {
            let to: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
            Redirect::to(&format!("/?to={to}")).into_response()
        }
        _ => {
            let message = "Sign in first: `frontdoor desk open`.";
            DeskError::new(StatusCode::UNAUTHORIZED, message).into_response()
        }
    }
}

/// A page that needs no session. Its policy allows its style and its script, if `content` has one,
/// by their hashes; without a script, its form may be sent. `content` must be HTML.
fn open_page(status: StatusCode, title: &str, content: &str) -> Response<Body> {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let (title, style) = (escape(title), include_str!("open-page.css"));
    let script = content.split_once("<script>");
    let script = script.and_then(|(_, rest)| Some(rest.split_once("</script>")?.0));
    let allowed = match script {
        Some(script) => {
            let script = hash(script);
            format!("script-src {script}; connect-src 'self'; form-action 'none'")
        }
        None => "form-action 'self'".to_owned(),
    };
    let policy = format!(
        "default-src 'none'; style-src {}; {allowed}; font-src 'self'; base-uri 'none'; \
        frame-ancestors 'none'",
        hash(style)
    );
    let html = format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
<main>
{content}
</main>
</html>
"#
    );
    (status, [(CONTENT_SECURITY_POLICY, policy)], Html(html)).into_response()
}

fn compressed_file(media_type: &'static str, bytes: &'static [u8]) -> MethodRouter<Arc<Shared>> {
    get(async move |headers: HeaderMap| compressed(&headers, media_type, bytes))
}

/// Every path of the desk's pages gets the same document.
async fn page(request: Request) -> Response<Body> {
    if !is_read(&request) || request.uri().path().starts_with("/api/") {
        return DeskError::not_found("There is nothing here.").into_response();
    }
    compressed(request.headers(), "text/html", built!("index.html.br"))
}

/// A file as the build compressed it. A browser caches it, and asks each time whether it has
/// changed.
fn compressed(request: &HeaderMap, media_type: &str, bytes: &'static [u8]) -> Response<Body> {
    let tag = format!("\"{}\"", STANDARD.encode(Sha256::digest(bytes)));
    // The compressed and the plain form share a weak tag.
    let caching = [
        (CACHE_CONTROL, "private, no-cache".into()),
        (VARY, "accept-encoding".into()),
        (ETAG, format!("W/{tag}")),
    ];
    if has_tag(request, &tag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let head = [(CONTENT_TYPE, format!("{media_type}; charset=utf-8"))];
    let accept = request.get(ACCEPT_ENCODING);
    if accept.is_some_and(|accept| accepts(accept.as_bytes(), "br")) {
        return (caching, head, [(CONTENT_ENCODING, "br")], bytes).into_response();
    }
    // Some browsers accept Brotli only over https.
    let mut plain = Vec::new();
    brotli::BrotliDecompress(&mut &*bytes, &mut plain).expect("the build compressed it");
    (caching, head, plain).into_response()
}

/// Serves a font, which is compressed already and doesn't change for years.
fn font(bytes: &'static [u8]) -> MethodRouter<Arc<Shared>> {
    let headers = [
        (CONTENT_TYPE, "font/woff2"),
        (CACHE_CONTROL, "private, max-age=604800"),
    ];
    get(async move || (headers, bytes))
}

/// Why something wasn't done, in words for the owner.
#[derive(Debug)]
struct DeskError {
    status: StatusCode,
    words: String,
}

impl DeskError {
    fn new(status: StatusCode, words: impl Into<String>) -> Self {
        let words = words.into();
        Self { status, words }
    }

    fn conflict(words: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, words)
    }

    /// The owner's input isn't valid.
    fn invalid(words: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    fn not_found(words: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, words)
    }

    fn unknown_lead() -> Self {
        Self::not_found("This lead is gone.")
    }

    fn draft_changed(who: &str) -> Self {
        Self::conflict(format!(
            "{who} has changed this draft in another browser. Copy your text, then reload."
        ))
    }

    fn no_mail_server() -> Self {
        Self::conflict("No mail server is set up: set FRONTDOOR_SMTP_URL.")
    }
}

impl From<StoreError> for DeskError {
    fn from(error: StoreError) -> Self {
        tracing::debug!(%error, "the desk got no answer from the store");
        let message = sentence(&error.to_string());
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

impl From<JsonRejection> for DeskError {
    fn from(why: JsonRejection) -> Self {
        let message = match why.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "This is too long to be kept.",
            // The desk's own pages send no such request.
            _ => "The server doesn't understand this request. Reload the page.",
        };
        Self::new(why.status(), message)
    }
}

impl IntoResponse for DeskError {
    fn into_response(self) -> Response<Body> {
        let problem = Problem::new(self.status, &self.words);
        problem.answer().map(Body::new)
    }
}

/// A JSON body. A wrong one is refused with a problem document.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(DeskError))]
struct JsonBody<T>(T);

type JsonResponse<T> = Result<Json<T>, DeskError>;

/// A draft, as it was typed.
#[derive(Deserialize)]
struct DraftText {
    text: String,
}

/// A draft to be kept.
#[derive(Deserialize)]
struct NewDraft {
    text: String,
    /// The draft that this browser read last: another browser may have changed it since.
    before: Option<String>,
}

/// What was done, in words.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Message {
    message: String,
}

fn confirm(message: impl Into<String>) -> JsonResponse<Message> {
    let message = message.into();
    Ok(Json(Message { message }))
}
