//! The route table of everything that isn't a page, one line per method and path. The `Allow`
//! header, the names in log and metrics, and the answer to a panic follow from it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};
use http::{Method, Request, StatusCode};
use http_body_util::Either;

use super::edge::client::Client;
use super::edge::response::{self, Answer, PAGE_METHODS, Problem};
use super::forms::body::Format;
use super::forms::contact::ContactPost;
use super::forms::newsletter::NewsletterPost;
use super::forms::newsletter_links::{self as links, CONFIRM, UNSUBSCRIBE};
use super::forms::{AppParts, failed, submit};
use super::ops::metrics::Class::{self, Contact, Newsletter, Other};

type Parts = Arc<AppParts>;

/// Makes the answer when a handler panics.
type Failed = fn(&AppParts, Format, Client) -> Answer;

const GET: Method = Method::GET;
const POST: Method = Method::POST;

/// Lines of one path must be adjacent.
#[rustfmt::skip]
fn table() -> Vec<Route> {
    vec![
        route(POST, "/api/contacts", Contact, submit::<ContactPost>, failed::<ContactPost>),
        route(POST, "/api/newsletter", Newsletter, submit::<NewsletterPost>, failed::<NewsletterPost>),
        route(GET, CONFIRM, Newsletter, links::visit, links::failed),
        route(POST, CONFIRM, Newsletter, links::visit, links::failed),
        route(GET, UNSUBSCRIBE, Newsletter, links::visit, links::failed),
        route(POST, UNSUBSCRIBE, Newsletter, links::visit, links::failed),
    ]
}

/// How a request is named in the log and the metrics.
#[derive(Clone, Copy)]
pub struct Label<'a> {
    pub class: Class,
    /// A fixed name, never a visitor's text.
    pub route: &'a str,
}

impl Label<'static> {
    /// Labels an answer of the router and adds the security headers.
    fn on(self, mut answer: Answer) -> Answer {
        response::secure(answer.headers_mut());
        answer.extensions_mut().insert(self);
        answer
    }
}

struct Route {
    method: Method,
    path: &'static str,
    label: Label<'static>,
    handler: MethodRouter<Parts>,
}

fn route<H, T>(
    method: Method,
    path: &'static str,
    class: Class,
    handler: H,
    failed: Failed,
) -> Route
where
    H: Handler<T, Parts>,
    T: 'static,
{
    let label = Label { class, route: path };
    let guarded = async move |State(parts): State<Parts>,
                              Extension(client): Extension<Client>,
                              request: Request<Body>| {
        // A post in an unknown format is answered with JSON, as elsewhere.
        let format = Format::of(request.headers()).unwrap_or(Format::Json);
        // Runs in its own task: a message is stored even if the visitor disconnects before the
        // answer, and a panic still yields an answer.
        let answer = tokio::spawn(handler.call(request, parts.clone())).await;
        label.on(match answer {
            Ok(answer) => answer.map(Either::Right),
            Err(_) => failed(&parts, format, client),
        })
    };
    let filter = MethodFilter::try_from(method.clone()).expect("a method of HTTP");
    Route {
        method,
        path,
        label,
        handler: on(filter, guarded),
    }
}

pub fn router(parts: Parts) -> Router {
    let table = table();
    let mut router = Router::new();
    for routes in table.chunk_by(|one, next| one.path == next.path) {
        router = router.route(routes[0].path, one_path(routes));
    }
    router.fallback(unknown_path).with_state(parts)
}

/// The handlers of a path, and the answer to all other methods.
fn one_path(routes: &[Route]) -> MethodRouter<Parts> {
    let methods = routes.iter().map(|route| match route.method {
        Method::GET => "GET, HEAD, ",
        _ => "POST, ",
    });
    let allowed = methods.collect::<String>() + "OPTIONS";
    let label = routes[0].label;
    let other = async move |method: Method| label.on(response::other_method(&method, &allowed));
    let handlers = routes.iter().map(|route| route.handler.clone());
    handlers
        .fold(MethodRouter::new(), MethodRouter::merge)
        .fallback(other)
}

/// A trailing slash redirects to the plain path; anything else is a 404.
async fn unknown_path(
    State(parts): State<Parts>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Answer {
    let (path, method) = (request.uri().path(), request.method());
    let label = |class, route| Label { class, route };
    if let Some(answer) = response::without_trailing_slash(request.uri()) {
        label(Other, "trailing slash").on(answer)
    } else if path == "*" && method == Method::OPTIONS {
        label(Other, "*").on(response::other_method(method, PAGE_METHODS))
    } else if method == Method::CONNECT {
        label(Other, "unknown").on(response::other_method(method, PAGE_METHODS))
    } else if path.starts_with("/api/") {
        let problem = Problem::new(StatusCode::NOT_FOUND, "There is nothing at this path");
        label(Other, "unknown").on(problem.answer())
    } else {
        let pages = parts.site.pages();
        let page = pages.missing(path);
        let answer = page.answer(method, request.headers(), client.tls);
        label(Class::Page, "unknown").on(answer)
    }
}
