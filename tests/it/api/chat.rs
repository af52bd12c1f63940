//! The chat assistant: nowhere while it is off, on every page when it is on.

use std::io::Read as _;

use reqwest::Method;

use crate::support::app::{TestApp, pages};
use crate::support::client::header;

/// Those for unknown addresses too.
fn all_pages() -> Vec<String> {
    let nowhere = ["/nowhere", "/blog/nowhere"].map(str::to_owned);
    pages().into_iter().chain(nowhere).collect()
}

async fn chatty() -> TestApp {
    TestApp::with(|args| {
        args.chat.chat_project_id = Some("project-1".into());
        args.chat.chat_script_url = Some("https://cdn.example/widget/bundle.mjs".into());
        args.chat.chat_runtime_url = Some("https://runtime.example".into());
    })
    .await
}

#[tokio::test]
async fn off_there_is_nothing_of_it_on_any_page() {
    // The other settings alone do not turn it on.
    let app = TestApp::with(|args| {
        args.chat.chat_script_url = Some("https://cdn.example/widget/bundle.mjs".into());
        args.chat.chat_load = Some("click".into());
    })
    .await;
    for path in all_pages() {
        let page = app.get(&path).await;
        let policy = header(&page, "content-security-policy").to_owned();
        // A hash may hold two slashes; an address has a dot or a colon.
        assert!(!policy.contains(['.', ':']), "{path}: {policy}");
        assert_eq!(
            header(&page, "cross-origin-embedder-policy"),
            "require-corp"
        );
        let html = page.text().await.unwrap();
        assert!(!html.contains("name=\"settings\""), "{path}");
        assert!(!html.contains("cdn.example"), "{path}");
    }
}

#[tokio::test]
async fn on_every_page_names_it_once_and_allows_its_origins() {
    let app = chatty().await;
    for path in all_pages() {
        let page = app.get(&path).await;
        let policy = header(&page, "content-security-policy").to_owned();
        let sources = |directive: &str| {
            let mut parts = policy.split("; ");
            let part = parts.find_map(|part| part.strip_prefix(directive));
            part.unwrap_or_else(|| panic!("{path}: {directive} in {policy}"))
                .to_owned()
        };
        assert!(sources("script-src ").ends_with(" https://cdn.example"));
        assert_eq!(sources("connect-src "), "'self' https://runtime.example");
        assert_eq!(sources("img-src "), "'self' data: https://cdn.example");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(
            header(&page, "cross-origin-embedder-policy"),
            "credentialless",
            "{path}"
        );
        let html = page.text().await.unwrap();
        let meta = "<meta name=\"settings\" content=\"&#123;'chat':&#123;'project':'project-1',\
            'script':'https://cdn.example/widget/bundle.mjs',\
            'runtime':'https://runtime.example','load':'load'}}\"></head>";
        let meta = meta.replace('\'', "&quot;");
        assert_eq!(html.matches(&meta).count(), 1, "{path}");
    }
}

#[tokio::test]
async fn only_pages_open_up_for_it() {
    let app = chatty().await;
    for path in ["/robots.txt", "/favicon.svg", "/api/contacts"] {
        let answer = app.get(path).await;
        let policy = header(&answer, "content-security-policy");
        assert!(!policy.contains("example"), "{path}: {policy}");
        assert_eq!(
            header(&answer, "cross-origin-embedder-policy"),
            "require-corp"
        );
    }
}

#[tokio::test]
async fn compressed_pages_carry_it_too_and_caches_are_told() {
    let app = chatty().await;
    for path in ["/", "/nowhere"] {
        let request = app
            .request(Method::GET, path)
            .header("accept-encoding", "gzip");
        let page = request.send().await.unwrap();
        assert_eq!(header(&page, "content-encoding"), "gzip", "{path}");
        assert_eq!(header(&page, "vary"), "accept-encoding", "{path}");
        let bytes = page.bytes().await.unwrap();
        let mut html = String::new();
        let mut unpacked = flate2::read::GzDecoder::new(&*bytes);
        unpacked.read_to_string(&mut html).unwrap();
        assert!(html.contains("<meta name=\"settings\""), "{path}");
    }
}
