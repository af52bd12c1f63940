//! Requests that keep to HTTP/1.1, and those that do not.

use crate::support::app::TestApp;
use crate::support::data::good_form;

/// What comes back on a connection of its own until it is closed.
async fn exchange(app: &TestApp, request: &str) -> String {
    let mut raw = app.connect().await;
    raw.send(request).await;
    raw.read_to_close().await
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("closed")
}

/// A good form in one chunk, under these further lines of header.
fn chunked(lines: &str) -> String {
    let form = good_form().to_string();
    format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\n{lines}\r\n{:x}\r\n{form}\r\n0\r\n\r\n",
        form.len()
    )
}

#[tokio::test]
async fn a_request_names_one_host_that_could_be_one() {
    let app = TestApp::start().await;
    for (lines, expected) in [
        ("", "400"),
        ("host: a.example\r\nhost: a.example\r\n", "400"),
        ("host:\r\n", "400"),
        ("host: a.example, b.example\r\n", "400"),
        ("host: a.example/path\r\n", "400"),
        ("host: a.example:port\r\n", "400"),
        ("host: a.example:1:2\r\n", "400"),
        ("host: <script>\r\n", "400"),
        ("host: \u{e9}.example\r\n", "400"),
        ("host: a.example\r\n", "200"),
        ("host: A.example:8080\r\n", "200"),
        ("host: [::1]:8080\r\n", "200"),
        ("host: under_score.example\r\n", "200"),
    ] {
        let request = format!("GET /robots.txt HTTP/1.1\r\n{lines}connection: close\r\n\r\n");
        let answer = exchange(&app, &request).await;
        assert_eq!(status(&answer), expected, "{lines:?}");
        let secure = answer.contains("x-content-type-options: nosniff");
        assert!(secure && answer.contains("x-request-id: "), "{answer}");
    }
    for (lines, expected) in [("", "200"), ("host: a b\r\n", "400")] {
        let answer = exchange(&app, &format!("GET / HTTP/1.0\r\n{lines}\r\n")).await;
        assert_eq!(status(&answer), expected, "HTTP/1.0 {lines:?}");
    }
    // A bad one ends its connection.
    let two = "POST /api/contacts HTTP/1.1\r\ncontent-length: 0\r\n\r\n\
        GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n";
    let answer = exchange(&app, two).await;
    assert_eq!(status(&answer), "400");
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
}

#[tokio::test]
async fn a_target_with_the_whole_address_means_its_path() {
    let app = TestApp::start().await;
    for (target, expected) in [
        ("http://x/services", "200"),
        ("https://other.example:8443/services?a=b", "200"),
        ("http://x", "200"),
        ("http://x/nowhere", "404"),
        ("ftp://x/services", "400"),
        ("*", "400"),
        ("x", "400"),
        ("x:443", "400"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let answer = exchange(&app, &request).await;
        assert_eq!(status(&answer), expected, "{target}");
    }
    let tunnel = "CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\nconnection: close\r\n\r\n";
    assert_eq!(status(&exchange(&app, tunnel).await), "405");
}

#[tokio::test]
async fn a_body_comes_in_chunks_or_with_a_length_and_in_no_other_way() {
    let app = TestApp::start().await;
    for (lines, expected) in [
        ("transfer-encoding: chunked\r\n", "201"),
        ("transfer-encoding: Chunked\r\n", "201"),
        ("transfer-encoding: gzip\r\n", "400"),
        ("transfer-encoding: gzip, chunked\r\n", "400"),
        ("transfer-encoding: chunked, chunked\r\n", "400"),
        ("transfer-encoding:\r\n", "400"),
        ("content-length: 5\r\ncontent-length: 6\r\n", "400"),
        ("content-length: 5, 5\r\n", "400"),
    ] {
        let answer = exchange(&app, &chunked(lines)).await;
        assert_eq!(status(&answer), expected, "{lines:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    assert_eq!(app.leads().await.len(), 2, "nothing refused was stored");
    // A client that sends both hopes that a proxy and we see different ends: nothing behind the
    // chunks is read as a request.
    for lines in [
        "transfer-encoding: chunked\r\n",
        "content-length: 4\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 4\r\n",
    ] {
        let post = chunked(lines).replace("connection: close\r\n", "");
        let answer = exchange(&app, &format!("{post}GET / HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        assert_eq!(status(&answer), "201", "{lines:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
}
