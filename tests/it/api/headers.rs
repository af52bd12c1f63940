//! What every answer carries, errors included.

use reqwest::{Method, Response};

use crate::support::app::TestApp;
use crate::support::client::header;
use crate::support::data::{fields_with, good_form};

fn assert_secure(response: &Response, what: &str) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "strict-origin-when-cross-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
    ] {
        assert_eq!(header(response, name), value, "{what} {name}");
        assert_eq!(
            response.headers().get_all(name).iter().count(),
            1,
            "{what} {name}"
        );
    }
    let policy = header(response, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{what}: {policy}");
    assert!(
        policy.contains("frame-ancestors 'none'"),
        "{what}: {policy}"
    );
    assert!(!policy.contains("unsafe"), "{what}: {policy}");
    assert!(
        header(response, "permissions-policy").contains("camera=()"),
        "{what}"
    );
    assert!(!header(response, "x-request-id").is_empty(), "{what}");
}

#[tokio::test]
async fn every_kind_of_answer_is_secure() {
    let app = TestApp::with(|args| args.network.rate_limit = Some("3".into())).await;
    let big = "x".repeat(40 * 1024);
    let cases = [
        (200, app.request(Method::GET, "/")),
        (200, app.request(Method::GET, "/robots.txt")),
        (
            304,
            app.request(Method::GET, "/").header("if-none-match", "*"),
        ),
        (308, app.request(Method::GET, "/about/")),
        (404, app.request(Method::GET, "/nowhere")),
        (404, app.request(Method::GET, "/blog/nowhere")),
        (404, app.request(Method::GET, "/api/nowhere")),
        (405, app.request(Method::DELETE, "/")),
        (405, app.request(Method::GET, "/api/contacts")),
        (204, app.request(Method::OPTIONS, "/")),
        (415, app.request(Method::POST, "/api/contacts").body("x")),
        (413, app.post_json(&good_form()).body(big)),
        (
            403,
            app.post_json(&good_form())
                .header("sec-fetch-site", "cross-site"),
        ),
        (201, app.post_json(&good_form())),
        (303, app.post_form(&fields_with(&[]))),
        (422, app.post_form(&[("name", "A")])),
        (429, app.post_json(&good_form())),
    ];
    for (status, request) in cases {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_secure(&response, &status.to_string());
    }
}

#[tokio::test]
async fn a_page_allows_its_own_inline_code_by_hash_only() {
    let app = TestApp::start().await;
    let response = app.get("/").await;
    let policy = header(&response, "content-security-policy").to_owned();
    for part in [
        "script-src 'self' 'sha256-",
        "style-src 'self' 'sha256-",
        "connect-src 'self';",
        "form-action 'self'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{part} in {policy}");
    }
    assert!(!policy.contains("http"), "no third party: {policy}");
}

#[tokio::test]
async fn tls_is_required_only_when_a_trusted_proxy_saw_it() {
    let trusting =
        TestApp::with(|args| args.network.trusted_proxies = Some("127.0.0.1".into())).await;
    let wary = TestApp::start().await;
    for (app, expected) in [(&trusting, true), (&wary, false)] {
        for path in ["/", "/nowhere", "/api/contacts"] {
            let request = app
                .request(Method::GET, path)
                .header("x-forwarded-proto", "https");
            let response = request.send().await.unwrap();
            let required = header(&response, "strict-transport-security").starts_with("max-age=");
            assert_eq!(required, expected, "{path}");
        }
        let request = app
            .request(Method::GET, "/")
            .header("x-forwarded-proto", "https");
        let response = request.send().await.unwrap();
        let policy = header(&response, "content-security-policy");
        assert_eq!(policy.contains("upgrade-insecure-requests"), expected);
    }
    let plain = trusting.get("/").await;
    assert_eq!(header(&plain, "strict-transport-security"), "");
}

#[tokio::test]
async fn tls_is_required_for_a_year_and_of_subdomains_only_when_asked() {
    let strict = async |subdomains: Option<&str>| {
        let app = TestApp::with(|args| {
            args.network.trusted_proxies = Some("127.0.0.1".into());
            args.network.hsts_subdomains = subdomains.map(str::to_owned);
        })
        .await;
        let request = app.request(Method::GET, "/");
        let request = request.header("x-forwarded-proto", "https");
        let response = request.send().await.unwrap();
        header(&response, "strict-transport-security").to_owned()
    };
    assert_eq!(strict(None).await, "max-age=31536000");
    assert_eq!(strict(Some("off")).await, "max-age=31536000");
    assert_eq!(
        strict(Some("on")).await,
        "max-age=31536000; includeSubDomains"
    );
}

#[tokio::test]
async fn request_ids_differ_and_a_trusted_proxys_is_kept() {
    let app = TestApp::with(|args| args.network.trusted_proxies = Some("127.0.0.0/8".into())).await;
    let (one, two) = (app.get("/").await, app.get("/").await);
    assert_ne!(header(&one, "x-request-id"), header(&two, "x-request-id"));
    let given = app
        .request(Method::GET, "/")
        .header("x-request-id", "proxy-1");
    assert_eq!(
        header(&given.send().await.unwrap(), "x-request-id"),
        "proxy-1"
    );
    let wary = TestApp::start().await;
    let given = wary
        .request(Method::GET, "/")
        .header("x-request-id", "proxy-1");
    assert_ne!(
        header(&given.send().await.unwrap(), "x-request-id"),
        "proxy-1"
    );
}
