//! How often one client may post, and visit the links in mails.

use frontdoor::config::ServeArgs;
use frontdoor::domain::LinkToken;
use reqwest::Method;

use crate::support::app::TestApp;
use crate::support::client::{header, problem};
use crate::support::data::{FAILED, good_form};

fn two_a_minute(args: &mut ServeArgs) {
    args.network.rate_limit = Some("2".into());
}

#[tokio::test]
async fn one_post_too_many_is_429_and_says_when_to_come_back() {
    let app = TestApp::with(two_a_minute).await;
    for _ in 0..2 {
        assert_eq!(app.send(&good_form()).await.status(), 201);
    }
    let response = app.send(&good_form()).await;
    let pause: u64 = header(&response, "retry-after").parse().unwrap();
    assert!((1..=60).contains(&pause), "{pause}");
    let problem = problem(response, 429, "one too many").await;
    assert_eq!(problem["detail"], FAILED);
    assert_eq!(app.leads().await.len(), 2);
    assert_eq!(app.get("/").await.status(), 200, "pages are not limited");
}

#[tokio::test]
async fn refused_posts_count_too() {
    let app = TestApp::with(two_a_minute).await;
    for status in [400, 400, 429] {
        let response = app.post_json(&good_form()).body("{").send().await.unwrap();
        assert_eq!(response.status(), status);
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_visitor_has_a_limit_of_their_own() {
    let app = TestApp::with(|args| {
        two_a_minute(args);
        args.network.trusted_proxies = Some("127.0.0.1".into());
    })
    .await;
    let post = async |from: &str| {
        let request = app.post_json(&good_form()).header("x-forwarded-for", from);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(
        (post("192.0.2.1").await, post("192.0.2.1").await),
        (201, 201)
    );
    assert_eq!(post("192.0.2.1").await, 429);
    assert_eq!(
        post("6.6.6.6, 192.0.2.1").await,
        429,
        "made-up entries change nothing"
    );
    assert_eq!(post("192.0.2.2").await, 201);
    assert_eq!(
        (post("2001:db8::1").await, post("2001:db8::2").await),
        (201, 201)
    );
    assert_eq!(post("2001:db8::3").await, 429, "one /64 is one visitor");
}

#[tokio::test]
async fn a_strangers_forwarded_address_is_not_believed() {
    let app = TestApp::with(two_a_minute).await;
    for (n, status) in [201, 201, 429].into_iter().enumerate() {
        let request = app
            .post_json(&good_form())
            .header("x-forwarded-for", format!("192.0.2.{n}"));
        assert_eq!(request.send().await.unwrap().status(), status);
    }
}

#[tokio::test]
async fn links_may_be_visited_six_times_as_often_as_forms_are_posted() {
    let app = TestApp::with(|args| {
        args.network.rate_limit = Some("1".into());
        args.network.trusted_proxies = Some("127.0.0.1".into());
    })
    .await;
    let token = LinkToken::random();
    let visit = async |method: Method, purpose: &str, from: &str| {
        let path = format!("/newsletter/{purpose}?token={}", token.as_str());
        let request = app.request(method, &path).header("x-forwarded-for", from);
        request.send().await.unwrap()
    };
    for purpose in ["confirm", "unsubscribe", "confirm"] {
        for method in [Method::GET, Method::POST] {
            let response = visit(method, purpose, "192.0.2.1").await;
            assert_eq!(response.status(), 404);
        }
    }
    for method in [Method::GET, Method::POST] {
        let response = visit(method, "confirm", "192.0.2.1").await;
        assert_eq!(response.status(), 429);
        let pause: u64 = header(&response, "retry-after").parse().unwrap();
        assert!((1..=60).contains(&pause), "{pause}");
        assert_eq!(header(&response, "referrer-policy"), "no-referrer");
        let page = response.text().await.unwrap();
        assert!(page.contains("mailto:"), "a way to reach us: {page}");
    }
    let one_click = app
        .request(
            Method::POST,
            &format!("/newsletter/unsubscribe?token={}", token.as_str()),
        )
        .header("x-forwarded-for", "192.0.2.1")
        .body("List-Unsubscribe=One-Click");
    let response = one_click.send().await.unwrap();
    assert_eq!(response.status(), 429);
    assert_ne!(header(&response, "retry-after"), "");
    assert_eq!(response.text().await.unwrap(), "Please try again later\n");

    assert_eq!(
        visit(Method::GET, "confirm", "192.0.2.2").await.status(),
        404
    );
    let broken = app.request(Method::GET, "/newsletter/confirm?token=cut");
    let broken = broken.header("x-forwarded-for", "192.0.2.1").send().await;
    assert_eq!(broken.unwrap().status(), 404, "it asks nobody");
}
