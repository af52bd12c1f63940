//! Paths that lead elsewhere or nowhere, and methods that are not for them.

use reqwest::Method;

use crate::support::app::{TestApp, pages};
use crate::support::client::{header, problem};
use crate::support::wait::PATIENCE;

#[tokio::test]
async fn an_unknown_path_is_a_404_page() {
    let app = TestApp::start().await;
    for path in [
        "/nowhere",
        "/services/x",
        "/%73ervices",
        "/index.html",
        "/..%2f..%2fetc/passwd",
        "/blog/a/b",
        "/assets/none.js",
        "/templates/not-found.html",
        "/not-found/x",
        "/contact-outcome",
        "/%",
        "/%00",
    ] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(
            header(&response, "content-type"),
            "text/html; charset=utf-8"
        );
        let html = response.text().await.unwrap();
        assert!(!html.contains("Blog Post Not Found"), "{path}");
        for way_on in ["href=\"/\"", "href=\"/services\"", "href=\"/contact\""] {
            assert!(html.contains(way_on), "{path} {way_on}");
        }
    }
}

#[tokio::test]
async fn an_unknown_post_says_so_and_leads_back_to_the_blog() {
    let app = TestApp::start().await;
    for path in ["/blog/no-such-post", "/blog/%F0%9F%98%80"] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 404);
        let html = response.text().await.unwrap();
        assert!(html.contains("Blog Post Not Found") && html.contains("Return to Blog"));
    }
}

#[tokio::test]
async fn an_unknown_api_path_is_a_problem() {
    let app = TestApp::start().await;
    problem(app.get("/api/nothing").await, 404, "unknown").await;
}

#[tokio::test]
async fn a_trailing_slash_redirects_to_the_plain_path() {
    let app = TestApp::start().await;
    for (path, target) in [
        ("/services/", "/services"),
        ("/services/?a=b&c=%2F", "/services?a=b&c=%2F"),
        ("/blog/ai-tools-save-time//", "/blog/ai-tools-save-time"),
        ("/api/contacts/", "/api/contacts"),
    ] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 308, "{path}");
        assert_eq!(header(&response, "location"), target);
    }
}

#[tokio::test]
async fn no_redirect_leads_to_another_site() {
    let app = TestApp::start().await;
    for path in [
        "//evil.example/",
        "///evil.example//",
        "/\\evil.example/",
        "/%5cevil.example/",
    ] {
        let mut raw = app.connect().await;
        raw.send(&format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        ))
        .await;
        let answer = raw.read_to_close(PATIENCE).await;
        let location = answer
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        let stays = location
            .is_none_or(|to| to.starts_with('/') && !to.starts_with("//") && !to.contains('\\'));
        assert!(stays, "{path}: {location:?}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_405_and_names_the_right_ones() {
    let app = TestApp::start().await;
    let methods = [
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::TRACE,
    ];
    let documents = ["/robots.txt", "/favicon.ico"].map(str::to_owned);
    for path in pages().iter().chain(&documents) {
        for method in methods.clone() {
            let response = app.request(method.clone(), path).send().await.unwrap();
            assert_eq!(response.status(), 405, "{method} {path}");
            assert_eq!(header(&response, "allow"), "GET, HEAD, OPTIONS");
        }
    }
    let (post, links) = ("POST, OPTIONS", "GET, HEAD, POST, OPTIONS");
    for (path, allowed) in [
        ("/api/contacts", post),
        ("/api/newsletter", post),
        ("/newsletter/confirm?token=x", links),
        ("/newsletter/unsubscribe?token=x", links),
    ] {
        let all = [Method::GET, Method::HEAD]
            .into_iter()
            .chain(methods.clone());
        for method in all.filter(|method| !allowed.contains(method.as_str())) {
            let response = app.request(method.clone(), path).send().await.unwrap();
            assert_eq!(response.status(), 405, "{method} {path}");
            assert_eq!(header(&response, "allow"), allowed);
        }
    }
}

#[tokio::test]
async fn head_is_get_without_a_body_everywhere() {
    let app = TestApp::start().await;
    let documents = [
        "/robots.txt",
        "/sitemap.xml",
        "/feed.xml",
        "/site.webmanifest",
    ];
    let others = ["/favicon.ico", "/.well-known/security.txt", "/llms.txt"];
    let elsewhere = [
        "/nowhere",
        "/blog/nowhere",
        "/about/",
        "/api/nowhere",
        "/newsletter/confirm?token=x",
        "/newsletter/unsubscribe",
    ];
    let pages = pages();
    let paths = pages
        .iter()
        .map(String::as_str)
        .chain(documents)
        .chain(others);
    for path in paths.chain(elsewhere) {
        let get = app.get(path).await;
        let head = app.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), get.status(), "{path}");
        for name in [
            "content-type",
            "content-length",
            "etag",
            "location",
            "cache-control",
        ] {
            assert_eq!(header(&head, name), header(&get, name), "{path} {name}");
        }
        assert!(head.bytes().await.unwrap().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn options_names_the_methods_and_opens_nothing_to_other_sites() {
    let app = TestApp::start().await;
    for (path, methods) in [
        ("/", "GET, HEAD, OPTIONS"),
        ("/api/contacts", "POST, OPTIONS"),
    ] {
        let request = app
            .request(Method::OPTIONS, path)
            .header("origin", "https://evil.example")
            .header("access-control-request-method", "POST");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 204);
        assert_eq!(header(&response, "allow"), methods);
        assert_eq!(header(&response, "access-control-allow-origin"), "");
    }
}
