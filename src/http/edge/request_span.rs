//! The first step of a request's trace: the same facts as its line in the log,
//! and none about a person.

use std::borrow::Cow;

use http::HeaderMap;

use super::client::Client;
use super::request_log::{Line, method};
use crate::trace::{Begun, Context, Kind, Tracer};

/// Of the standard W3C Trace Context.
const TRACEPARENT: &str = "traceparent";

/// In the trace that a trusted proxy has begun, or in one of its own: a visitor's
/// word would put anything into anybody's trace.
pub fn begin(tracer: &Tracer, headers: &HeaderMap, client: &Client) -> Option<Begun> {
    tracer.begin(|| {
        let given = headers.get(TRACEPARENT).filter(|_| client.proxied)?;
        Context::parse(given.to_str().ok()?)
    })
}

pub fn end(tracer: &Tracer, begun: Option<Begun>, line: &Line<'_>) {
    tracer.end(begun, |begun| {
        let (method, route) = (method(line.method).to_owned(), line.route.to_owned());
        let failed = (line.status >= 500).then_some(Cow::Borrowed("the server failed"));
        begun
            .done(format!("{method} {route}"), Kind::Server)
            .text("http.request.method", method)
            .text("http.route", route)
            .number("http.response.status_code", line.status.into())
            .text("frontdoor.request_id", line.request_id.as_str().to_owned())
            .failed(failed)
    });
}
