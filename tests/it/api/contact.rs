//! `POST /api/contacts` with JSON, situation by situation: what is stored once,
//! what is refused, and how often one client may post.

use std::collections::HashSet;

use frontdoor::config::ServeArgs;
use frontdoor::store::DeliveryState;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::client::{body_json, header, problem};
use crate::support::data::{FAILED, fields_with, form_with, good_form, urlencoded};
use crate::support::wait::PATIENCE;

#[tokio::test]
async fn a_good_form_is_stored_and_answered_with_its_id() {
    let app = TestApp::start().await;
    let form = json!({
        "name": " Ada Lovelace ", "email": "ada@example.org", "phone": "+1 416 555 0100",
        "message": "Hello\nthere", "form_location": "homepage", "unknown": [1, 2],
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
    let form = form_with("phone", Value::Null);
    assert_eq!(app.send(&form).await.status(), 201);
    let lead = app.leads().await.remove(0);
    assert_eq!((lead.phone, &*lead.form_location), (None, "contact"));
}

#[tokio::test]
async fn the_first_touch_is_stored_with_the_lead() {
    let app = TestApp::start().await;
    let source = json!({
        "landing_path": "/pricing", "referrer_host": "search.example",
        "utm_source": "news", "utm_campaign": "x".repeat(5000), "utm_term": 7,
    });
    let response = app.send(&form_with("source", source)).await;
    assert_eq!(response.status(), 201);
    let lead = app.leads().await.remove(0);
    let known: Vec<_> = lead.source.known().collect();
    assert!(known.contains(&("landing_path", "/pricing")));
    assert!(known.contains(&("utm_source", "news")));
    let campaign = known
        .iter()
        .find(|(name, _)| *name == "utm_campaign")
        .unwrap();
    assert!(campaign.1.len() < 1000, "cut, not refused");
}

#[tokio::test]
async fn every_shared_validation_case_is_answered_to_the_letter() {
    let app = TestApp::start().await;
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../contract/validation-cases.json")).unwrap();
    for case in cases {
        let [field, value] = ["field", "value"].map(|name| case[name].as_str().unwrap());
        let value = value.repeat(case["repeat"].as_u64().unwrap_or(1) as usize);
        let response = app.send(&form_with(field, value)).await;
        let Some(message) = case["message"].as_str() else {
            assert_eq!(response.status(), 201, "{case}");
            continue;
        };
        let problem = problem(response, 422, &case).await;
        assert_eq!(problem["detail"], message, "{case}");
        assert_eq!(
            problem["errors"],
            json!([{ "field": field, "message": message }])
        );
    }
}

#[tokio::test]
async fn nothing_filled_in_names_every_required_field() {
    let app = TestApp::start().await;
    let problem = problem(app.send(&json!({})).await, 422, "nothing").await;
    assert_eq!(problem["detail"], "Please fill in all required fields");
    let errors = problem["errors"].as_array().unwrap().iter();
    let fields: Vec<_> = errors.map(|error| &error["field"]).collect();
    assert_eq!(fields, ["name", "email", "message"]);
}

#[tokio::test]
async fn control_characters_never_reach_a_stored_line() {
    let app = TestApp::start().await;
    let mut form = form_with(
        "name",
        "\u{202e}A\u{0}d\r\na\u{2066}\u{2069} \u{1b}[31mB\u{202c}",
    );
    form["message"] = "x\u{0}y".into();
    assert_eq!(app.send(&form).await.status(), 201);
    let lead = app.leads().await.remove(0);
    let odd = [
        '\0', '\r', '\n', '\u{1b}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{202c}',
    ];
    assert!(
        !lead.name.contains(odd) && !lead.message.contains('\0'),
        "{}",
        lead.name
    );
}

#[tokio::test]
async fn a_body_that_is_no_json_object_of_strings_is_400() {
    let app = TestApp::start().await;
    for body in [
        "",
        "{",
        "null",
        "[]",
        "\"x\"",
        "12",
        "{\"name\":5}",
        "{\"email\":[]}",
        "\u{feff}{}",
        "{\"name\":\"\\ud800\"}",
        "name=Ada",
    ] {
        let response = app.post_json(&json!({})).body(body).send().await.unwrap();
        assert_eq!(problem(response, 400, body).await["detail"], FAILED);
    }
    let deep = format!("{{\"source\":{}1{}}}", "[".repeat(9000), "]".repeat(9000));
    let response = app.post_json(&json!({})).body(deep).send().await.unwrap();
    assert_eq!(response.status(), 400);
    assert!(app.leads().await.is_empty());
}

#[tokio::test]
async fn an_unknown_content_type_is_415() {
    let app = TestApp::start().await;
    for kind in [
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/xml",
        "",
    ] {
        let request = app.request(Method::POST, "/api/contacts");
        let request = request
            .body(good_form().to_string())
            .header("content-type", kind);
        problem(request.send().await.unwrap(), 415, kind).await;
    }
}

#[tokio::test]
async fn a_body_over_32_kib_is_413_with_and_without_a_length() {
    let app = TestApp::start().await;
    let padded = |size: usize| {
        let mut form = good_form();
        let rest = size - form.to_string().len() - r#","x":"""#.len();
        form["x"] = "x".repeat(rest).into();
        assert_eq!(form.to_string().len(), size);
        form
    };
    let fits = app.send(&padded(32 * 1024)).await;
    assert_eq!(fits.status(), 201);
    for size in [32 * 1024 + 1, 200 * 1024, 3 * 1024 * 1024] {
        let response = app.post_json(&padded(size)).send().await;
        // A client that sends megabytes may find the door closed.
        let Ok(response) = response else {
            assert!(size > 1024 * 1024);
            continue;
        };
        problem(response, 413, size).await;
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
    let answer = raw.read_to_close(PATIENCE).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_eq!(app.leads().await.len(), 1);
}

#[tokio::test]
async fn five_thousand_letters_of_any_script_fit() {
    let app = TestApp::start().await;
    for letter in ["m", "é", "語", "🍁", "&", "\n\u{a0}"] {
        let letters = letter.chars().count();
        let long = format!("{}x", letter.repeat(4999 / letters));
        let form = form_with("message", long.as_str());
        let json = app.send(&form).await;
        assert_eq!(json.status(), 201, "{letter:?} as JSON");
        let fields = fields_with(&[("message", &long)]);
        let form = app.send_form(&fields).await;
        assert_eq!(form.status(), 303, "{letter:?} as a form");
        let longer = format!("xx{long}");
        let fields = fields_with(&[("message", &longer)]);
        let form = app.send_form(&fields).await;
        assert_eq!(form.status(), 422, "{letter:?}: one too many");
    }
}

#[tokio::test]
async fn a_form_over_64_kib_is_413() {
    let app = TestApp::start().await;
    let sized = |size: usize| {
        let form = urlencoded(&fields_with(&[("x", "")]));
        format!("{form}{}", "x".repeat(size - form.len()))
    };
    for (size, status) in [(64 * 1024, 303), (64 * 1024 + 1, 413), (200 * 1024, 413)] {
        let request = app.post_form(&[]).body(sized(size));
        assert_eq!(request.send().await.unwrap().status(), status, "{size}");
    }
}

#[tokio::test]
async fn a_post_from_another_site_is_403() {
    let app = TestApp::start().await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let request = app.post_json(&good_form()).header(name, value);
        problem(request.send().await.unwrap(), 403, value).await;
    }
    assert!(app.leads().await.is_empty());
    let own = format!("http://{}", app.address);
    for (name, value) in [("sec-fetch-site", "same-origin"), ("origin", &*own)] {
        let request = app.post_json(&good_form()).header(name, value);
        let status = request.send().await.unwrap().status();
        assert_eq!(status, 201, "{name}: {value}");
    }
}

#[tokio::test]
async fn what_trips_the_decoy_or_the_stop_watch_is_kept_and_held() {
    let app =
        TestApp::with(|args| args.webhook.webhook_url = Some("http://127.0.0.1:9/".into())).await;
    for (field, value, reason) in [
        ("leave_empty", json!("https://spam.example"), "decoy"),
        ("elapsed_ms", json!(200), "too_fast"),
    ] {
        let response = app.send(&form_with(field, value)).await;
        assert_eq!(response.status(), 201, "the answer gives nothing away");
        let lead = app.leads().await.remove(0);
        assert!(lead.is_held());
        assert_eq!(lead.hold_reason.as_deref(), Some(reason));
    }
    let states: Vec<_> = app.deliveries().await.iter().map(|d| d.state).collect();
    assert_eq!(states, [DeliveryState::Held, DeliveryState::Held]);
    let slow = app.send(&form_with("elapsed_ms", 9000)).await;
    assert_eq!(slow.status(), 201);
    assert!(!app.leads().await.remove(0).is_held());
}

#[tokio::test]
async fn the_same_key_gives_the_same_answer_and_one_row() {
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
    assert_ne!(post("key-2").await, first);
    assert_eq!(app.leads().await.len(), 2);
}

#[tokio::test]
async fn racing_requests_with_one_key_store_one_lead() {
    let app = TestApp::start().await;
    let mut races = tokio::task::JoinSet::new();
    for n in 0..40 {
        let request = app.post_json(&form_with("message", format!("take {n}")));
        races.spawn(request.header("idempotency-key", "one").send());
    }
    let mut ids = HashSet::new();
    while let Some(response) = races.join_next().await {
        let response = response.unwrap().unwrap();
        assert_eq!(response.status(), 201);
        ids.insert(body_json(response).await["id"].to_string());
    }
    assert_eq!((ids.len(), app.leads().await.len()), (1, 1));
}

#[tokio::test]
async fn without_a_key_each_post_is_a_lead_and_a_refused_one_uses_up_no_key() {
    let app = TestApp::start().await;
    for _ in 0..2 {
        assert_eq!(app.send(&good_form()).await.status(), 201);
    }
    assert_eq!(app.leads().await.len(), 2);
    for (form, status) in [(form_with("email", "x"), 422), (good_form(), 201)] {
        let request = app.post_json(&form).header("idempotency-key", "k");
        assert_eq!(request.send().await.unwrap().status(), status);
    }
    assert_eq!(app.leads().await.len(), 3);
}

#[tokio::test]
async fn an_unusable_key_is_refused_by_name() {
    let app = TestApp::start().await;
    let long = "k".repeat(300);
    let request = app.post_json(&good_form()).header("idempotency-key", long);
    let problem = problem(request.send().await.unwrap(), 422, "too long").await;
    assert_eq!(problem["errors"][0]["field"], "idempotency_key");
}

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
    for (from, status) in [
        ("192.0.2.1", 201),
        ("192.0.2.1", 201),
        ("192.0.2.1", 429),
        // Made-up entries change nothing.
        ("6.6.6.6, 192.0.2.1", 429),
        ("192.0.2.2", 201),
        // One /64 is one visitor.
        ("2001:db8::1", 201),
        ("2001:db8::2", 201),
        ("2001:db8::3", 429),
    ] {
        assert_eq!(post(from).await, status, "{from}");
    }
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
