//! `POST /api/contacts` with JSON: what is stored once, what is refused, and how often one client may
//! post.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    FAILED, TestApp, body_json, fields_with, form_with, good_form, header, problem, urlencoded,
};

#[tokio::test]
async fn a_good_form_is_stored_and_answered_with_its_id() {
    let app = TestApp::start().await;
    let form = json!({
        "name": " Ada Lovelace ", "email": "ada@example.org", "phone": "+1 416 555 0100",
        "message": "Hello\nthere", "form_location": "homepage", "unknown": [1, 2],
        "source": { "landing_path": "/pricing", "utm_campaign": "x".repeat(5000), "utm_term": 7 },
    });
    let response = app.send(&form).await;
    assert_eq!(response.status(), 201);
    assert_eq!(header(&response, "content-type"), "application/json");
    let id = body_json(response).await["id"].as_str().unwrap().to_owned();
    let leads = app.leads().await;
    assert_eq!(leads.len(), 1);
    let lead = &leads[0];
    assert_eq!(lead.id, id);
    assert_eq!(lead.name, "Ada Lovelace");
    assert_eq!(lead.email, "ada@example.org");
    assert_eq!(lead.phone.as_deref(), Some("+1 416 555 0100"));
    assert_eq!(lead.message, "Hello\nthere");
    assert_eq!(lead.form_location, "homepage");
    let source: Vec<_> = lead.source.known().collect();
    assert!(source.contains(&("landing_path", "/pricing")));
    let campaign = source.iter().find(|(name, _)| *name == "utm_campaign");
    assert!(campaign.unwrap().1.len() < 1000, "cut, not refused");
    let form = form_with("phone", Value::Null);
    assert_eq!(app.send(&form).await.status(), 201);
    let lead = app.leads().await.remove(0);
    assert_eq!((lead.phone, &*lead.form_location), (None, "contact"));
}

#[tokio::test]
async fn each_wrong_field_of_a_form_gets_its_own_message() {
    let app = TestApp::start().await;
    let response = app.send(&form_with("email", "ada@example")).await;
    let wrong = problem(response, 422, "no address").await;
    let message = "Please enter a valid email address";
    assert_eq!(wrong["detail"], message);
    let errors = json!([{ "field": "email", "message": message }]);
    assert_eq!(wrong["errors"], errors);
    let problem = problem(app.send(&json!({})).await, 422, "nothing").await;
    assert_eq!(problem["detail"], "Please fill in all required fields");
    let errors = problem["errors"].as_array().unwrap().iter();
    let fields: Vec<_> = errors.map(|error| &error["field"]).collect();
    assert_eq!(fields, ["name", "email", "message"]);
}

#[tokio::test]
async fn a_post_that_is_not_one_of_our_forms_is_refused_and_not_stored() {
    let app = TestApp::start().await;
    let good = || app.post_json(&good_form());
    for body in [
        "",
        "{",
        "null",
        "[]",
        "{\"name\":5}",
        "\u{feff}{}",
        "{\"name\":\"\\ud800\"}",
        "name=Ada",
        &format!("{{\"source\":{}1{}}}", "[".repeat(9000), "]".repeat(9000)),
    ] {
        let response = good().body(body.to_owned()).send().await.unwrap();
        assert_eq!(problem(response, 400, body).await["detail"], FAILED);
    }
    for kind in ["text/plain", "multipart/form-data; boundary=x", ""] {
        let request = app.request(Method::POST, "/api/contacts");
        let request = request.header("content-type", kind).body("{}");
        problem(request.send().await.unwrap(), 415, kind).await;
    }
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let response = good().header(name, value).send().await.unwrap();
        problem(response, 403, value).await;
    }
    let request = good().header("idempotency-key", "k".repeat(300));
    let problem = problem(request.send().await.unwrap(), 422, "a key too long").await;
    assert_eq!(problem["errors"][0]["field"], "idempotency_key");
    assert!(app.leads().await.is_empty());
    let own = format!("http://{}", app.address);
    for (name, value) in [("sec-fetch-site", "same-origin"), ("origin", &*own)] {
        let response = good().header(name, value).send().await.unwrap();
        assert_eq!(response.status(), 201, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_body_is_at_most_32_kib_of_json_or_64_kib_of_form() {
    let app = TestApp::start().await;
    let json = |size: usize| {
        let mut form = good_form();
        let rest = size - form.to_string().len() - r#","x":"""#.len();
        form["x"] = "x".repeat(rest).into();
        app.post_json(&form)
    };
    let form = |size: usize| {
        let form = urlencoded(&fields_with(&[("message", "As a form"), ("x", "")]));
        let padding = "x".repeat(size - form.len());
        app.post_form(&[]).body(form + &padding)
    };
    for (what, request, status) in [
        ("the largest JSON", json(32 * 1024), 201),
        ("one byte more", json(32 * 1024 + 1), 413),
        ("much more", json(200 * 1024), 413),
        ("the largest form", form(64 * 1024), 303),
        ("one byte more", form(64 * 1024 + 1), 413),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{what}");
    }
    let chunk = "x".repeat(40 * 1024);
    let mut raw = app.connect().await;
    raw.send(&format!(
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n\
         {:x}\r\n{chunk}\r\n0\r\n\r\n",
        chunk.len()
    ))
    .await;
    let answer = raw.read_to_close().await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_eq!(app.leads().await.len(), 2);
}

#[tokio::test]
async fn five_thousand_letters_of_any_script_fit() {
    let app = TestApp::start().await;
    for letter in ["語", "🍁", "\n\u{a0}"] {
        let letters = letter.chars().count();
        let long = format!("{}x", letter.repeat(4999 / letters));
        let json = app.send(&form_with("message", long.as_str())).await;
        assert_eq!(json.status(), 201, "{letter:?} as JSON");
        let longer = format!("xx{long}");
        for (message, status) in [(&long, 303), (&longer, 422)] {
            let form = app.send_form(&fields_with(&[("message", message)])).await;
            assert_eq!(form.status(), status, "{letter:?} as a form");
        }
    }
}

#[tokio::test]
async fn a_form_with_the_same_key_is_one_lead_however_often_and_in_whichever_format_it_is_sent() {
    let app = TestApp::start().await;
    let post = async |key: &str| {
        let request = app.post_json(&good_form()).header("idempotency-key", key);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 201);
        body_json(response).await
    };
    let first = post("key-1").await;
    assert_eq!(post("key-1").await, first);
    // A key in the body counts like one in the header.
    let in_body = app.send(&form_with("idempotency_key", "key-1")).await;
    assert_eq!(body_json(in_body).await, first);
    let fields = fields_with(&[("idempotency_key", "key-1")]);
    assert_eq!(app.send_form(&fields).await.status(), 303);
    assert_eq!(app.leads().await.len(), 1);
    // A refused form uses up no key.
    let refused = app.post_json(&form_with("email", "x"));
    let refused = refused.header("idempotency-key", "key-2").send().await;
    assert_eq!(refused.unwrap().status(), 422);
    assert_ne!(post("key-2").await, first);
    for _ in 0..2 {
        assert_eq!(app.send(&good_form()).await.status(), 201, "without a key");
    }
    assert_eq!(app.leads().await.len(), 4);
}

#[tokio::test]
async fn each_client_that_can_be_told_apart_gets_429_beyond_its_rate_limit() {
    let with = async |proxies: Option<&str>| {
        TestApp::with(|args| {
            args.network.rate_limit = Some("2".into());
            args.network.trusted_proxies = proxies.map(str::to_owned);
        })
        .await
    };
    let app = with(None).await;
    let refused = app.post_json(&good_form()).body("{").send().await;
    assert_eq!(refused.unwrap().status(), 400, "it counts too");
    // Only trusted proxies are believed about addresses.
    let forwarded = app.post_json(&good_form());
    let forwarded = forwarded.header("x-forwarded-for", "192.0.2.1").send();
    assert_eq!(forwarded.await.unwrap().status(), 201);
    let response = app.send(&good_form()).await;
    let pause: u64 = header(&response, "retry-after").parse().unwrap();
    assert!((1..=60).contains(&pause), "{pause}");
    let problem = problem(response, 429, "one too many").await;
    assert_eq!(problem["detail"], FAILED);
    assert_eq!(app.leads().await.len(), 1);
    assert_eq!(app.get("/").await.status(), 200, "pages aren't limited");

    let app = with(Some("127.0.0.1")).await;
    for (from, status) in [
        ("192.0.2.1", 201),
        ("192.0.2.1", 201),
        ("192.0.2.1", 429),
        // Made-up entries change nothing.
        ("6.6.6.6, 192.0.2.1", 429),
        ("192.0.2.2", 201),
    ] {
        let request = app.post_json(&good_form()).header("x-forwarded-for", from);
        assert_eq!(request.send().await.unwrap().status(), status, "{from}");
    }
}
