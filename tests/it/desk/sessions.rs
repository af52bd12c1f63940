//! Signing in: a link signs one browser in, once, and there is no other way.

use std::time::Duration;

use frontdoor::content::site;
use frontdoor::domain::SecretToken;
use frontdoor::store::{DESK_LINK_TTL, DESK_SESSION_TTL, UNNAMED};
use http::Method;
use http::header::{ACCEPT, HOST, ORIGIN};
use serde_json::json;

use super::{Browser, app, desk};
use crate::support::{MailServer, assert_has, header, problem};

#[tokio::test]
async fn a_link_signs_in_once_and_looking_at_it_uses_nothing_up() {
    let app = app(|_| {}).await;
    let (link, mut browser) = (SecretToken::random(), Browser::new(&app));
    let added = app.store.add_desk_link(&link, "Anna", app.store.now());
    added.await.unwrap();
    // A mail scanner follows links, but the token is in the fragment, and only a POST counts.
    for path in ["/", &format!("/?{}", link.as_str())] {
        assert_eq!(browser.get(path).await.status(), 200);
    }
    let signed_in = browser.sign_in(link.as_str()).await;
    assert_eq!(signed_in.status(), 204);
    let cookie = header(&signed_in, "set-cookie");
    assert_has(cookie, &["HttpOnly", "SameSite=Lax"]);
    assert_eq!(browser.read("me").await["name"], "Anna");
    let again = Browser::new(&app).sign_in(link.as_str()).await;
    problem(again, 410, "the same link").await;
    problem(Browser::new(&app).sign_in("x").await, 410, "no link").await;
}

#[tokio::test]
async fn links_and_sessions_end() {
    let (app, browser) = desk(|_| {}).await;
    let (now, link, key) = (
        app.store.now(),
        SecretToken::random(),
        SecretToken::random(),
    );
    let old = app.store.add_desk_link(&link, "Anna", now - DESK_LINK_TTL);
    old.await.unwrap();
    assert_eq!(app.store.open_desk(&link, &key, now).await.unwrap(), None);

    let later = now + DESK_SESSION_TTL + Duration::from_secs(60);
    assert!(app.store.desk_sessions(later).await.unwrap().is_empty());
    let other = Browser::signed_in(&app, "Ben").await;
    let sessions = other.read("sessions").await;
    let mut sessions = sessions.as_array().unwrap().iter();
    let first = sessions.find(|each| each["this_browser"] == false).unwrap();
    let revoke = format!("sessions/{}/revoke", first["id"].as_str().unwrap());
    assert_eq!(other.post(&revoke, json!({})).await.status(), 204);
    assert_eq!(browser.get("/api/desk/me").await.status(), 401);
    assert_eq!(other.post("sign-out", json!({})).await.status(), 204);
    assert_eq!(other.get("/api/desk/me").await.status(), 401);
}

#[tokio::test]
async fn without_a_session_there_is_only_the_sign_in_page() {
    let app = app(|_| {}).await;
    let browser = Browser::new(&app);
    let page = browser.get("/").await;
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("Sign in"));
    for path in [
        "inbox",
        "leads/1",
        "me",
        "sessions",
        "newsletter",
        "site",
        "nothing",
    ] {
        let answer = browser.get(&format!("/api/desk/{path}")).await;
        problem(answer, 401, path).await;
    }
    for path in ["/desk.js", "/desk.css", "/index.html", "/leads/1"] {
        assert_eq!(browser.get(path).await.status(), 401, "{path}");
    }
    let typed = browser.request(Method::GET, "/leads/1");
    let typed = typed.header(ACCEPT, "text/html,*/*").send().await.unwrap();
    assert_eq!(typed.status(), 303);
    assert_eq!(header(&typed, "location"), "/?to=%2Fleads%2F1");
    for path in [
        "undo",
        "leads/1/state",
        "newsletter/send",
        "site/roll-back",
        "health/live",
        "health/try/mail",
    ] {
        browser.refused(path, json!({}), 401).await;
    }
    // The public site knows nothing of it.
    for path in ["/desk", "/api/desk/inbox"] {
        assert_eq!(app.get(path).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn only_the_desks_own_pages_may_change_something() {
    let (_app, browser) = desk(|_| {}).await;
    let own = format!("http://{}", browser.desk);
    let attack = "https://evil.example";
    let post = |path: &str| {
        let request = browser.request(Method::POST, path);
        request
            .header("content-type", "application/json")
            .body("{}")
    };
    for path in [
        "/api/desk/undo",
        "/api/desk/sign-in",
        "/api/desk/sign-out",
        "/",
    ] {
        let foreign = || post(path).header(ORIGIN, attack);
        // Neither `Host` nor a proxy's header makes another origin acceptable.
        let named = foreign().header(HOST, "evil.example");
        let named = named.header("x-forwarded-host", "evil.example");
        for (what, request) in [
            ("without an origin", post(path)),
            ("of another site", foreign()),
            ("with another host", named),
        ] {
            let answer = request.send().await.unwrap();
            problem(answer, 403, format!("{path} {what}")).await;
        }
    }
    let right = post("/api/desk/sign-out").header(ORIGIN, own);
    assert_eq!(right.send().await.unwrap().status(), 204);
}

#[tokio::test]
async fn a_link_is_mailed_to_the_owners_addresses_only_and_the_answer_is_the_same() {
    let hello = site().email.as_str();
    for (notified, address, name) in [
        (
            "Anna Smith <anna@site.example>",
            "anna@site.example",
            "Anna Smith",
        ),
        ("anna@site.example", "anna@site.example", "Anna"),
        (hello, hello, UNNAMED),
    ] {
        let server = MailServer::start();
        let app = app(|args| {
            args.mail.smtp_url = Some(server.url.clone());
            args.mail.notify_email = Some(notified.into());
        })
        .await;
        let mut browser = Browser::new(&app);
        // Strangers don't use up the owner's links.
        let strangers = ["ada@example.org"; 4];
        for email in strangers.into_iter().chain([&*address.to_uppercase()]) {
            let asked = json!({ "email": email });
            assert_eq!(browser.post("sign-in/mail", asked).await.status(), 202);
        }
        server.wait_for_mails(1).await;
        let mail = server.taken().remove(0);
        assert_eq!(mail.envelope_to, [address]);
        assert!(mail.message().message_id().is_some());
        let text = mail.text();
        let (_, token) = text.split_once("/#").unwrap();
        let token = &token[..43];
        assert_eq!(browser.sign_in(token).await.status(), 204);
        assert_eq!(browser.read("me").await["name"], name);
    }
}

#[tokio::test]
async fn the_pages_travel_compressed_and_once() {
    let (app, browser) = desk(|_| {}).await;
    for (path, begin) in [
        ("/", "<!doctype html>"),
        ("/desk.css", ""),
        ("/desk.js", ""),
    ] {
        let plain = browser.get(path).await;
        assert!(!plain.headers().contains_key("content-encoding"), "{path}");
        let plain = plain.text().await.unwrap();
        assert!(plain.starts_with(begin), "{path}");

        let asked = || {
            let request = browser.request(Method::GET, path);
            request.header("accept-encoding", "gzip, br")
        };
        let answer = asked().send().await.unwrap();
        assert_eq!(header(&answer, "content-encoding"), "br", "{path}");
        assert_eq!(header(&answer, "cache-control"), "private, no-cache");
        let tag = header(&answer, "etag").to_owned();
        assert_eq!(answer.headers().get_all("content-type").iter().count(), 1);
        let mut unpacked = Vec::new();
        let packed = answer.bytes().await.unwrap();
        brotli::BrotliDecompress(&mut &*packed, &mut unpacked).unwrap();
        assert_eq!(unpacked, plain.as_bytes(), "{path}");

        let known = asked().header("if-none-match", &tag).send().await.unwrap();
        assert_eq!(known.status(), 304, "{path}");
        assert_eq!(header(&known, "etag"), tag);
        // A tag is no session.
        let stranger = Browser::new(&app).request(Method::GET, "/desk.js");
        let stranger = stranger.header("if-none-match", tag).send().await.unwrap();
        assert_eq!(stranger.status(), 401);
    }
}
