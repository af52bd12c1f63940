//! The newsletter, from the sign-up form to unsubscribing.

use frontdoor::content::site;
use frontdoor::domain::SecretToken;
use frontdoor::store::{Subscriber, SubscriberFilter, SubscriberState};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::support::{Mail, MailServer, TestApp, assert_has, body_json, header, problem};

const ACCEPTED: &str = "Thank you for subscribing! Please check your inbox to confirm.";

fn subscribe(app: &TestApp, body: &Value) -> RequestBuilder {
    app.request(Method::POST, "/api/newsletter")
        .header("content-type", "application/json")
        .body(body.to_string())
}

async fn answer(app: &TestApp, email: &str) -> (u16, String) {
    let response = subscribe(app, &json!({ "email": email }))
        .send()
        .await
        .unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

async fn subscribers(app: &TestApp) -> Vec<Subscriber> {
    let filter = SubscriberFilter {
        limit: 1000,
        ..SubscriberFilter::default()
    };
    app.store.subscribers(filter).await.unwrap()
}

async fn state(app: &TestApp) -> SubscriberState {
    let all = subscribers(app).await;
    assert_eq!(all.len(), 1);
    all[0].state
}

async fn app_with_mail() -> (TestApp, MailServer) {
    let server = MailServer::start();
    let url = server.url.clone();
    let app = TestApp::with(|args| args.mail.smtp_url = Some(url)).await;
    (app, server)
}

/// The path and query of a link of ours in a mail.
fn link(mail: &Mail, purpose: &str) -> String {
    let token = mail.token(purpose);
    format!("/newsletter/{purpose}?token={}", token.as_str())
}

async fn post(app: &TestApp, path: &str) -> Response {
    app.request(Method::POST, path).send().await.unwrap()
}

fn assert_private(response: &Response) {
    assert_eq!(header(response, "referrer-policy"), "no-referrer");
    assert_eq!(header(response, "cache-control"), "no-store");
    assert_eq!(header(response, "x-content-type-options"), "nosniff");
    assert_eq!(header(response, "set-cookie"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_form_to_the_mail_to_the_button_to_one_click() {
    let (app, server) = app_with_mail().await;
    let request = subscribe(
        &app,
        &json!({"email": " Ada@Example.org ", "consent_version": 1}),
    )
    .header("referer", format!("http://{}/blog?utm=x", app.address));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 202);
    assert_eq!(body_json(response).await["message"], ACCEPTED);

    server.wait_for_mails(1).await;
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, site().email);
    assert_eq!(mail.envelope_to, ["ada@example.org"]);
    for body in [mail.text(), mail.html()] {
        assert_has(
            &body,
            &[&site().name, &site().location, &site().email, &site().url],
        );
        assert!(body.contains("/newsletter/confirm?token="));
        let body = body.to_lowercase();
        assert!(!body.contains("ada@"), "nothing a visitor typed");
    }
    let raw = String::from_utf8(mail.data.clone()).unwrap();
    assert!(raw.contains("\r\nList-Unsubscribe: <https://"));
    assert!(raw.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));

    let confirm = link(&mail, "confirm");
    for method in [Method::GET, Method::HEAD, Method::GET] {
        let page = app.request(method, &confirm).send().await.unwrap();
        assert_eq!(page.status(), 200);
        assert_private(&page);
        assert!(!page.text().await.unwrap().contains("<script"));
        let state = state(&app).await;
        assert_eq!(state, SubscriberState::Pending, "a look changes nothing");
    }
    let done = post(&app, &confirm).await;
    assert_eq!(done.status(), 200);
    assert_private(&done);
    assert!(done.text().await.unwrap().contains("You’re subscribed"));
    let ada = subscribers(&app).await.remove(0);
    assert_eq!(ada.state, SubscriberState::Confirmed);
    assert_eq!(ada.email, "ada@example.org");
    assert_eq!(ada.consent.page.as_deref(), Some("/blog"));
    assert!(ada.consent.consent_text.unwrap().contains(&site().name));
    assert!(ada.consent.confirmed_at.is_some());
    assert_eq!(post(&app, &confirm).await.status(), 410, "only once");
    assert_eq!(app.get(&confirm).await.status(), 410);

    let leave = link(&mail, "unsubscribe");
    let asked = app.get(&leave).await;
    assert_eq!(asked.status(), 200);
    assert!(asked.text().await.unwrap().contains("Unsubscribe me"));
    assert_eq!(state(&app).await, SubscriberState::Confirmed);
    for _ in 0..2 {
        // As a mail provider's machine posts it: from elsewhere, no cookies.
        let one_click = app
            .request(Method::POST, &leave)
            .header("origin", "https://mail.example")
            .header("sec-fetch-site", "cross-site")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("List-Unsubscribe=One-Click")
            .send()
            .await
            .unwrap();
        assert_eq!(one_click.status(), 200);
        assert_private(&one_click);
        let kind = header(&one_click, "content-type");
        assert_eq!(kind, "text/plain; charset=utf-8");
        assert_eq!(state(&app).await, SubscriberState::Unsubscribed);
    }
    let left = app.get(&leave).await.text().await.unwrap();
    assert!(left.contains("You’re unsubscribed"));
    assert_eq!(post(&app, &leave).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_never_reveals_who_is_subscribed_and_floods_nobody() {
    let (app, server) = app_with_mail().await;
    let fresh = answer(&app, "ada@example.org").await;
    server.wait_for_mails(1).await;
    let mail = server.taken().remove(0);
    for spelling in ["ada@example.org", "ADA@EXAMPLE.ORG", " ada@example.org\t"] {
        assert_eq!(answer(&app, spelling).await, fresh, "pending");
    }
    post(&app, &link(&mail, "confirm")).await;
    assert_eq!(answer(&app, "ada@example.org").await, fresh, "confirmed");
    assert_eq!(state(&app).await, SubscriberState::Confirmed);
    // A robot gets the same answer, but no mail.
    let body = json!({"email": "bot@example.org", "leave_empty": "x"});
    let robot = subscribe(&app, &body).send().await.unwrap();
    assert_eq!((202, robot.text().await.unwrap()), fresh);
    let subscribers = subscribers(&app).await.into_iter();
    let held: Vec<_> = subscribers.filter_map(|each| each.hold_reason).collect();
    assert_eq!(held, ["decoy"]);
    assert!(app.deliveries().await.len() <= 1);
    assert_eq!(server.taken().len(), 1);
}

#[tokio::test]
async fn a_wrong_sign_up_gets_its_message_and_a_right_one_the_right_page() {
    let app = TestApp::start().await;
    let missing = "Please enter your email address";
    for (body, message) in [
        (json!({"email": null}), missing),
        (
            json!({"email": "ada@example"}),
            "Please enter a valid email address",
        ),
    ] {
        let response = subscribe(&app, &body).send().await.unwrap();
        let problem = problem(response, 422, &body).await;
        assert_eq!(problem["detail"], message, "{body}");
        let error = json!({"field": "email", "message": message});
        assert_eq!(problem["errors"][0], error);
    }
    let good = subscribe(&app, &json!({"email": "ada@example.org"}));
    let foreign = good.header("origin", "https://evil.example").send().await;
    let failed = "Failed to subscribe. Please try again later.";
    let problem = problem(foreign.unwrap(), 403, "another origin").await;
    assert_eq!(problem["detail"], failed);
    assert!(subscribers(&app).await.is_empty());

    // A form without JavaScript; without a mail server the address is stored as unconfirmed.
    let sent = app
        .request(Method::POST, "/api/newsletter")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("email=ada%40example.org&consent_version=1");
    let sent = sent.send().await.unwrap();
    assert_eq!(sent.status(), 202);
    assert_eq!(header(&sent, "content-type"), "text/html; charset=utf-8");
    let html = sent.text().await.unwrap();
    assert!(html.contains(ACCEPTED) && html.contains("noindex"));
    let ada = subscribers(&app).await.remove(0);
    let expected = (SubscriberState::Pending, None);
    assert_eq!((ada.state, ada.invited_at), expected);
    assert!(app.deliveries().await.is_empty());
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_a_clear_page_which_may_be_visited_six_times_a_minute() {
    let app = TestApp::with(|args| {
        args.network.rate_limit = Some("1".into());
        args.network.trusted_proxies = Some("127.0.0.1".into());
    })
    .await;
    let token = SecretToken::random();
    let visit = async |method: Method, purpose: &str, from: &str, body: &'static str| {
        let path = format!("/newsletter/{purpose}?token={}", token.as_str());
        let request = app.request(method, &path).header("x-forwarded-for", from);
        request.body(body).send().await.unwrap()
    };
    for purpose in ["confirm", "unsubscribe", "confirm"] {
        for method in [Method::GET, Method::POST] {
            let response = visit(method, purpose, "192.0.2.1", "").await;
            assert_eq!(response.status(), 404);
            assert_private(&response);
            let html = response.text().await.unwrap();
            assert!(html.contains("This link no longer works"));
            assert!(html.contains("href=\"/blog\""));
        }
    }
    for (method, body, told) in [
        (Method::GET, "", "mailto:"),
        (Method::POST, "", "mailto:"),
        (
            Method::POST,
            "List-Unsubscribe=One-Click",
            "Please try again later\n",
        ),
    ] {
        let response = visit(method, "unsubscribe", "192.0.2.1", body).await;
        assert_eq!(response.status(), 429);
        let pause: u64 = header(&response, "retry-after").parse().unwrap();
        assert!((1..=60).contains(&pause), "{pause}");
        assert_private(&response);
        let page = response.text().await.unwrap();
        assert!(page.contains(told), "a way to reach us: {page}");
    }
    let other = visit(Method::GET, "confirm", "192.0.2.2", "").await;
    assert_eq!(other.status(), 404);
    for query in ["", "?token=", "?token=cut"] {
        let broken = app.request(Method::GET, &format!("/newsletter/confirm{query}"));
        let broken = broken.header("x-forwarded-for", "192.0.2.1").send().await;
        assert_eq!(broken.unwrap().status(), 404, "it asks nobody");
    }
}
