//! The webhooks of Cal.com and Calendly, with the payloads that they publish (`tests/data/bookings`).

use frontdoor::store::{
    BookedCall, BookingHealth, BookingRefusal, BookingService, DeliveryKind, Lead, LeadEvent,
    LeadState, MatchedBy,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Method;
use reqwest::Response;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{TestApp, fields_with, form_with, header, problem};

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

fn cal(body: &str) -> String {
    sign(KEY, &[body])
}

fn calendly(body: &str, time: i64) -> String {
    let time = time.to_string();
    let signature = sign(KEY, &[&time, ".", body]);
    format!("t={time},v1={signature}")
}

async fn post_signed(app: &TestApp, service: &str, signature: &str, body: &str) -> Response {
    let header = match service {
        "cal" => "x-cal-signature-256",
        _ => "calendly-webhook-signature",
    };
    let request = app.request(Method::POST, &format!("/api/bookings/{service}"));
    let request = request.header(header, signature).body(body.to_owned());
    request.send().await.unwrap()
}

/// As its service sends it, which is seen by its shape.
async fn post(app: &TestApp, body: &str) -> Response {
    if body.contains("\"event\":") {
        let signature = calendly(body, app.store.now().as_second());
        return post_signed(app, "calendly", &signature, body).await;
    }
    post_signed(app, "cal", &cal(body), body).await
}

async fn send(app: &TestApp, event: &Value) {
    let answer = post(app, &event.to_string()).await;
    assert_eq!(answer.status(), 204, "{event}");
    assert!(answer.bytes().await.unwrap().is_empty());
}

async fn refused(app: &TestApp, body: &str, status: u16) {
    problem(post(app, body).await, status, body).await;
}

async fn health(app: &TestApp, service: BookingService) -> BookingHealth {
    app.store.booking_health(service).await.unwrap()
}

async fn only_lead(app: &TestApp) -> Lead {
    let mut leads = app.leads().await;
    assert_eq!(leads.len(), 1);
    leads.remove(0)
}

async fn calls(app: &TestApp) -> Vec<BookedCall> {
    let leads = app.leads().await;
    let ids: Vec<_> = leads.iter().map(|lead| lead.id.as_str()).collect();
    app.store.calls_of(&ids).await.unwrap()
}

fn forget_all(app: &TestApp) {
    for table in ["contacts", "bookings"] {
        app.sql().run(&format!("DELETE FROM {table}"));
    }
}

async fn kinds(app: &TestApp) -> Vec<DeliveryKind> {
    let all = app.deliveries().await;
    all.iter().map(|each| each.kind).collect()
}

#[tokio::test]
async fn only_events_signed_with_the_key_over_this_body_and_a_recent_time_are_accepted() {
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
        problem(post_signed(&app, "cal", &value, &body).await, 401, value).await;
    }
    let unsigned = app.request(Method::POST, "/api/bookings/cal").body(body);
    problem(unsigned.send().await.unwrap(), 401, "no signature").await;
    let seen = health(&app, BookingService::Cal).await;
    assert_eq!(seen.refusal, Some(BookingRefusal::Signature));
    assert!(!seen.in_words(BookingService::Cal, app.store.now()).0);

    let body = published("calendly-created").to_string();
    let now = app.store.now().as_second();
    let right = calendly(&body, now);
    let (time, signature) = right.split_once(",v1=").unwrap();
    for value in [
        String::new(),
        signature.to_owned(),
        time.to_owned(),
        format!("t={},v1={signature}", now - 1),
        format!("{time},v1={}", sign(KEY, &[&body])),
        calendly(&body, now - 3600),
        calendly(&body, now + 3600),
        calendly(&body, i64::MAX),
    ] {
        let answer = post_signed(&app, "calendly", &value, &body).await;
        problem(answer, 401, value).await;
    }
    assert!(app.leads().await.is_empty());
    send(&app, &published("calendly-created")).await;
    let seen = health(&app, BookingService::Calendly).await;
    assert!(seen.in_words(BookingService::Calendly, app.store.now()).0);
}

#[tokio::test]
async fn another_shape_a_large_body_and_another_method_are_refused() {
    let app = app().await;
    let mut without_uid = published("cal-created");
    let payload = without_uid["payload"].as_object_mut().unwrap();
    payload.remove("uid").expect("a uid");
    let without_uid = without_uid.to_string();
    for body in [
        "",
        "{",
        "[]",
        "7",
        r#"{"triggerEvent":7}"#,
        r#"{"event":"invitee.created","payload":[]}"#,
        "triggerEvent=PING",
        &without_uid,
    ] {
        refused(&app, body, 400).await;
    }
    let notes = "x".repeat(1024 * 1024);
    let large = with("cal-created", "/payload/additionalNotes", notes);
    refused(&app, &large.to_string(), 413).await;
    let answer = app.get("/api/bookings/cal").await;
    assert_eq!(header(&answer, "allow"), "POST, OPTIONS");
    problem(answer, 405, "GET").await;
    assert!(app.leads().await.is_empty());

    app.sql().refuse("INSERT ON bookings", "true");
    let event = published("cal-created");
    refused(&app, &event.to_string(), 503).await;
    app.sql().refuse_no_more("bookings");
    send(&app, &event).await;
    only_lead(&app).await;
}

#[tokio::test]
async fn without_a_secret_there_is_nothing_at_the_path() {
    let app = TestApp::start().await;
    for event in ["cal-created", "calendly-created"] {
        refused(&app, &published(event).to_string(), 404).await;
    }
}

#[tokio::test]
async fn a_booking_by_somebody_new_becomes_a_lead_and_the_owner_is_notified() {
    let app = app().await;
    for (event, host) in [
        ("cal-created", "cal.com"),
        ("calendly-created", "calendly.com"),
    ] {
        for _ in 0..3 {
            send(&app, &published(event)).await;
        }
        let lead = only_lead(&app).await;
        assert_eq!(lead.name, "Grace Okafor");
        assert_eq!(lead.email, "grace@example.org");
        let message = "We lose orders over the phone.";
        assert!(lead.message.ends_with(message), "{}", lead.message);
        assert_eq!(lead.state, LeadState::Booked);
        let source: Vec<_> = lead.source.known().collect();
        assert_eq!(source, [("referrer_host", host)]);
        let call = calls(&app).await.remove(0);
        assert_eq!(call.at, "2090-05-21T15:30:00Z".parse().unwrap());
        assert_eq!(call.matched_by, MatchedBy::Booking);
        // And no reply to the booker.
        assert_eq!(kinds(&app).await, [DeliveryKind::LeadMail]);
        forget_all(&app);
    }
}

#[tokio::test]
async fn optional_and_differently_written_parts_of_an_event_are_accepted() {
    let app = app().await;
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
        send(&app, &event).await;
        let lead = only_lead(&app).await;
        assert_eq!(lead.name, "Grace Okafor", "{event}");
        assert_eq!(lead.email, "grace@example.org", "{event}");
        let at = calls(&app).await[0].at;
        assert_eq!(at, "2090-05-21T15:30:00Z".parse().unwrap(), "{event}");
        forget_all(&app);
    }
    // Nor are names and notes that no form would take, or no name or no time.
    let notes = "x".repeat(9_000);
    let long = with("cal-created", "/payload/responses/notes/value", notes);
    send(&app, &long).await;
    assert_eq!(only_lead(&app).await.message.len(), 5_000);
    let mut bare = without("calendly-created", "/payload/scheduled_event");
    bare["payload"]["name"] = Value::Null;
    bare["payload"]["email"] = "ada@example.org".into();
    send(&app, &bare).await;
    let ada = &app.leads().await[0];
    assert_eq!(ada.name, "ada@example.org");
    assert_eq!(ada.state, LeadState::Booked);
}

#[tokio::test]
async fn a_call_of_somebody_without_an_address_is_refused_unless_their_lead_is_known() {
    let app = app().await;
    let shown = async |service| {
        let health = health(&app, service).await;
        health.in_words(service, app.store.now())
    };
    for address in ["", "grace", "grace@"] {
        let mut event = with("cal-created", "/payload/responses/email/value", address);
        event["payload"]["attendees"] = Value::Null;
        send(&app, &published("cal-ping")).await;
        app.sql().run(
            "UPDATE booking_services SET refused_at = NULL, taken_at = '2026-01-01T00:00:00.000Z'",
        );
        refused(&app, &event.to_string(), 400).await;
        let (is_well, what, _) = shown(BookingService::Cal).await;
        assert!(
            !is_well && what.contains("without a usable mail address"),
            "{what}"
        );
    }
    // The same call, once its address is there.
    send(&app, &published("cal-created")).await;
    assert_eq!(only_lead(&app).await.state, LeadState::Booked);
    // A refusal would make Calendly switch its subscription off.
    send(&app, &with("calendly-created", "/payload/email", "")).await;
    assert!(!shown(BookingService::Calendly).await.0);
    assert_eq!(app.leads().await.len(), 1);

    let lead = app.add(&form_with("email", "ada@example.org")).await;
    let mut event = with("cal-created", "/payload/uid", "another");
    event["payload"]["responses"] = Value::Null;
    event["payload"]["attendees"] = Value::Null;
    event["payload"]["metadata"]["lead"] = lead.clone().into();
    send(&app, &event).await;
    assert_eq!(app.lead(&lead).await.state, LeadState::Booked);
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
    let health = health(&app, BookingService::Cal).await;
    assert!(health.taken_at.is_some(), "a test shows that events arrive");
}

#[tokio::test]
async fn the_link_of_a_lead_finds_it_whatever_address_is_typed() {
    let app = app().await;
    for (event, path, service) in [
        ("cal-created", "/payload/metadata/lead", "Cal.com"),
        (
            "calendly-created",
            "/payload/tracking/utm_content",
            "Calendly",
        ),
    ] {
        let other = app.add(&form_with("email", "grace@example.org")).await;
        // A field that no visitor sees: it is held.
        let held = app.add(&form_with("leave_empty", "x")).await;
        send(&app, &with(event, path, held.clone())).await;
        let stored = app.lead(&held).await;
        assert_eq!(stored.state, LeadState::Booked);
        let is_released = stored.released_at.is_some();
        assert!(is_released, "a booking is proof of a person");
        let [call] = &calls(&app).await[..] else {
            panic!("one call");
        };
        assert_eq!((&call.lead, call.matched_by), (&held, MatchedBy::Token));
        assert_eq!(app.lead(&other).await.state, LeadState::New);
        let changes = app.store.lead_changes(&held).await.unwrap();
        let who = changes.iter().map(|change| change.who.as_deref());
        assert_eq!(who.collect::<Vec<_>>(), [Some(service), Some(service)]);
        forget_all(&app);
    }
}

#[tokio::test]
async fn without_its_link_the_latest_lead_of_the_address_is_found_but_never_spam() {
    let app = app().await;
    let add = async |email: &str| app.add(&form_with("email", email)).await;
    add("grace@example.org").await;
    let latest = add("Grace@Example.ORG").await;
    let spam = add("grace@example.org").await;
    app.mark(&spam, LeadState::Spam).await;
    // Other texts may come in the parameter of the token.
    let event = with("cal-created", "/payload/metadata/lead", "summer");
    send(&app, &event).await;
    let call = calls(&app).await.remove(0);
    assert_eq!((&call.lead, call.matched_by), (&latest, MatchedBy::Address));

    // The owner's word stands; the call gets a lead of its own.
    let token = "/payload/tracking/utm_content";
    let mut event = with("calendly-created", token, spam.clone());
    event["payload"]["email"] = "other@example.org".into();
    send(&app, &event).await;
    assert_eq!(app.lead(&spam).await.state, LeadState::Spam);
    assert_eq!(app.leads().await.len(), 4);
}

#[tokio::test]
async fn events_lead_to_the_same_result_in_any_order_and_if_repeated() {
    let app = app().await;
    let (first, second) = ("2090-05-21T15:30:00Z", "2090-05-22T17:30:00Z");
    let (moved, open) = ((LeadState::Booked, Some(second)), (LeadState::New, None));
    for (names, (state, at)) in [
        ("cal-created cal-rescheduled", moved),
        ("cal-created cal-cancelled", open),
        ("cal-created cal-cancelled-by-host cal-rescheduled", moved),
        ("calendly-created calendly-canceled", open),
        ("calendly-created calendly-canceled-by-host", open),
        (
            "calendly-created calendly-canceled-moved calendly-created-moved",
            moved,
        ),
    ] {
        let mut events: Vec<_> = names.split(' ').map(published).collect();
        // Each of three can be the first, with the others in either order.
        for turn in 0..2 * events.len() {
            events.rotate_left(1);
            if turn == events.len() {
                events.reverse();
            }
            for event in events.iter().chain(events.iter().rev()) {
                send(&app, event).await;
            }
            let about = format!("{names}: {events:?}");
            assert_eq!(only_lead(&app).await.state, state, "{about}");
            let times = calls(&app).await.into_iter();
            let times: Vec<_> = times.map(|call| call.at.to_string()).collect();
            assert_eq!(times, Vec::from_iter(at), "{about}");
            forget_all(&app);
        }
    }
    for event in ["cal-created", "cal-rescheduled"] {
        send(&app, &published(event)).await;
    }
    let lead = only_lead(&app).await.id;
    let changes = app.store.lead_changes(&lead).await.unwrap();
    let changes: Vec<_> = changes.iter().map(|change| change.what).collect();
    assert_eq!(changes, [LeadEvent::State, LeadEvent::Moved]);
    forget_all(&app);
    // The same booking at another time, and an old event after a newer one.
    let mut moved = with("cal-created", "/payload/startTime", second);
    moved["triggerEvent"] = "BOOKING_RESCHEDULED".into();
    moved["createdAt"] = "2026-11-03T09:20:44.102Z".into();
    moved["payload"]["rescheduleUid"] = moved["payload"]["uid"].clone();
    let unmoved = published("cal-created");
    for events in [[&unmoved, &moved, &unmoved], [&moved, &unmoved, &moved]] {
        for event in events {
            send(&app, event).await;
        }
        let call = calls(&app).await.remove(0);
        assert_eq!(call.at.to_string(), second, "not {first}");
        let changes = app.store.lead_changes(&call.lead).await.unwrap();
        let moves = changes
            .iter()
            .filter(|change| change.what == LeadEvent::Moved);
        assert_eq!(moves.count(), usize::from(*events[0] == unmoved));
        app.sql().run("DELETE FROM contacts");
    }
}

#[tokio::test]
async fn a_cancelled_call_reopens_the_lead_and_the_owner_is_notified() {
    let app = app().await;
    for (created, cancelled) in [
        ("cal-created", "cal-cancelled"),
        ("calendly-created", "calendly-canceled-by-host"),
    ] {
        let id = app.add(&form_with("email", "grace@example.org")).await;
        let told = kinds(&app).await;
        send(&app, &published(created)).await;
        let booked = app.lead(&id).await;
        assert_eq!(booked.state, LeadState::Booked);
        assert_eq!(booked.waiting_since, booked.created_at);
        send(&app, &published(cancelled)).await;
        let waits = only_lead(&app).await;
        assert_eq!(waits.state, LeadState::New);
        assert!(waits.waiting_since > waits.created_at);
        let mut now_told = kinds(&app).await;
        assert_eq!(now_told.remove(0), DeliveryKind::CallCancelled);
        assert_eq!(now_told, told);

        // What the owner decides afterwards isn't undone by a repetition.
        app.mark(&id, LeadState::Closed).await;
        for event in [created, cancelled] {
            send(&app, &published(event)).await;
        }
        assert_eq!(only_lead(&app).await.state, LeadState::Closed);
        assert_eq!(kinds(&app).await, told, "nor is it told of any more");
        forget_all(&app);
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
async fn the_page_after_a_form_without_scripts_has_booking_links_of_this_lead() {
    let app = TestApp::start().await;
    let sent = app.send_form(&fields_with(&[("name", "Ada & Co")])).await;
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
    let sent = "/contact/sent";
    for place in [
        &*place,
        &format!("{sent}?lead=7"),
        &format!("{sent}?x"),
        sent,
    ] {
        let answer = app.get(place).await;
        assert_eq!(answer.status(), 200, "{place}");
        let html = answer.text().await.unwrap();
        let is_plain = html.contains("data-booking") && !html.contains("ada%40");
        assert!(is_plain, "{place}");
    }
    let posted = app.request(Method::POST, &place).send().await.unwrap();
    assert_eq!(posted.status(), 405);
    assert_eq!(header(&posted, "allow"), "GET, HEAD, OPTIONS");
}
