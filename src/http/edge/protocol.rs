//! What every request must get right before anybody looks at what it asks:
//! one good `Host`, a target we can have, and one end of its body. Where two
//! readers could differ, a proxy and we, one of them can be deceived.

use std::net::Ipv6Addr;

use http::header::{CONNECTION, HOST, HeaderValue, TRANSFER_ENCODING};
use http::{HeaderMap, Method, Request, StatusCode, Uri, Version};
use hyper::body::Body;

use super::body::Answer;
use super::error::Problem;
use super::headers;

const HOST_FAULT: &str = "The request must name one host";
const TARGET_FAULT: &str = "The request's target is not an address on this site";
const ENCODING_FAULT: &str = "A body in chunks must be in chunks and nothing else";

/// What is wrong with a request, for developers.
pub fn fault<B: Body>(request: &Request<B>) -> Option<&'static str> {
    if !names_one_host(request.headers(), request.version()) {
        return Some(HOST_FAULT);
    }
    if !is_ours(request.uri(), request.method()) {
        return Some(TARGET_FAULT);
    }
    // Almost no request has a body, and without one there is no end to mistake.
    if request.body().is_end_stream() {
        return None;
    }
    (!is_plainly_chunked(request.headers())).then_some(ENCODING_FAULT)
}

/// Nothing more is read on this connection: who knows where it begins.
pub fn refusal(fault: &str) -> Answer {
    let mut answer = Problem::new(StatusCode::BAD_REQUEST, fault).answer();
    let map = answer.headers_mut();
    map.insert(CONNECTION, HeaderValue::from_static("close"));
    headers::secure(map);
    answer
}

/// HTTP/1.0 knows no `Host`, but a wrong one is wrong there too.
fn names_one_host(headers: &HeaderMap, version: Version) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host.as_bytes()),
        (None, _) => version <= Version::HTTP_10,
        _ => false,
    }
}

/// A name, an IPv4 address or an IPv6 address in brackets, and maybe a port.
fn is_host(host: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let name = host.iter().take_while(|byte| is_letter(byte)).count();
    match host.split_at(name) {
        ([], rest) => is_ipv6(rest),
        (_, rest) => is_port(rest),
    }
}

fn is_ipv6(host: &[u8]) -> bool {
    let text = std::str::from_utf8(host).unwrap_or_default();
    let parts = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    parts.is_some_and(|(address, rest)| {
        address.parse::<Ipv6Addr>().is_ok() && is_port(rest.as_bytes())
    })
}

/// Nothing, a colon, or a colon and a number.
fn is_port(rest: &[u8]) -> bool {
    match rest {
        [] | [b':'] => true,
        [b':', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(digits).unwrap_or_default();
            number.parse::<u16>().is_ok()
        }
        _ => false,
    }
}

/// A path, also one within a whole address, as a proxy is asked for it.
fn is_ours(target: &Uri, method: &Method) -> bool {
    let is_web = |scheme| matches!(scheme, "http" | "https");
    match target.path() {
        "*" => method == Method::OPTIONS,
        path if path.starts_with('/') => target.scheme_str().is_none_or(is_web),
        // The other end of a tunnel; we have none, whatever it is.
        _ => method == Method::CONNECT,
    }
}

fn is_plainly_chunked(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let first = encodings.next();
    let is_plain = first.is_none_or(|value| value.as_bytes().eq_ignore_ascii_case(b"chunked"));
    is_plain && encodings.next().is_none()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_taken_for_a_host_is_one_for_a_parser_of_addresses_too(host in "[ -~]{0,20}") {
            if is_host(host.as_bytes()) {
                prop_assert!(host.parse::<http::uri::Authority>().is_ok(), "{host}");
                prop_assert!(!host.contains(['/', '@', ' ', ',', '\\', '<', '"']));
            }
        }

        #[test]
        fn an_ordinary_name_with_a_port_is_a_host(
            host in "[a-z0-9]{1,9}(\\.[a-z0-9-]{1,9}){0,3}(:[0-9]{1,4})?"
        ) {
            prop_assert!(is_host(host.as_bytes()));
        }
    }
}
