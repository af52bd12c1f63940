//! A visitor never waits for the automation webhook. A test binary of its
//! own, so that no other test is measured with it.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop here.

#[allow(dead_code)] // Only a part of the helpers is needed here.
#[path = "api/helpers.rs"]
mod helpers;

use std::time::{Duration, Instant};

use helpers::{TestApp, form_with};
use tokio::net::TcpListener;

const POSTS: usize = 100;
const LIMIT: Duration = Duration::from_millis(100);

async fn timed_post(app: &TestApp, number: usize) -> Duration {
    let request = app.post_json(&form_with("message", format!("message {number}")));
    let start = Instant::now();
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 201);
    start.elapsed()
}

fn p99(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() * 99 / 100 - 1]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_does_not_slow_a_visitor() {
    // Accepts connections (the system does) and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let app = TestApp::with(|args| args.webhook_url = Some(url)).await;
    // The same without a webhook, in turns: what a busy machine costs both is
    // no fault of the receiver.
    let control = TestApp::start().await;
    let (mut times, mut control_times) = (Vec::new(), Vec::new());
    for number in 0..POSTS {
        times.push(timed_post(&app, number).await);
        control_times.push(timed_post(&control, number).await);
    }
    let (p99, control_p99) = (p99(&mut times), p99(&mut control_times));
    println!("p99 of {POSTS} posts: {p99:?} with a hanging receiver, {control_p99:?} without");
    assert!(
        p99 < LIMIT.max(3 * control_p99),
        "{p99:?}, {control_p99:?} without"
    );
    assert_eq!(app.deliveries().await.len(), POSTS);
}
