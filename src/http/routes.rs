//! The route table of everything that is no page, a line for each method of a
//! path. What `Allow` says, the name in the log and the metrics, and the answer
//! to a breakdown come from it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};
use http::{Method, Request};
use http_body_util::Either;

use super::edge::body::Answer;
use super::edge::client::Client;
use super::edge::methods;
use super::forms::contact_form::ContactPost;
use super::forms::form_body::Format;
use super::forms::intake::{failed, submit};
use super::forms::links;
use super::forms::newsletter::NewsletterPost;
use super::label::Label;
use super::nowhere;
use super::ops::metrics::Class::{self, Contact, Newsletter};
use super::parts::AppParts;

type Parts = Arc<AppParts>;

/// The answer when a handler broke down.
type Breakdown = fn(&AppParts, Format, Client) -> Answer;

const GET: Method = Method::GET;
const POST: Method = Method::POST;

/// Lines of one path stand together.
#[rustfmt::skip]
fn table() -> Vec<Route> {
    vec![
        route(POST, "/api/contacts", Contact, submit::<ContactPost>, failed::<ContactPost>),
        route(POST, "/api/newsletter", Newsletter, submit::<NewsletterPost>, failed::<NewsletterPost>),
        route(GET, "/newsletter/confirm", Newsletter, links::ask_to_confirm, links::failed),
        route(POST, "/newsletter/confirm", Newsletter, links::confirm, links::failed),
        route(GET, "/newsletter/unsubscribe", Newsletter, links::ask_to_unsubscribe, links::failed),
        route(POST, "/newsletter/unsubscribe", Newsletter, links::unsubscribe, links::failed),
    ]
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
    failed: Breakdown,
) -> Route
where
    H: Handler<T, Parts>,
    T: 'static,
{
    let label = Label { class, route: path };
    let guarded = async move |State(parts): State<Parts>,
                              Extension(client): Extension<Client>,
                              request: Request<Body>| {
        // Whoever posts what we cannot read gets JSON, as elsewhere.
        let format = Format::of(request.headers()).unwrap_or(Format::Json);
        // In a task of its own: a visitor who leaves before the answer has
        // still sent a message, and a panic is an answer, not a silence.
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
    let paths = table.chunk_by(|one, next| one.path == next.path);
    let add =
        |router: Router<Parts>, routes: &[Route]| router.route(routes[0].path, one_path(routes));
    let router = paths.fold(Router::new(), add);
    router.fallback(nowhere::answer).with_state(parts)
}

/// The handlers of a path, and the answer to all other methods.
fn one_path(routes: &[Route]) -> MethodRouter<Parts> {
    let allow = methods::allow(routes.iter().map(|route| &route.method));
    let label = routes[0].label;
    let other = async move |method: Method| {
        label.on(match method {
            Method::OPTIONS => methods::options(&allow),
            _ => methods::wrong(&allow),
        })
    };
    let handlers = routes.iter().map(|route| route.handler.clone());
    handlers
        .fold(MethodRouter::new(), MethodRouter::merge)
        .fallback(other)
}
