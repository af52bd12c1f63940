//! The security headers that every answer carries.

use std::fmt::Display;

use http::header::{
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

/// For answers that are no page: nothing may be loaded by them or frame them.
const CLOSED_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/// Only features that browsers know: an unknown name is a warning on the
/// visitor's console.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), \
    geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), \
    midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), \
    xr-spatial-tracking=()";

/// For answers that are no page, and so can use none of them: the features
/// that matter most, in few bytes, since a page's files carry them each.
const PERMISSIONS_ELSEWHERE: &str = "camera=(), geolocation=(), microphone=()";

/// A year. Subdomains are not ours to speak for unless the owner says so.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
const HSTS_SUBDOMAINS: HeaderValue =
    HeaderValue::from_static("max-age=31536000; includeSubDomains");

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const COEP: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");

/// What a page may load beside what is its own, for example a chat widget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraSources {
    pub script: Vec<String>,
    pub style: Vec<String>,
    pub connect: Vec<String>,
    pub img: Vec<String>,
}

impl ExtraSources {
    fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// The policy of one page: its own origin, its inline hashes, the extras.
pub fn page_policy<H: Display>(
    scripts: &[H],
    styles: &[H],
    extra: &ExtraSources,
    tls: bool,
) -> String {
    let hashes = |list: &[H]| {
        list.iter()
            .map(|hash| format!("'{hash}'"))
            .collect::<Vec<_>>()
    };
    let own = "'self'".to_owned();
    let with_own = |more: &[String]| [std::slice::from_ref(&own), more].concat();
    let mut policy = vec!["default-src 'none'".to_owned()];
    let mut allow = |directive: &str, sources: Vec<String>| {
        if !sources.is_empty() {
            policy.push(format!("{directive} {}", sources.join(" ")));
        }
    };
    allow(
        "script-src",
        [with_own(&hashes(scripts)), extra.script.clone()].concat(),
    );
    allow(
        "style-src",
        [with_own(&hashes(styles)), extra.style.clone()].concat(),
    );
    allow("img-src", with_own(&extra.img));
    allow("font-src", with_own(&[]));
    allow("connect-src", with_own(&extra.connect));
    policy.push(
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'".into(),
    );
    if tls {
        policy.push("upgrade-insecure-requests".into());
    }
    policy.join("; ")
}

/// Everything but the policies of a page.
fn common() -> [(HeaderName, HeaderValue); 7] {
    let fixed = |name, value| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    [
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (
            REFERRER_POLICY,
            HeaderValue::from_static("strict-origin-when-cross-origin"),
        ),
        (
            PERMISSIONS_POLICY,
            HeaderValue::from_static(PERMISSIONS_ELSEWHERE),
        ),
        fixed("cross-origin-opener-policy", "same-origin"),
        fixed("cross-origin-resource-policy", "same-origin"),
        (COEP, HeaderValue::from_static("require-corp")),
    ]
}

/// The headers of an answer that is no page; one that has them keeps them.
pub fn secure(headers: &mut HeaderMap) {
    if headers.contains_key(X_CONTENT_TYPE_OPTIONS) {
        return;
    }
    headers.extend(common());
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(CLOSED_POLICY),
        );
    }
}

/// The policy of a picture that styles itself: its own rules and nothing else.
pub fn picture_policy(styles: &[impl Display]) -> String {
    let hashes: Vec<_> = styles.iter().map(|hash| format!("'{hash}'")).collect();
    format!("{CLOSED_POLICY}; style-src {}", hashes.join(" "))
}

/// The headers of a page with this policy.
pub fn secure_page(headers: &mut HeaderMap, policy: HeaderValue, extra: &ExtraSources) {
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    secure(headers);
    headers.insert(PERMISSIONS_POLICY, HeaderValue::from_static(PERMISSIONS));
    if extra.any() {
        // Third parties seldom send the header that `require-corp` asks for.
        headers.insert(COEP, HeaderValue::from_static("credentialless"));
    }
}

/// Only over TLS: on plain HTTP browsers must ignore it, and a visitor of a
/// local copy must not be locked out.
pub fn require_tls(headers: &mut HeaderMap, subdomains: bool) {
    let value = if subdomains { HSTS_SUBDOMAINS } else { HSTS };
    headers.insert(STRICT_TRANSPORT_SECURITY, value);
}
