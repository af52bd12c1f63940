//! Responses other than pages (problems as in RFC 9457, wrong methods, redirects) and the security
//! headers of every response.

use std::fmt::Display;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap,
    HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Method, Response, StatusCode, Uri};
use http_body_util::Full;
use serde::Serialize;

use crate::domain::FieldError;

pub type HttpResponse = Response<Full<Bytes>>;

/// The methods of pages, assets and well-known files.
pub const PAGE_METHODS: &str = "GET, HEAD, OPTIONS";

/// The policy for responses that aren't pages: they load nothing and can't be framed.
const CLOSED_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/// Names only features that browsers know: an unknown one causes a warning in the visitor's
/// console.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "accelerometer=(), camera=(), display-capture=(), \
    geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), \
    midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), \
    xr-spatial-tracking=()",
);

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const EMBEDDER_POLICY: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");

/// Headers of every response that doesn't set its own. The permissions policy names only the most
/// important features, because every file of a page carries it.
const COMMON: [(HeaderName, &str); 7] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "strict-origin-when-cross-origin"),
    (
        PERMISSIONS_POLICY,
        "camera=(), geolocation=(), microphone=()",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (EMBEDDER_POLICY, "require-corp"),
];

/// Third-party sources that a page may load, for example for a chat widget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraSources {
    pub script: Vec<String>,
    pub style: Vec<String>,
    pub connect: Vec<String>,
    pub img: Vec<String>,
}

/// A problem document (RFC 9457).
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    status: u16,
    title: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Field<'a>>,
}

#[derive(Debug, Serialize)]
struct Field<'a> {
    field: &'a str,
    message: &'a str,
}

impl<'a> Problem<'a> {
    pub fn new(status: StatusCode, detail: &'a str) -> Self {
        Self {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or("Error"),
            detail,
            errors: Vec::new(),
        }
    }

    /// Replaces the status's name with a more specific title.
    pub fn titled(mut self, title: Option<&'a str>) -> Self {
        self.title = title.unwrap_or(self.title);
        self
    }

    pub fn with_fields(mut self, fields: &'a [FieldError]) -> Self {
        let named = fields.iter().map(|error| Field {
            field: error.field,
            message: &error.message,
        });
        self.errors = named.collect();
        self
    }

    pub fn answer(&self) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        json(status, "application/problem+json", self)
    }
}

pub fn bare(status: StatusCode) -> HttpResponse {
    let mut answer = HttpResponse::default();
    *answer.status_mut() = status;
    answer
}

/// A response for one caller, which no cache may store.
pub fn private(status: StatusCode, media_type: &'static str, bytes: Bytes) -> HttpResponse {
    let mut answer = bare(status);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, bytes.len().into());
    *answer.body_mut() = Full::new(bytes);
    answer
}

pub fn json(status: StatusCode, media_type: &'static str, value: &impl Serialize) -> HttpResponse {
    let json = serde_json::to_vec(value).expect("strings and numbers only");
    private(status, media_type, json.into())
}

/// The response to a method that the path doesn't support. OPTIONS grants other origins nothing.
pub fn other_method(method: &Method, allowed: &'static str) -> HttpResponse {
    let mut answer = match *method {
        Method::OPTIONS => bare(StatusCode::NO_CONTENT),
        _ => {
            let detail = format!("This path answers to {allowed} only");
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, &detail).answer()
        }
    };
    let headers = answer.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// Redirects a path with a trailing slash to the path without it.
pub fn without_trailing_slash(uri: &Uri) -> Option<HttpResponse> {
    let target = plain_path(uri.path(), uri.query())?;
    let mut answer = bare(StatusCode::PERMANENT_REDIRECT);
    let headers = answer.headers_mut();
    headers.insert(LOCATION, HeaderValue::try_from(target).ok()?);
    let caching = HeaderValue::from_static("public, max-age=3600");
    headers.insert(CACHE_CONTROL, caching);
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    Some(answer)
}

/// Collapses repeated slashes, because `//host` would name another site. For the same reason, only
/// paths of plain characters are redirected: browsers read `\` as `/`.
fn plain_path(path: &str, query: Option<&str>) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    if path.len() < 2 || !path.ends_with('/') || !path.bytes().all(is_plain) {
        return None;
    }
    let parts = path.split('/').filter(|part| !part.is_empty());
    let path = parts.collect::<Vec<_>>().join("/");
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("/{path}{query}"))
}

/// A page's policy allows its own origin, its inline scripts and styles, and the extra sources.
pub fn page_policy<H: Display>(
    scripts: &[H],
    styles: &[H],
    extra: &ExtraSources,
    tls: bool,
) -> String {
    let sources = |inline: &[H], more: &[String]| {
        let inline = inline.iter().map(|hash| format!(" '{hash}'"));
        let more = more.iter().map(|source| format!(" {source}"));
        inline.chain(more).collect::<String>()
    };
    let upgrade = if tls {
        "; upgrade-insecure-requests"
    } else {
        ""
    };
    format!(
        "default-src 'none'; script-src 'self'{}; style-src 'self'{}; img-src 'self'{}; \
         font-src 'self'; connect-src 'self'{}; manifest-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'{upgrade}",
        sources(scripts, &extra.script),
        sources(styles, &extra.style),
        sources(&[], &extra.img),
        sources(&[], &extra.connect),
    )
}

pub fn picture_policy(styles: &[impl Display]) -> String {
    let hashes: Vec<_> = styles.iter().map(|hash| format!("'{hash}'")).collect();
    format!("{CLOSED_POLICY}; style-src {}", hashes.join(" "))
}

/// Adds the headers of every response, unless they are already set.
pub fn secure(headers: &mut HeaderMap) {
    if headers.contains_key(X_CONTENT_TYPE_OPTIONS) {
        return;
    }
    let policy = (CONTENT_SECURITY_POLICY, CLOSED_POLICY);
    for (name, value) in COMMON.into_iter().chain([policy]) {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    }
}

pub fn secure_page(headers: &mut HeaderMap, policy: HeaderValue, extra: &ExtraSources) {
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    if *extra != ExtraSources::default() {
        // Third parties seldom send the header that `require-corp` requires.
        headers.insert(EMBEDDER_POLICY, HeaderValue::from_static("credentialless"));
    }
    secure(headers);
}

/// Adds HSTS for a year. Call it only for requests over TLS: browsers ignore HSTS on plain HTTP,
/// and visitors to a local copy must not be locked out.
pub fn require_tls(headers: &mut HeaderMap, subdomains: bool) {
    let value = HeaderValue::from_static(if subdomains {
        "max-age=31536000; includeSubDomains"
    } else {
        "max-age=31536000"
    });
    headers.insert(STRICT_TRANSPORT_SECURITY, value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trailing_slashes_go_and_the_query_stays() {
        for (path, query, target) in [
            ("/services/", None, Some("/services")),
            ("/blog//x///", Some("a=b/"), Some("/blog/x?a=b/")),
            ("//", None, Some("/")),
            ("//evil.example/", None, Some("/evil.example")),
            ("/", None, None),
            ("/services", None, None),
            ("/a%2f/", None, None),
            ("/\\evil.example/", None, None),
            ("/a b/", None, None),
        ] {
            assert_eq!(plain_path(path, query).as_deref(), target, "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_target_begins_with_one_slash(path in "/[ -~]{0,30}/") {
            if let Some(target) = plain_path(&path, None) {
                prop_assert!(target.starts_with('/'));
                prop_assert!(!target.starts_with("//") && !target.contains('\\'));
            }
        }
    }
}
