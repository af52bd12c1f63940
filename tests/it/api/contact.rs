//! `POST /api/contacts` with JSON, situation by situation.

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
}

#[tokio::test]
async fn phone_and_form_location_may_be_left_out() {
    let app = TestApp::start().await;
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
        let (field, value) = (
            case["field"].as_str().unwrap(),
            case["value"].as_str().unwrap(),
        );
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
    let fields: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["field"])
        .collect();
    assert_eq!(fields, ["name", "email", "message"]);
}

#[tokio::test]
async fn nul_and_line_breaks_never_reach_a_stored_line() {
    let app = TestApp::start().await;
    let mut form = form_with("name", "A\u{0}d\r\na");
    form["message"] = "x\u{0}y".into();
    let status = app.send(&form).await.status();
    assert_eq!(status, 201);
    let lead = app.leads().await.remove(0);
    assert!(!lead.name.contains(['\0', '\r', '\n']) && !lead.message.contains('\0'));
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
        "{\"name\":\"a\",\"name\":\"b\"}",
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
        let mut request = app
            .request(Method::POST, "/api/contacts")
            .body(good_form().to_string());
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
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
async fn a_name_that_turns_the_direction_of_writing_is_stored_without_that() {
    let app = TestApp::start().await;
    let form = form_with(
        "name",
        "\u{202e}Ada\u{2066}\u{2069} \u{1b}[31mLovelace\u{202c}",
    );
    assert_eq!(app.send(&form).await.status(), 201);
    assert_eq!(app.leads().await[0].name, "Ada [31mLovelace");
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
        let response = app
            .post_json(&good_form())
            .header(name, value)
            .send()
            .await
            .unwrap();
        problem(response, 403, value).await;
    }
    assert!(app.leads().await.is_empty());
    let own = format!("http://{}", app.address);
    for (name, value) in [("sec-fetch-site", "same-origin"), ("origin", &*own)] {
        let response = app
            .post_json(&good_form())
            .header(name, value)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 201, "{name}: {value}");
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
