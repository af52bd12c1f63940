//! Answers to methods that a path has no content for.

use http::StatusCode;
use http::header::{ALLOW, HeaderValue};

use super::body::{self, Answer};
use super::error::Problem;
use super::headers;

/// What pages, assets and well-known files answer to.
pub const OF_PAGES: &str = "GET, HEAD, OPTIONS";

/// The answer to OPTIONS. It grants nothing to other sites.
pub fn options(methods: &'static str) -> Answer {
    let mut answer = Answer::new(body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    with_allow(answer, methods)
}

pub fn wrong(methods: &'static str) -> Answer {
    let detail = format!("This path answers to {methods} only");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, &detail);
    with_allow(problem.answer(), methods)
}

fn with_allow(mut answer: Answer, methods: &'static str) -> Answer {
    let headers = answer.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(methods));
    headers::secure(headers);
    answer
}
