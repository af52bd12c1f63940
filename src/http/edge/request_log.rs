//! The log line of each request, and the request id. The route is our own pattern, never the
//! visitor's path; no address, query or other personal data is logged.

use std::fmt::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::header::HeaderName;
use http::{HeaderValue, Method, StatusCode};
use jiff::Timestamp;
use tracing::Level;

use crate::logging::Log;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id accepted from a proxy.
const MAX_ID: usize = 64;

/// Keeps the ids of different processes apart.
static SEED: LazyLock<u64> = LazyLock::new(rand::random);
static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Clone)]
pub enum RequestId {
    /// Sixteen hexadecimal digits.
    Own([u8; 16]),
    /// A trusted proxy's.
    Given(HeaderValue),
}

impl RequestId {
    /// Keeps the id that a trusted proxy sent if it is plain ASCII.
    pub fn new(given: Option<&HeaderValue>) -> Self {
        let is_plain = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
            (1..=MAX_ID).contains(&bytes.len()) && bytes.iter().all(is_letter)
        };
        let given = given.filter(is_plain).cloned();
        given.map_or_else(|| Self::Own(new_id()), Self::Given)
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(digits) => str::from_utf8(digits).unwrap_or_default(),
            Self::Given(id) => id.to_str().unwrap_or_default(),
        }
    }

    pub fn header(&self) -> HeaderValue {
        match self {
            Self::Own(digits) => HeaderValue::from_bytes(digits).expect("hexadecimal digits"),
            Self::Given(id) => id.clone(),
        }
    }
}

/// Multiplying by an odd number maps no two counts to the same id.
fn new_id() -> [u8; 16] {
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    let id = SEED.wrapping_add(count.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    // Every request gets an id, and `format!` showed in the profile.
    std::array::from_fn(|at| b"0123456789abcdef"[(id >> (60 - 4 * at)) as usize % 16])
}

pub struct RequestLog {
    /// `None` if the log filter excludes all requests, or the server has no log.
    log: Option<Log>,
    /// The filter leaves only our own failures, which are warnings.
    only_failures: bool,
}

pub struct Line<'a> {
    pub method: &'a Method,
    pub route: &'a str,
    pub status: StatusCode,
    pub took: Duration,
    pub bytes: u64,
    pub request_id: &'a RequestId,
}

impl RequestLog {
    pub fn new(log: Option<Log>) -> Self {
        let failures = tracing::enabled!(target: "frontdoor::request", Level::WARN);
        let all = tracing::enabled!(target: "frontdoor::request", Level::INFO);
        Self {
            log: log.filter(|_| failures),
            only_failures: !all,
        }
    }

    pub fn write(&self, line: &Line<'_>) {
        let Some(log) = &self.log else { return };
        let is_failure = line.status.is_server_error();
        if self.only_failures && !is_failure {
            return;
        }
        let level = if is_failure { Level::WARN } else { Level::INFO };
        let mut text = String::with_capacity(224);
        text += log.prefix(level);
        let written = if log.json {
            json(&mut text, line, level)
        } else {
            human(&mut text, line)
        };
        if written.is_ok() {
            log.push(text.into_bytes());
        }
    }
}

/// Put together by hand, because every request pays for it. No value can contain quotes: the method
/// is from a fixed list, and the route and the id are checked.
fn json(out: &mut String, line: &Line<'_>, level: Level) -> std::fmt::Result {
    write!(out, "{{\"timestamp\":\"{:.3}", Timestamp::now())?;
    for text in [
        "\",\"level\":\"",
        level.as_str(),
        "\",\"message\":\"request\",\"method\":\"",
        method(line.method),
        "\",\"route\":\"",
        line.route,
        "\",\"request_id\":\"",
        line.request_id.as_str(),
        "\",\"status\":",
        line.status.as_str(),
    ] {
        out.push_str(text);
    }
    let (us, bytes) = (line.took.as_micros() as u64, line.bytes);
    writeln!(out, ",\"us\":{us},\"bytes\":{bytes}}}")
}

fn human(out: &mut String, line: &Line<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "{:.3}  {} {} {} {} µs {} B {}",
        Timestamp::now(),
        line.status.as_str(),
        method(line.method),
        line.route,
        line.took.as_micros(),
        line.bytes,
        line.request_id.as_str(),
    )
}

/// Replaces methods that a client invented.
pub fn method(method: &Method) -> &str {
    match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
        _ => "OTHER",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_a_plain_given_one_is_kept() {
        let (one, two) = (RequestId::new(None), RequestId::new(None));
        assert_ne!(one.as_str(), two.as_str());
        assert_eq!(one.as_str().len(), 16);
        let given = HeaderValue::from_static("abc-123");
        assert_eq!(RequestId::new(Some(&given)).as_str(), "abc-123");
        for odd in ["", "a b", "\"x\"", &"a".repeat(65)] {
            let given = HeaderValue::from_str(odd).unwrap();
            assert_ne!(RequestId::new(Some(&given)).as_str(), odd);
        }
    }
}
