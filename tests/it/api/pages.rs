//! Pages, assets and well-known files.

use reqwest::Method;

use crate::support::app::{TestApp, pages};
use crate::support::client::header;

const DOCUMENTS: [&str; 7] = [
    "/robots.txt",
    "/sitemap.xml",
    "/feed.xml",
    "/site.webmanifest",
    "/favicon.ico",
    "/.well-known/security.txt",
    "/llms.txt",
];

/// The path of a hashed script, as the home page names it.
async fn script_path(app: &TestApp) -> String {
    let html = app.get("/").await.text().await.unwrap();
    let start = html.find("/assets/").expect("the home page has assets");
    let end = html[start..].find(['"', ')', '\'']).unwrap();
    html[start..start + end].to_owned()
}

#[tokio::test]
async fn every_page_is_complete_html() {
    let app = TestApp::start().await;
    for path in pages() {
        let response = app.get(&path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(
            header(&response, "content-type"),
            "text/html; charset=utf-8"
        );
        assert_eq!(header(&response, "cache-control"), "no-cache");
        let html = response.text().await.unwrap();
        assert!(
            html.contains("<h1") && html.trim_end().ends_with("</html>"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_well_known_file_is_there() {
    let app = TestApp::start().await;
    for path in DOCUMENTS {
        let response = app.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header(&response, "cache-control"), "public, max-age=3600");
        assert!(!header(&response, "etag").is_empty());
    }
}

#[tokio::test]
async fn assets_are_kept_for_ever() {
    let app = TestApp::start().await;
    let response = app.get(&script_path(&app).await).await;
    assert_eq!(response.status(), 200);
    let caching = header(&response, "cache-control");
    assert_eq!(caching, "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn each_encoding_is_negotiated_and_has_a_tag_of_its_own() {
    let app = TestApp::start().await;
    let mut tags = std::collections::HashSet::new();
    for (accept, expected) in [
        ("br, gzip", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("identity", ""),
        ("deflate", ""),
    ] {
        let request = app
            .request(Method::GET, "/")
            .header("accept-encoding", accept);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-encoding"), expected, "{accept}");
        assert_eq!(header(&response, "vary"), "accept-encoding");
        tags.insert(header(&response, "etag").to_owned());
        let length: usize = header(&response, "content-length").parse().unwrap();
        assert_eq!(response.bytes().await.unwrap().len(), length);
    }
    assert_eq!(tags.len(), 3);
}

#[tokio::test]
async fn a_gzip_body_unpacks_to_the_plain_page() {
    let app = TestApp::start().await;
    let request = app
        .request(Method::GET, "/about")
        .header("accept-encoding", "gzip");
    let packed = request.send().await.unwrap().bytes().await.unwrap();
    let mut unpacked = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&*packed);
    std::io::Read::read_to_string(&mut decoder, &mut unpacked).unwrap();
    assert_eq!(unpacked, app.get("/about").await.text().await.unwrap());
}

#[tokio::test]
async fn a_known_tag_gets_304_without_a_body() {
    let app = TestApp::start().await;
    let tag = header(&app.get("/pricing").await, "etag").to_owned();
    for known in [tag.clone(), format!("\"x\", W/{tag}"), "*".into()] {
        let request = app
            .request(Method::GET, "/pricing")
            .header("if-none-match", &known);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 304, "{known}");
        assert_eq!(header(&response, "etag"), tag);
        assert_eq!(header(&response, "vary"), "accept-encoding");
        assert!(!header(&response, "content-security-policy").is_empty());
        assert!(response.bytes().await.unwrap().is_empty());
    }
    let request = app
        .request(Method::GET, "/pricing")
        .header("if-none-match", "\"other\"");
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let app = TestApp::start().await;
    for path in ["/", "/robots.txt", "/nowhere", "/blog/nowhere"] {
        let get = app.get(path).await;
        let head = app.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), get.status(), "{path}");
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(header(&head, name), header(&get, name), "{path} {name}");
        }
        assert!(head.bytes().await.unwrap().is_empty());
    }
}
