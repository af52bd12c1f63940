//! The webhooks of Cal.com and Calendly, with the payloads that they publish (`tests/data/bookings`).

use frontdoor::store::{
    BookedCall, BookingRefusal, BookingService, DeliveryKind, LeadState, MatchedBy,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Method;
use reqwest::Response;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{TestApp, body_json, form_with, header, problem};

const KEY: &str = "a secret of 24 letters..";

async fn app() -> TestApp {
    TestApp::with(|args| {
        args.bookings.cal_secret = Some(KEY.into());
        args.bookings.calendly_key = Some(KEY.into());
        // Nothing listens there: deliveries wait.
        args.mail.smtp_url = Some("smtp://127.0.0.1:9".into());
        args.mail.auto_reply = Some("on".into());
    })
    .await
}

fn published(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bookings");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).expect(name);
    serde_json::from_str(&text).expect(name)
}

/// The published payload with a value changed.
fn with(name: &str, path: &str, value: impl Into<Value>) -> Value {
    let mut event = published(name);
    let (parent, key) = path.rsplit_once('/').unwrap();
    event.pointer_mut(parent).expect(path)[key] = value.into();
    event
}

fn sign(key: &str, parts: &[&str]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    parts.iter().for_each(|part| mac.update(part.as_bytes()));
    let bytes = mac.finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Signed<'a> {
    service: &'a str,
    header: &'a str,
    value: String,
}

impl Signed<'_> {
    fn cal(body: &str) -> Self {
        Self {
            service: "cal",
            header: "x-cal-signature-256",
            value: sign(KEY, &[body]),
        }
    }

    fn calendly(body: &str, time: i64) -> Self {
        let time = time.to_string();
        let signature = sign(KEY, &[&time, ".", body]);
        Self {
            service: "calendly",
            header: "calendly-webhook-signature",
            value: format!("t={time},v1={signature}"),
        }
    }

    async fn post(&self, app: &TestApp, body: &str) -> Response {
        let path = format!("/api/bookings/{}", self.service);
        let request = app.request(Method::POST, &path);
        let request = request.header(self.header, &self.value);
        request.body(body.to_owned()).send().await.unwrap()
    }
}

/// As its service sends it, which is seen by its shape.
async fn send(app: &TestApp, event: &Value) {
    let body = event.to_string();
    let signed = match event.get("triggerEvent") {
        Some(_) => Signed::cal(&body),
        None => Signed::calendly(&body, app.store.now().as_second()),
    };
    let answer = signed.post(app, &body).await;
    assert_eq!(answer.status(), 204, "{body}");
    assert!(answer.bytes().await.unwrap().is_empty());
}

async fn lead(app: &TestApp, form: &Value) -> String {
    let answer = body_json(app.send(form).await).await;
    answer["id"].as_str().unwrap().to_owned()
}

async fn only_lead(app: &TestApp) -> frontdoor::store::Lead {
    let mut leads = app.leads().await;
    assert_eq!(leads.len(), 1);
    leads.remove(0)
}

async fn calls(app: &TestApp) -> Vec<BookedCall> {
    let leads = app.leads().await;
    let ids: Vec<_> = leads.iter().map(|lead| lead.id.as_str()).collect();
    app.store.calls_of(&ids).await.unwrap()
}

async fn kinds(app: &TestApp) -> Vec<DeliveryKind> {
    let all = app.deliveries().await;
    all.iter().map(|each| each.kind).collect()
}

#[tokio::test]
async fn only_what_is_signed_with_the_key_over_this_body_at_this_time_is_taken() {
    let app = app().await;
    let body = published("cal-created").to_string();
    let other = published("cal-cancelled").to_string();
    for value in [
        "no-secret-provided".to_owned(),
        String::new(),
        sign("another secret, as long", &[&body]),
        sign(KEY, &[&other]),
        sign(KEY, &[&body])[..62].to_owned(),
        "é".repeat(32),
    ] {
        let signed = Signed {
            value,
            ..Signed::cal("")
        };
        problem(signed.post(&app, &body).await, 401, &signed.value).await;
    }
    let path = "/api/bookings/cal";
    let unsigned = app
        .request(Method::POST, path)
        .body(body.clone())
        .send()
        .await;
    problem(unsigned.unwrap(), 401, "no signature").await;
    let seen = app.store.booking_health(BookingService::Cal).await.unwrap();
    assert_eq!(seen.refusal, Some(BookingRefusal::Signature));
    assert!(!seen.in_words(BookingService::Cal, app.store.now()).0);

    let body = published("calendly-created").to_string();
    let now = app.store.now().as_second();
    let right = Signed::calendly(&body, now).value;
    let (time, signature) = right.split_once(",v1=").unwrap();
    for value in [
        String::new(),
        signature.to_owned(),
        time.to_owned(),
        format!("t={},v1={signature}", now - 1),
        format!("{time},v1={}", sign(KEY, &[&body])),
        Signed::calendly(&body, now - 3600).value,
        Signed::calendly(&body, now + 3600).value,
        Signed::calendly(&body, i64::MAX).value,
    ] {
        let signed = Signed {
            value,
            ..Signed::calendly("", 0)
        };
        problem(signed.post(&app, &body).await, 401, &signed.value).await;
    }
    assert!(app.leads().await.is_empty());
    assert_eq!(
        Signed::calendly(&body, now)
            .post(&app, &body)
            .await
            .status(),
        204
    );
    let seen = app
        .store
        .booking_health(BookingService::Calendly)
        .await
        .unwrap();
    assert!(seen.in_words(BookingService::Calendly, app.store.now()).0);
}

#[tokio::test]
async fn another_shape_a_large_body_and_another_method_are_refused() {
    let app = app().await;
    let mut without_uid = published("cal-created");
    without_uid["payload"]
        .as_object_mut()
        .unwrap()
        .remove("uid");
    let without_uid = without_uid.to_string();
    for body in [
        "",
        "{",
        "[]",
        "7",
        r#"{"triggerEvent":7}"#,
        "triggerEvent=PING",
        &without_uid,
    ] {
        problem(Signed::cal(body).post(&app, body).await, 400, body).await;
    }
    let body = r#"{"event":"invitee.created","payload":[]}"#;
    let now = app.store.now().as_second();
    problem(
        Signed::calendly(body, now).post(&app, body).await,
        400,
        body,
    )
    .await;

    let notes = "x".repeat(1024 * 1024);
    let body = with("cal-created", "/payload/additionalNotes", notes).to_string();
    problem(Signed::cal(&body).post(&app, &body).await, 413, "1 MiB").await;
    let answer = app.get("/api/bookings/cal").await;
    assert_eq!(header(&answer, "allow"), "POST, OPTIONS");
    problem(answer, 405, "GET").await;
    assert!(app.leads().await.is_empty());

    app.sql().refuse("INSERT ON bookings", "true");
    let body = published("cal-created").to_string();
    problem(Signed::cal(&body).post(&app, &body).await, 503, "no store").await;
    app.sql().refuse_no_more("bookings");
    send(&app, &published("cal-created")).await;
    only_lead(&app).await;
}

#[tokio::test]
async fn without_a_secret_there_is_nothing_at_the_path() {
    let app = TestApp::start().await;
    let body = published("cal-created").to_string();
    problem(Signed::cal(&body).post(&app, &body).await, 404, "cal").await;
    let now = app.store.now().as_second();
    problem(
        Signed::calendly(&body, now).post(&app, &body).await,
        404,
        "calendly",
    )
    .await;
}

#[tokio::test]
async fn a_booking_by_nobody_known_becomes_a_lead_that_the_owner_is_told_of() {
    for (event, host) in [
        ("cal-created", "cal.com"),
        ("calendly-created", "calendly.com"),
    ] {
        let app = app().await;
        for _ in 0..3 {
            send(&app, &published(event)).await;
        }
        let lead = only_lead(&app).await;
        assert_eq!(
            (&*lead.name, &*lead.email),
            ("Grace Okafor", "grace@example.org")
        );
        assert!(
            lead.message.ends_with("We lose orders over the phone."),
            "{}",
            lead.message
        );
        assert_eq!(lead.state, LeadState::Booked);
        let source: Vec<_> = lead.source.known().collect();
        assert_eq!(source, [("referrer_host", host)]);
        let call = calls(&app).await.remove(0);
        assert_eq!(call.at, "2090-05-21T15:30:00Z".parse().unwrap());
        assert_eq!(call.matched_by, MatchedBy::Booking);
        assert_eq!(
            kinds(&app).await,
            [DeliveryKind::Notify],
            "and no reply to the booker"
        );
    }
}

#[tokio::test]
async fn what_a_service_may_leave_out_or_write_otherwise_is_no_mistake() {
    let plain = |path, value: Value| with("cal-created", path, value);
    let without = |name, path: &str| with(name, path, Value::Null);
    let old = json!({ "event": "invitee.created", "time": "2026-11-02T14:03:11Z", "payload": {
        "event": { "uuid": "AAAA", "start_time": "2090-05-21T11:30:00-04:00" },
        "invitee": { "uuid": "BBBB", "name": "Grace Okafor", "email": "grace@example.org" } } });
    for event in [
        plain("/payload/responses/email", "grace@example.org".into()),
        plain(
            "/payload/responses/name/value",
            json!({ "firstName": "Grace" }),
        ),
        plain("/payload/metadata", Value::Null),
        without("cal-created", "/payload/responses"),
        without("cal-created", "/createdAt"),
        without("calendly-created", "/payload/tracking"),
        without("calendly-created", "/payload/questions_and_answers"),
        without("calendly-created", "/created_at"),
        old,
    ] {
        let app = app().await;
        send(&app, &event).await;
        let lead = only_lead(&app).await;
        assert_eq!(
            (&*lead.name, &*lead.email),
            ("Grace Okafor", "grace@example.org"),
            "{event}"
        );
        let at = calls(&app).await[0].at;
        assert_eq!(at, "2090-05-21T15:30:00Z".parse().unwrap(), "{event}");
    }
    // Nor are names and notes that no form would take, or no name, no time or no address.
    let app = app().await;
    let long = with(
        "cal-created",
        "/payload/responses/notes/value",
        "x".repeat(9_000),
    );
    send(&app, &long).await;
    assert_eq!(only_lead(&app).await.message.len(), 5_000);
    let mut bare = without("calendly-created", "/payload/scheduled_event");
    bare["payload"]["name"] = Value::Null;
    bare["payload"]["email"] = "ada@example.org".into();
    send(&app, &bare).await;
    let ada = &app.leads().await[0];
    assert_eq!(
        (&*ada.name, ada.state),
        ("ada@example.org", LeadState::Booked)
    );
    let mut nobody = with("cal-created", "/payload/uid", "another");
    nobody["payload"]["responses"] = Value::Null;
    nobody["payload"]["attendees"] = Value::Null;
    send(&app, &nobody).await;
    assert_eq!(app.leads().await.len(), 2);
}

#[tokio::test]
async fn events_about_no_booking_are_acknowledged_and_change_nothing() {
    let app = app().await;
    for event in [
        "cal-ping",
        "cal-meeting-ended",
        "cal-requested",
        "calendly-no-show",
    ] {
        send(&app, &published(event)).await;
    }
    assert!(app.leads().await.is_empty());
    let health = app.store.booking_health(BookingService::Cal).await.unwrap();
    assert!(health.taken_at.is_some(), "a test shows that events arrive");
}

#[tokio::test]
async fn the_link_of_a_lead_finds_it_whatever_address_is_typed() {
    for (event, path) in [
        ("cal-created", "/payload/metadata/lead"),
        ("calendly-created", "/payload/tracking/utm_content"),
    ] {
        let app = app().await;
        let other = lead(&app, &form_with("email", "grace@example.org")).await;
        // A field that no visitor sees: it is held.
        let held = lead(&app, &form_with("leave_empty", "x")).await;
        send(&app, &with(event, path, held.clone())).await;
        let stored = app.store.lead(&held).await.unwrap().unwrap();
        assert_eq!(stored.state, LeadState::Booked);
        assert!(
            stored.released_at.is_some(),
            "a booking is proof of a person"
        );
        let found: Vec<_> = calls(&app)
            .await
            .into_iter()
            .map(|call| (call.lead, call.matched_by))
            .collect();
        assert_eq!(found, [(held.clone(), MatchedBy::Token)]);
        let other = app.store.lead(&other).await.unwrap().unwrap();
        assert_eq!(other.state, LeadState::New);
        let changes = app.store.lead_changes(&held).await.unwrap();
        let who = changes.iter().map(|change| change.who.as_deref());
        let service = if event.starts_with("calendly") {
            "Calendly"
        } else {
            "Cal.com"
        };
        assert_eq!(who.collect::<Vec<_>>(), [Some(service), Some(service)]);
    }
}

#[tokio::test]
async fn without_its_link_the_latest_lead_of_the_address_is_found_but_never_spam() {
    let app = app().await;
    lead(&app, &form_with("email", "grace@example.org")).await;
    let latest = lead(&app, &form_with("email", "Grace@Example.ORG")).await;
    let spam = lead(&app, &form_with("email", "grace@example.org")).await;
    let mark = |state| frontdoor::store::LeadAction::Mark(state);
    let act = async |id: &str, state| {
        let now = app.store.now();
        app.store
            .act_on_lead(id, mark(state), None, now)
            .await
            .unwrap();
    };
    act(&spam, LeadState::Spam).await;
    // Other texts may come in the parameter of the token.
    send(
        &app,
        &with("cal-created", "/payload/metadata/lead", "summer"),
    )
    .await;
    let call = calls(&app).await.remove(0);
    assert_eq!((&call.lead, call.matched_by), (&latest, MatchedBy::Address));

    // The owner's word stands; the call gets a lead of its own.
    let mut event = with(
        "calendly-created",
        "/payload/tracking/utm_content",
        spam.clone(),
    );
    event["payload"]["email"] = "other@example.org".into();
    send(&app, &event).await;
    let spam = app.store.lead(&spam).await.unwrap().unwrap();
    assert_eq!(spam.state, LeadState::Spam);
    assert_eq!(app.leads().await.len(), 4);
}

/// Each order of up to three.
fn orders(events: &[Value]) -> Vec<Vec<Value>> {
    let mut all = vec![vec![]];
    for event in events {
        all = all
            .iter()
            .flat_map(|order: &Vec<Value>| {
                (0..=order.len()).map(|at| {
                    let mut order = order.clone();
                    order.insert(at, event.clone());
                    order
                })
            })
            .collect();
    }
    all
}

#[tokio::test]
async fn in_whatever_order_and_however_often_events_come_the_end_is_the_same() {
    let app = app().await;
    let (first, second) = ("2090-05-21T15:30:00Z", "2090-05-22T17:30:00Z");
    let cases: [(&[&str], LeadState, Option<&str>); 6] = [
        (
            &["cal-created", "cal-rescheduled"],
            LeadState::Booked,
            Some(second),
        ),
        (&["cal-created", "cal-cancelled"], LeadState::New, None),
        (
            &["cal-created", "cal-cancelled-by-host", "cal-rescheduled"],
            LeadState::Booked,
            Some(second),
        ),
        (
            &["calendly-created", "calendly-canceled"],
            LeadState::New,
            None,
        ),
        (
            &["calendly-created", "calendly-canceled-by-host"],
            LeadState::New,
            None,
        ),
        (
            &[
                "calendly-created",
                "calendly-canceled-moved",
                "calendly-created-moved",
            ],
            LeadState::Booked,
            Some(second),
        ),
    ];
    for (names, state, at) in cases {
        let events: Vec<_> = names.iter().map(|name| published(name)).collect();
        for order in orders(&events) {
            for event in order.iter().chain(&order).chain(order.iter().rev()) {
                send(&app, event).await;
            }
            let shown: Vec<_> = order
                .iter()
                .map(|event| event["createdAt"].to_string())
                .collect();
            let lead = only_lead(&app).await;
            assert_eq!(lead.state, state, "{names:?} {shown:?}");
            let times: Vec<_> = calls(&app)
                .await
                .iter()
                .map(|call| call.at.to_string())
                .collect();
            assert_eq!(
                times,
                at.into_iter().collect::<Vec<_>>(),
                "{names:?} {shown:?}"
            );
            for table in ["bookings", "contacts"] {
                app.sql().run(&format!("DELETE FROM {table}"));
            }
        }
    }
    // The same booking at another time, and an old event after a newer one.
    let mut moved = with("cal-created", "/payload/startTime", second);
    moved["triggerEvent"] = "BOOKING_RESCHEDULED".into();
    moved["createdAt"] = "2026-11-03T09:20:44.102Z".into();
    moved["payload"]["rescheduleUid"] = moved["payload"]["uid"].clone();
    for events in [["first", "moved", "first"], ["moved", "first", "moved"]] {
        for name in events {
            let event = if name == "first" {
                published("cal-created")
            } else {
                moved.clone()
            };
            send(&app, &event).await;
        }
        assert_eq!(calls(&app).await[0].at.to_string(), second, "not {first}");
        app.sql().run("DELETE FROM contacts");
    }
}

#[tokio::test]
async fn a_cancelled_call_opens_the_promise_again_and_the_owner_is_told() {
    for (created, cancelled) in [
        ("cal-created", "cal-cancelled"),
        ("cal-created", "cal-cancelled-by-host"),
        ("calendly-created", "calendly-canceled"),
        ("calendly-created", "calendly-canceled-by-host"),
    ] {
        let app = app().await;
        let id = lead(&app, &form_with("email", "grace@example.org")).await;
        let told = kinds(&app).await;
        send(&app, &published(created)).await;
        let booked = app.store.lead(&id).await.unwrap().unwrap();
        assert_eq!(
            (booked.state, booked.reopened_at),
            (LeadState::Booked, None)
        );
        send(&app, &published(cancelled)).await;
        let waits = only_lead(&app).await;
        assert_eq!(waits.state, LeadState::New);
        assert!(waits.reopened_at.unwrap() >= waits.created_at);
        let mut now_told = kinds(&app).await;
        assert_eq!(now_told.remove(0), DeliveryKind::CallCancelled);
        assert_eq!(now_told, told);

        // What the owner decides afterwards isn't undone by a repetition.
        let (mark, now) = (
            frontdoor::store::LeadAction::Mark(LeadState::Closed),
            app.store.now(),
        );
        app.store.act_on_lead(&id, mark, None, now).await.unwrap();
        for event in [created, cancelled] {
            send(&app, &published(event)).await;
        }
        assert_eq!(only_lead(&app).await.state, LeadState::Closed);
        assert_eq!(kinds(&app).await, told, "nor is it told of any more");
    }
}

#[tokio::test]
async fn while_another_call_is_ahead_nobody_waits() {
    let app = app().await;
    send(&app, &published("cal-created")).await;
    send(&app, &published("calendly-created")).await;
    assert_eq!(calls(&app).await.len(), 2);
    send(&app, &published("cal-cancelled")).await;
    assert_eq!(only_lead(&app).await.state, LeadState::Booked);
    send(&app, &published("calendly-canceled")).await;
    assert_eq!(only_lead(&app).await.state, LeadState::New);
}

#[tokio::test]
async fn bookings_are_shown_and_forgotten_with_the_person() {
    let app = app().await;
    send(&app, &published("cal-created")).await;
    let tables = app.store.person("grace@example.org").await.unwrap();
    assert!(
        tables
            .iter()
            .any(|(table, rows)| *table == "bookings" && rows.len() == 1)
    );
    app.store.forget("grace@example.org").await.unwrap();
    assert_eq!(app.sql().number("SELECT count(*) FROM bookings"), 0);
}

#[tokio::test]
async fn the_page_after_a_form_without_scripts_has_booking_links_of_this_lead() {
    let app = TestApp::start().await;
    let form = [
        ("name", "Ada & Co"),
        ("email", "ada@example.org"),
        ("message", "Hi"),
    ];
    let sent = app.send_form(&form).await;
    let place = header(&sent, "location").to_owned();
    let id = place.strip_prefix("/contact/sent?lead=").expect(&place);
    let link =
        format!("name=Ada%20%26%20Co&amp;email=ada%40example%2Eorg&amp;metadata%5Blead%5D={id}\"");
    let answer = app.get(&place).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "cache-control"), "no-store");
    assert!(answer.text().await.unwrap().contains(&link));

    // Only for an hour: the address may stay in a browser's history.
    app.sql()
        .run("UPDATE contacts SET created_at = '2026-01-01T00:00:00.000Z'");
    for place in [
        &*place,
        "/contact/sent?lead=7",
        "/contact/sent?x",
        "/contact/sent",
    ] {
        let answer = app.get(place).await;
        assert_eq!(answer.status(), 200, "{place}");
        let html = answer.text().await.unwrap();
        assert!(
            html.contains("data-booking") && !html.contains("ada%40"),
            "{place}"
        );
    }
    let posted = app.request(Method::POST, &place).send().await.unwrap();
    assert_eq!(
        (posted.status().as_u16(), header(&posted, "allow")),
        (405, "GET, HEAD, OPTIONS")
    );
}
