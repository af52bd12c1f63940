//! Answers to methods that a path has no content for.

use http::header::{ALLOW, HeaderValue};
use http::{Method, StatusCode};

use super::body::{self, Answer};
use super::error::Problem;
use super::headers;

/// What pages, assets and well-known files answer to.
pub const OF_PAGES: &str = "GET, HEAD, OPTIONS";

/// What `Allow` says where there are handlers of these methods.
pub fn allow<'a>(handled: impl Iterator<Item = &'a Method>) -> String {
    let mut allow = String::new();
    for method in handled {
        allow.push_str(method.as_str());
        allow.push_str(if method == Method::GET {
            ", HEAD, "
        } else {
            ", "
        });
    }
    allow + "OPTIONS"
}

/// The answer to OPTIONS. It grants nothing to other sites.
pub fn options(methods: &str) -> Answer {
    with_allow(body::bare(StatusCode::NO_CONTENT), methods)
}

pub fn wrong(methods: &str) -> Answer {
    let detail = format!("This path answers to {methods} only");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, &detail);
    with_allow(problem.answer(), methods)
}

fn with_allow(mut answer: Answer, methods: &str) -> Answer {
    let headers = answer.headers_mut();
    let methods = HeaderValue::try_from(methods);
    headers.insert(ALLOW, methods.expect("names of methods are plain ASCII"));
    headers::secure(headers);
    answer
}
