//! One line for each request: what was asked for and how it ended. The route
//! is our own pattern, never the visitor's path; there is no address, no
//! query, nothing about a person.

use std::fmt::Write as _;
use std::time::Duration;

use http::Method;
use jiff::Timestamp;

use super::request_id::RequestId;
use crate::logging::Log;

pub struct RequestLog(Option<Log>);

pub struct Line<'a> {
    pub method: &'a Method,
    pub route: &'a str,
    pub status: u16,
    pub took: Duration,
    pub bytes: u64,
    pub request_id: &'a RequestId,
}

impl RequestLog {
    /// Follows the filter of the log; a server without a log writes none.
    pub fn new(log: Option<Log>) -> Self {
        let enabled = tracing::enabled!(target: "frontdoor::request", tracing::Level::INFO);
        Self(log.filter(|_| enabled))
    }

    pub fn write(&self, line: &Line<'_>) {
        let Some(log) = &self.0 else { return };
        let mut text = String::with_capacity(224);
        let written = if log.json {
            json(&mut text, line)
        } else {
            human(&mut text, line)
        };
        if written.is_ok() {
            log.sink.push(text.as_bytes());
        }
    }
}

/// Written by hand because it is on every request's way. All parts are ours
/// and free of quotes; the method is a token by the grammar of HTTP.
fn json(out: &mut String, line: &Line<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "{{\"timestamp\":\"{:.3}\",\"level\":\"INFO\",\"message\":\"request\",\"method\":\"{}\",\
         \"route\":\"{}\",\"status\":{},\"us\":{},\"bytes\":{},\"request_id\":\"{}\"}}",
        Timestamp::now(),
        method(line.method),
        line.route,
        line.status,
        line.took.as_micros(),
        line.bytes,
        line.request_id.as_str(),
    )
}

fn human(out: &mut String, line: &Line<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "{:.3}  {} {} {} {} µs {} B {}",
        Timestamp::now(),
        line.status,
        method(line.method),
        line.route,
        line.took.as_micros(),
        line.bytes,
        line.request_id.as_str(),
    )
}

/// A method of a client's own making could say anything.
pub fn method(method: &Method) -> &str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if known.contains(method) {
        method.as_str()
    } else {
        "OTHER"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_line_is_json_and_holds_what_is_needed() {
        let id = RequestId::new(None);
        let line = Line {
            method: &Method::from_bytes(b"X'\"Y").unwrap_or(Method::TRACE),
            route: "/services",
            status: 200,
            took: Duration::from_micros(12),
            bytes: 34,
            request_id: &id,
        };
        let mut text = String::new();
        json(&mut text, &line).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["route"], "/services");
        assert_eq!(value["status"], 200);
        assert_eq!(value["us"], 12);
        assert_eq!(value["method"], "OTHER");
        assert_eq!(value["request_id"], id.as_str());
    }
}
