//! Pages, assets and well-known files; paths that lead elsewhere or nowhere;
//! methods; and the headers that every answer has, errors included.

use std::collections::HashSet;
use std::io::Read as _;

use reqwest::{Method, RequestBuilder, Response};

use crate::support::{Draft, TestApp, fields_with, good_form, header, problem};

const HTML: &str = "text/html; charset=utf-8";
const DOCUMENTS: [&str; 7] = [
    "/robots.txt",
    "/sitemap.xml",
    "/feed.xml",
    "/site.webmanifest",
    "/favicon.ico",
    "/.well-known/security.txt",
    "/llms.txt",
];

async fn get_with(app: &TestApp, path: &str, name: &str, value: &str) -> Response {
    let request = app.request(Method::GET, path).header(name, value);
    request.send().await.unwrap()
}

fn unpacked(gzip: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(gzip);
    decoder.read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn pages_documents_and_assets_are_there_with_their_caching() {
    let app = TestApp::start().await;
    for path in Draft::built().pages(0) {
        let response = app.get(&path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header(&response, "content-type"), HTML);
        assert_eq!(header(&response, "cache-control"), "no-cache");
        let html = response.text().await.unwrap();
        let is_whole = html.contains("<h1") && html.trim_end().ends_with("</html>");
        assert!(is_whole, "{path}");
    }
    for path in DOCUMENTS {
        let response = app.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header(&response, "cache-control"), "public, max-age=3600");
        assert!(!header(&response, "etag").is_empty());
    }
    let html = app.get("/").await.text().await.unwrap();
    let start = html.find("/assets/").expect("the home page has assets");
    let end = html[start..].find(['"', ')', '\'']).unwrap();
    let response = app.get(&html[start..start + end]).await;
    assert_eq!(response.status(), 200);
    let caching = header(&response, "cache-control");
    assert_eq!(caching, "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn each_encoding_is_negotiated_and_a_known_tag_gets_304() {
    let app = TestApp::start().await;
    let plain = app.get("/").await.text().await.unwrap();
    let mut tags = HashSet::new();
    for (accept, expected) in [
        ("br, gzip", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("zstd", ""),
        ("identity", ""),
    ] {
        let response = get_with(&app, "/", "accept-encoding", accept).await;
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-encoding"), expected, "{accept}");
        assert_eq!(header(&response, "vary"), "accept-encoding");
        tags.insert(header(&response, "etag").to_owned());
        let length: usize = header(&response, "content-length").parse().unwrap();
        let body = response.bytes().await.unwrap();
        assert_eq!(body.len(), length);
        match expected {
            "gzip" => assert_eq!(unpacked(&body), plain),
            "" => assert_eq!(body, plain),
            _ => {}
        }
    }
    assert_eq!(tags.len(), 3);
    let tag = header(&app.get("/pricing").await, "etag").to_owned();
    for (known, status) in [
        (&*tag, 304),
        (&format!("\"x\", W/{tag}"), 304),
        ("*", 304),
        ("\"other\"", 200),
    ] {
        let response = get_with(&app, "/pricing", "if-none-match", known).await;
        assert_eq!(response.status(), status, "{known}");
        assert_eq!(header(&response, "etag"), tag);
        assert_eq!(header(&response, "vary"), "accept-encoding");
        assert!(!header(&response, "content-security-policy").is_empty());
        let body = response.bytes().await.unwrap();
        assert_eq!(body.is_empty(), status == 304, "{known}");
    }
}

#[tokio::test]
async fn an_unknown_path_is_a_404_page() {
    let app = TestApp::start().await;
    for path in [
        "/nowhere",
        "/%73ervices",
        "/index.html",
        "/..%2f..%2fetc/passwd",
        "/blog/a/b",
        "/assets/none.js",
        "/templates/not-found.html",
        "/contact-outcome",
        "/%",
    ] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(header(&response, "content-type"), HTML);
        let html = response.text().await.unwrap();
        assert!(!html.contains("Blog Post Not Found"), "{path}");
        for way_on in ["href=\"/\"", "href=\"/services\"", "href=\"/contact\""] {
            assert!(html.contains(way_on), "{path} {way_on}");
        }
    }
    for path in ["/blog/no-such-post", "/blog/%F0%9F%98%80"] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 404);
        let html = response.text().await.unwrap();
        assert!(html.contains("Blog Post Not Found") && html.contains("Return to Blog"));
    }
    problem(app.get("/api/nothing").await, 404, "unknown").await;
    // A trailing slash leads to the plain path.
    let response = app.get("/services/?a=b").await;
    assert_eq!(response.status(), 308);
    assert_eq!(header(&response, "location"), "/services?a=b");
}

#[tokio::test]
async fn a_wrong_method_is_405_and_names_the_right_ones() {
    let app = TestApp::start().await;
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"];
    let methods = methods.map(|name| Method::from_bytes(name.as_bytes()).unwrap());
    let of_pages = "GET, HEAD, OPTIONS";
    let links = "GET, HEAD, POST, OPTIONS";
    for (path, allowed) in [
        ("/", of_pages),
        ("/blog/ai-tools-save-time", of_pages),
        ("/robots.txt", of_pages),
        ("/api/contacts", "POST, OPTIONS"),
        ("/api/newsletter", "POST, OPTIONS"),
        ("/newsletter/confirm?token=x", links),
        ("/newsletter/unsubscribe?token=x", links),
    ] {
        for method in &methods {
            if allowed.contains(method.as_str()) {
                continue;
            }
            let response = app.request(method.clone(), path).send().await.unwrap();
            assert_eq!(response.status(), 405, "{method} {path}");
            assert_eq!(header(&response, "allow"), allowed);
        }
        let request = app
            .request(Method::OPTIONS, path)
            .header("origin", "https://evil.example")
            .header("access-control-request-method", "POST");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 204);
        assert_eq!(header(&response, "allow"), allowed);
        assert_eq!(header(&response, "access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn head_is_get_without_a_body_everywhere() {
    let app = TestApp::start().await;
    let elsewhere = [
        "/nowhere",
        "/blog/nowhere",
        "/about/",
        "/api/nowhere",
        "/newsletter/confirm?token=x",
        "/newsletter/unsubscribe",
    ];
    for path in ["/", "/pricing"]
        .into_iter()
        .chain(DOCUMENTS)
        .chain(elsewhere)
    {
        let get = app.get(path).await;
        let head = app.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), get.status(), "{path}");
        let names = ["content-type", "content-length", "etag", "location"];
        for name in names {
            assert_eq!(header(&head, name), header(&get, name), "{path} {name}");
        }
        assert!(head.bytes().await.unwrap().is_empty(), "{path}");
    }
}

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
        let lines = response.headers().get_all(name).iter().count();
        assert_eq!(lines, 1, "{what} {name}");
    }
    let policy = header(response, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{what}: {policy}");
    let frames = policy.contains("frame-ancestors 'none'");
    assert!(frames, "{what}: {policy}");
    assert!(!policy.contains("unsafe"), "{what}: {policy}");
    assert!(header(response, "permissions-policy").contains("camera=()"));
    assert!(!header(response, "x-request-id").is_empty(), "{what}");
    assert!(!header(response, "date").is_empty(), "{what}");
}

#[tokio::test]
async fn every_kind_of_answer_is_secure() {
    let app = TestApp::with(|args| args.network.rate_limit = Some("3".into())).await;
    let get = |path| app.request(Method::GET, path);
    let json = || app.post_json(&good_form());
    let cases: [(u16, RequestBuilder); 17] = [
        (200, get("/")),
        (200, get("/robots.txt")),
        (304, get("/").header("if-none-match", "*")),
        (308, get("/about/")),
        (404, get("/nowhere")),
        (404, get("/blog/nowhere")),
        (404, get("/api/nowhere")),
        (405, app.request(Method::DELETE, "/")),
        (405, get("/api/contacts")),
        (204, app.request(Method::OPTIONS, "/")),
        (415, app.request(Method::POST, "/api/contacts").body("x")),
        (413, json().body("x".repeat(40 * 1024))),
        (403, json().header("sec-fetch-site", "cross-site")),
        (201, json()),
        (303, app.post_form(&fields_with(&[]))),
        (422, app.post_form(&[("name", "A")])),
        (429, json()),
    ];
    for (status, request) in cases {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_secure(&response, &status.to_string());
    }
    let response = app.get("/").await;
    let policy = header(&response, "content-security-policy");
    for part in [
        "script-src 'self' 'sha256-",
        "style-src 'self' 'sha256-",
        "connect-src 'self';",
        "form-action 'self'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{part} in {policy}");
    }
}

/// Behind a proxy on this machine that is trusted.
async fn proxied(subdomains: Option<&str>) -> TestApp {
    TestApp::with(|args| {
        args.network.trusted_proxies = Some("127.0.0.0/8".into());
        args.network.hsts_subdomains = subdomains.map(str::to_owned);
    })
    .await
}

#[tokio::test]
async fn a_trusted_proxy_is_believed_about_tls_and_request_ids_and_nobody_else_is() {
    let hsts = async |app: &TestApp, path: &str| {
        let response = get_with(app, path, "x-forwarded-proto", "https").await;
        let policy = header(&response, "content-security-policy");
        let upgrades = policy.contains("upgrade-insecure-requests");
        let hsts = header(&response, "strict-transport-security").to_owned();
        assert!(path != "/" || upgrades != hsts.is_empty(), "{path}");
        hsts
    };
    let (trusting, wary) = (proxied(None).await, TestApp::start().await);
    for path in ["/", "/nowhere", "/api/contacts"] {
        assert_eq!(hsts(&trusting, path).await, "max-age=31536000");
        assert_eq!(hsts(&wary, path).await, "");
    }
    let plain = trusting.get("/").await;
    assert_eq!(header(&plain, "strict-transport-security"), "");
    let strict = proxied(Some("on")).await;
    let expected = "max-age=31536000; includeSubDomains";
    assert_eq!(hsts(&strict, "/").await, expected);

    let id = async |app: &TestApp| {
        let response = get_with(app, "/", "x-request-id", "proxy-1").await;
        header(&response, "x-request-id").to_owned()
    };
    assert_eq!(id(&trusting).await, "proxy-1");
    let (one, two) = (id(&wary).await, id(&wary).await);
    assert!(one != "proxy-1" && one != two);
}

#[tokio::test]
async fn chat_is_on_every_page_with_its_origins_or_on_none() {
    // The other settings alone do not turn it on.
    for (project, embedder) in [
        (None, "require-corp"),
        (Some("project-1"), "credentialless"),
    ] {
        let app = TestApp::with(|args| {
            args.chat.chat_project_id = project.map(str::to_owned);
            args.chat.chat_script_url = Some("https://cdn.example/widget/bundle.mjs".into());
            args.chat.chat_runtime_url = Some("https://runtime.example".into());
        })
        .await;
        let nowhere = ["/nowhere", "/blog/nowhere"].map(str::to_owned);
        for path in Draft::built().pages(0).into_iter().chain(nowhere) {
            let page = get_with(&app, &path, "accept-encoding", "gzip").await;
            let policy = header(&page, "cross-origin-embedder-policy");
            assert_eq!(policy, embedder, "{path}");
            let policy = header(&page, "content-security-policy").to_owned();
            assert!(!policy.contains("unsafe"), "{path}: {policy}");
            for part in [
                "connect-src 'self' https://runtime.example;",
                "img-src 'self' data: https://cdn.example;",
                " https://cdn.example; style-src",
            ] {
                let is_there = policy.contains(part);
                assert_eq!(is_there, project.is_some(), "{path}: {policy}");
            }
            // A hash may hold two slashes; an address has a dot or a colon.
            let has_address = policy.contains(['.', ':']);
            assert_eq!(has_address, project.is_some(), "{path}: {policy}");
            let html = unpacked(&page.bytes().await.unwrap());
            let tags = html.matches("<meta name=\"settings\" content=\"&#123;");
            assert_eq!(tags.count(), project.iter().count(), "{path}");
            let has_settings = html.contains("&quot;project-1&quot;");
            assert_eq!(has_settings, project.is_some(), "{path}");
        }
        for path in ["/robots.txt", "/favicon.svg", "/api/contacts"] {
            let answer = app.get(path).await;
            let policy = header(&answer, "content-security-policy");
            assert!(!policy.contains("example"), "{path}: {policy}");
            let embedder = header(&answer, "cross-origin-embedder-policy");
            assert_eq!(embedder, "require-corp");
        }
    }
}
