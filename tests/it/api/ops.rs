//! Health and metrics.

use crate::support::app::TestApp;
use crate::support::client::header;
use crate::support::data::good_form;
use crate::support::wait::until;

#[tokio::test]
async fn health_and_readiness_answer_on_their_own_listener_only() {
    let app = TestApp::start().await;
    assert_eq!(app.get_ops("/healthz").await.status(), 200);
    assert_eq!(app.get_ops("/readyz").await.status(), 200);
    assert_eq!(app.get_ops("/").await.status(), 404);
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(app.get(path).await.status(), 404, "{path} is not public");
    }
}

#[tokio::test]
async fn metrics_count_requests_leads_and_deliveries() {
    let app =
        TestApp::with(|args| args.webhook.webhook_url = Some("http://127.0.0.1:9/".into())).await;
    app.get("/").await;
    app.get("/nowhere/at/all?secret=1").await;
    app.send(&good_form()).await;
    let response = app.get_ops("/metrics").await;
    assert!(header(&response, "content-type").starts_with("text/plain; version=0.0.4"));
    let text = response.text().await.unwrap();
    for line in [
        "frontdoor_http_requests_total{route=\"page\",status=\"200\"} 1",
        "frontdoor_http_requests_total{route=\"page\",status=\"404\"} 1",
        "frontdoor_http_requests_total{route=\"contact\",status=\"201\"} 1",
        "frontdoor_http_request_duration_seconds_count{route=\"page\"} 2",
        "frontdoor_leads_stored_total 1",
        "frontdoor_deliveries{state=\"pending\"} 1",
        "frontdoor_deliveries{state=\"given_up\"} 0",
        "frontdoor_store_up 1",
    ] {
        assert!(text.lines().any(|have| have == line), "{line} in\n{text}");
    }
    // The worker may be writing just now.
    assert!(text.contains("\nfrontdoor_store_queue "), "{text}");
    assert!(!text.contains("secret"));
}

#[tokio::test]
async fn open_connections_are_counted_up_and_down() {
    let app = TestApp::start().await;
    let gauge = async || app.metric("frontdoor_open_connections").await;
    let mut raw = app.connect().await;
    raw.send("GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    raw.read_until("\r\n\r\n").await;
    assert_eq!(gauge().await, 1.0);
    drop(raw);
    // The server notices the close in its own time.
    until("a close", async || gauge().await == 0.0).await;
}

#[tokio::test]
async fn many_health_checks_share_one_write_and_its_metrics_tell() {
    let app = TestApp::start().await;
    let commits = async || {
        (
            app.metric("frontdoor_store_commit_duration_seconds_count")
                .await,
            app.metric("frontdoor_store_last_commit_timestamp_seconds")
                .await,
        )
    };
    let (before, _) = commits().await;
    let one = || app.get_ops("/readyz");
    let (a, b, c, d, e) = tokio::join!(one(), one(), one(), one(), one());
    let answers = [a, b, c, d, e, one().await, one().await, one().await];
    assert!(answers.iter().all(|answer| answer.status() == 200));
    let (number, last) = commits().await;
    let number = number - before;
    // More than one only on a machine that needs seconds for eight requests, and
    // for what a server does once a day.
    assert!((1.0..8.0).contains(&number), "{number} writes for 8 checks");
    assert!(last > 1_700_000_000.0, "{last}");
}

#[tokio::test]
async fn deliveries_are_told_by_kind_with_their_age_and_every_attempt() {
    let app =
        TestApp::with(|args| args.webhook.webhook_url = Some("http://127.0.0.1:9/".into())).await;
    app.send(&good_form()).await;
    let attempts = "frontdoor_delivery_attempts_total{kind=\"webhook\",outcome=\"failed\"}";
    until("an attempt", async || app.metric(attempts).await >= 1.0).await;
    let retrying = "frontdoor_deliveries_retrying{kind=\"webhook\"}";
    until("its record", async || app.metric(retrying).await == 1.0).await;
    let of = async |name: &str, kind: &str| {
        app.metric(&format!("frontdoor_deliveries_{name}{{kind=\"{kind}\"}}"))
            .await
    };
    let failing = async |channel: &str| {
        let name = "frontdoor_channel_failing_since_timestamp_seconds";
        app.metric(&format!("{name}{{channel=\"{channel}\"}}"))
            .await
    };
    until("its note", async || failing("webhook").await > 1.7e9).await;
    assert_eq!(failing("mail").await, 0.0);
    assert_eq!(of("pending", "webhook").await, 1.0);
    assert_eq!(of("pending", "notify").await, 0.0);
    assert_eq!(of("oldest_age_seconds", "notify").await, 0.0);
    app.past()
        .run("UPDATE deliveries SET created_at = '2026-01-01T00:00:00.000Z'");
    assert!(of("oldest_age_seconds", "webhook").await > 86_400.0);
}
