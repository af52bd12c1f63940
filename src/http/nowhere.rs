//! What no page and no route answers to: a slash too many leads to the plain
//! path, anything else nowhere.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use http::{Method, Request, StatusCode};

use super::edge::body::Answer;
use super::edge::client::Client;
use super::edge::error::Problem;
use super::edge::{methods, redirect};
use super::label::Label;
use super::ops::metrics::Class;
use super::parts::AppParts;

pub async fn answer(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    request: Request<axum::body::Body>,
) -> Answer {
    let (path, method) = (request.uri().path(), request.method());
    let label = |class, route| Label { class, route };
    let unknown = label(Class::Other, "unknown");
    if let Some(answer) = redirect::plain_path(request.uri()) {
        label(Class::Other, "trailing slash").on(answer)
    } else if path == "*" && method == Method::OPTIONS {
        label(Class::Other, "*").on(methods::options(methods::OF_PAGES))
    } else if method == Method::CONNECT {
        unknown.on(methods::wrong(methods::OF_PAGES))
    } else if path.starts_with("/api/") {
        let problem = Problem::new(StatusCode::NOT_FOUND, "There is nothing at this path");
        unknown.on(problem.answer())
    } else {
        let pages = parts.pages.load();
        let answer = pages
            .missing(path)
            .answer(method, request.headers(), client.tls);
        label(Class::Page, "unknown").on(answer)
    }
}
