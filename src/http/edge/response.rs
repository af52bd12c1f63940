//! Answers that need no page, and the security headers that every answer has:
//! problems (RFC 9457), what other methods get, redirects.

use std::fmt::Display;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap,
    HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Method, Response, StatusCode, Uri};
use http_body_util::{Either, Full};
use serde::Serialize;

use crate::domain::FieldError;

/// Bytes at hand, or what a handler made.
pub type AnswerBody = Either<Full<Bytes>, axum::body::Body>;
pub type Answer = Response<AnswerBody>;

/// What pages, assets and well-known files answer to.
pub const OF_PAGES: &str = "GET, HEAD, OPTIONS";

/// For answers that are no page: nothing may be loaded by them or frame them.
const CLOSED_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/// Only features that browsers know: an unknown name is a warning on the
/// visitor's console.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "accelerometer=(), camera=(), display-capture=(), \
    geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), \
    midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), \
    xr-spatial-tracking=()",
);

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const EMBEDDER_POLICY: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");

/// Of every answer, but for the policies of a page. The permissions are those that
/// matter most, in few bytes: each file of a page carries them.
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

/// What a page may load beside what is its own, for example a chat widget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraSources {
    pub script: Vec<String>,
    pub style: Vec<String>,
    pub connect: Vec<String>,
    pub img: Vec<String>,
}

/// A problem as the caller sees it.
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

    /// With a closer description than the name of the status.
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

    pub fn answer(&self) -> Answer {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        json(status, "application/problem+json", self)
    }
}

/// Bytes that are already in memory.
pub fn body(bytes: Bytes) -> AnswerBody {
    Either::Left(Full::new(bytes))
}

/// Nothing but a status, so far.
pub fn bare(status: StatusCode) -> Answer {
    let mut answer = Answer::new(body(Bytes::new()));
    *answer.status_mut() = status;
    answer
}

/// For one caller: nobody may keep it.
pub fn private(status: StatusCode, media_type: &'static str, bytes: Bytes) -> Answer {
    let mut answer = bare(status);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, bytes.len().into());
    *answer.body_mut() = body(bytes);
    answer
}

pub fn json(status: StatusCode, media_type: &'static str, value: &impl Serialize) -> Answer {
    let json = serde_json::to_vec(value).expect("strings and numbers only");
    private(status, media_type, json.into())
}

/// The answer to a method that a path has no content for. The one to OPTIONS
/// grants nothing to other sites.
pub fn other_method(method: &Method, allowed: &str) -> Answer {
    let mut answer = match *method {
        Method::OPTIONS => bare(StatusCode::NO_CONTENT),
        _ => {
            let detail = format!("This path answers to {allowed} only");
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, &detail).answer()
        }
    };
    let headers = answer.headers_mut();
    let allowed = HeaderValue::try_from(allowed);
    headers.insert(ALLOW, allowed.expect("names of methods are plain ASCII"));
    secure(headers);
    answer
}

/// The redirect for a path with a slash at its end, if there is a plain one.
pub fn without_trailing_slash(uri: &Uri) -> Option<Answer> {
    let target = plain_path(uri.path(), uri.query())?;
    let mut answer = bare(StatusCode::PERMANENT_REDIRECT);
    let headers = answer.headers_mut();
    headers.insert(LOCATION, HeaderValue::try_from(target).ok()?);
    let caching = HeaderValue::from_static("public, max-age=3600");
    headers.insert(CACHE_CONTROL, caching);
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    Some(answer)
}

/// Runs of slashes become one: `//host` would name another site. For the same
/// reason only plain characters are sent back (browsers read `\` as `/`).
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

/// The policy of one page: its own origin, its inline hashes, the extras.
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

/// The policy of a picture that styles itself: its own rules and nothing else.
pub fn picture_policy(styles: &[impl Display]) -> String {
    let hashes: Vec<_> = styles.iter().map(|hash| format!("'{hash}'")).collect();
    format!("{CLOSED_POLICY}; style-src {}", hashes.join(" "))
}

/// The headers of an answer that is no page; one that has them keeps them.
pub fn secure(headers: &mut HeaderMap) {
    if headers.contains_key(X_CONTENT_TYPE_OPTIONS) {
        return;
    }
    for (name, value) in COMMON {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let policy = headers.entry(CONTENT_SECURITY_POLICY);
    policy.or_insert(HeaderValue::from_static(CLOSED_POLICY));
}

/// The headers of a page with this policy.
pub fn secure_page(headers: &mut HeaderMap, policy: HeaderValue, extra: &ExtraSources) {
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    secure(headers);
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    if *extra != ExtraSources::default() {
        // Third parties seldom send the header that `require-corp` asks for.
        headers.insert(EMBEDDER_POLICY, HeaderValue::from_static("credentialless"));
    }
}

/// A year. Only over TLS: on plain HTTP browsers must ignore it, and a visitor of
/// a local copy must not be locked out. Subdomains only if the owner says so.
pub fn require_tls(headers: &mut HeaderMap, subdomains: bool) {
    let value = HeaderValue::from_static(match subdomains {
        true => "max-age=31536000; includeSubDomains",
        false => "max-age=31536000",
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
