//! A visitor never waits for the automation webhook.

use std::time::{Duration, Instant};

use tokio::net::TcpListener;

use crate::helpers::{TestApp, form_with};

const POSTS: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_does_not_slow_a_visitor() {
    // Accepts connections (the system does) and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let app = TestApp::with(|args| args.webhook_url = Some(url)).await;
    let mut times = Vec::with_capacity(POSTS);
    for n in 0..POSTS {
        let request = app.post_json(&form_with("message", format!("message {n}")));
        let start = Instant::now();
        let response = request.send().await.unwrap();
        times.push(start.elapsed());
        assert_eq!(response.status(), 201);
    }
    times.sort();
    let (median, p99) = (times[POSTS / 2], times[POSTS * 99 / 100 - 1]);
    println!("{POSTS} posts with a hanging receiver: median {median:?}, p99 {p99:?}");
    assert!(p99 < Duration::from_millis(100), "p99 {p99:?}");
    assert_eq!(app.deliveries().await.len(), POSTS);
}
