//! Protocol checks before anything else: one valid `Host`, a target on this site, and an
//! unambiguous body length. A request that a proxy and this server read differently can smuggle
//! another past the proxy.

use std::net::Ipv6Addr;
use std::str::FromStr;

use http::header::{CONNECTION, HOST, HeaderValue, TRANSFER_ENCODING};
use http::{HeaderMap, Method, Request, StatusCode, Uri, Version};
use hyper::body::Body;

use super::response::{HttpResponse, Problem};

const HOST_FAULT: &str = "The request must name one host";
const TARGET_FAULT: &str = "The request's target isn't an address on this site";
const ENCODING_FAULT: &str = "A body in chunks must be in chunks and nothing else";

/// The fault in a request, worded for developers.
pub fn fault<B: Body>(request: &Request<B>) -> Option<&'static str> {
    if !names_one_host(request.headers(), request.version()) {
        return Some(HOST_FAULT);
    }
    if !is_ours(request.uri(), request.method()) {
        return Some(TARGET_FAULT);
    }
    // Nearly all requests have no body, so there is no length to mistake.
    if request.body().is_end_stream() {
        return None;
    }
    (!is_plainly_chunked(request.headers())).then_some(ENCODING_FAULT)
}

/// The response closes the connection, because the start of the next request is uncertain.
pub fn refusal(fault: &str) -> HttpResponse {
    let mut answer = Problem::new(StatusCode::BAD_REQUEST, fault).answer();
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(CONNECTION, close);
    answer
}

/// HTTP/1.0 doesn't require `Host`, but an invalid one is rejected there too.
fn names_one_host(headers: &HeaderMap, version: Version) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host.as_bytes()),
        (None, _) => version <= Version::HTTP_10,
        _ => false,
    }
}

/// A name or an address with an optional port, and no user. `Authority` isn't used because it would
/// copy each host.
fn is_host(host: &[u8]) -> bool {
    let end_of_name = match host {
        [b'[', ..] => host.iter().position(|byte| *byte == b']').map(|at| at + 1),
        _ => host.iter().position(|byte| *byte == b':'),
    };
    let (name, port) = host.split_at(end_of_name.unwrap_or(host.len()));
    let is_letter = |byte: &u8| {
        let is_mark = matches!(byte, b'!' | b'$'..=b'.' | b';' | b'=' | b'_' | b'~');
        is_mark || byte.is_ascii_alphanumeric()
    };
    let is_name = match name {
        [b'[', address @ .., b']'] => parsed::<Ipv6Addr>(address),
        _ => !name.is_empty() && name.iter().all(is_letter),
    };
    let is_port = match port {
        [] | [b':'] => true,
        [_, port @ ..] => parsed::<u16>(port),
    };
    is_name && is_port
}

fn parsed<T: FromStr>(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.parse::<T>().is_ok())
}

/// Accepts a path, or an absolute URL, which clients send to proxies.
fn is_ours(target: &Uri, method: &Method) -> bool {
    let is_web = |scheme| matches!(scheme, "http" | "https");
    match target.path() {
        "*" => method == Method::OPTIONS,
        path if path.starts_with('/') => target.scheme_str().is_none_or(is_web),
        // CONNECT names a tunnel's destination; it gets a 405 later.
        _ => method == Method::CONNECT,
    }
}

fn is_plainly_chunked(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let first = encodings.next();
    let is_plain = first.is_none_or(|value| value.as_bytes().eq_ignore_ascii_case(b"chunked"));
    is_plain && encodings.next().is_none()
}
