//! The inbox and a lead: what is shown, what can be done, and undoing it.

use frontdoor::domain::ContactForm;
use frontdoor::store::{BookingEvent, DeliveryKind, DeliveryState, LeadState, NewLead};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Browser;
use crate::support::{self, HELD, TestApp, booking, form_with, visitor};

async fn desk() -> (TestApp, Browser) {
    // Nothing listens there: deliveries wait.
    super::desk(|args| args.webhook.webhook_url = Some("http://127.0.0.1:9/".into())).await
}

async fn lead(app: &TestApp, name: &str) -> String {
    app.add(&form_with("name", name)).await
}

fn names(inbox: &Value) -> Vec<&str> {
    let leads = inbox["leads"].as_array().unwrap().iter();
    leads.map(|lead| lead["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_inbox_has_each_lead_in_its_view_and_counts_them() {
    let (app, browser) = desk().await;
    let (ada, grace) = (lead(&app, "Ada").await, lead(&app, "Grace").await);
    let inbox = browser.read("inbox").await;
    assert_eq!(names(&inbox), ["Ada", "Grace"]);
    assert_eq!(inbox["counts"]["waiting"], 2);
    browser.mark(&grace, "answered").await;
    let inbox = browser.read("inbox").await;
    // What is done this week stays in sight, below.
    assert_eq!(names(&inbox), ["Ada", "Grace"]);
    assert_eq!(inbox["leads"][1]["state"], "answered");
    assert_eq!(inbox["counts"]["waiting"], 1);
    assert_eq!(inbox["counts"]["answered"], 1);
    for view in ["view=answered", "view=all&q=grac"] {
        let inbox = browser.read(&format!("inbox?{view}")).await;
        assert_eq!(names(&inbox), ["Grace"], "{view}");
    }
    let inbox = browser.read("inbox?view=all&q=%2B%2B").await;
    assert!(names(&inbox).is_empty(), "nothing can be found with this");
    for (email, theirs) in [("ADA@example.org", 2), ("da@example.org", 0)] {
        let path = format!("/api/desk/export.csv?view=all&email={email}");
        let file = browser.get(&path).await.text().await.unwrap();
        assert_eq!(file.matches("ada@example.org").count(), theirs, "{email}");
    }
    let promises = json!({ "in_time": 1, "of": 1 });
    assert_eq!(browser.read("summary").await["promises"], promises);

    browser.post(&format!("leads/{ada}/seen"), json!({})).await;
    let waiting = browser.read("inbox?view=waiting").await;
    assert_eq!(waiting["leads"][0]["seen"], true);
    let page = browser.read(&format!("leads/{ada}")).await;
    let position = json!({ "number": 1, "of": 1, "previous": null, "next": null });
    assert_eq!(page["position"], position);
    assert_eq!(page["before"][0]["id"], grace);
    assert_eq!(page["deliveries"][0]["what"], "Webhook");
}

#[tokio::test]
async fn each_thing_that_is_done_can_be_taken_back_until_something_else_is_done() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let before = app.lead(&id).await;
    for (path, body) in [
        ("state", json!({ "state": "answered" })),
        ("state", json!({ "state": "booked" })),
        ("state", json!({ "state": "closed" })),
        ("state", json!({ "state": "spam" })),
        ("note", json!({ "note": "Two shops" })),
    ] {
        let path = format!("leads/{id}/{path}");
        let undo = browser.done(&path, body.clone()).await["undo"].clone();
        assert_ne!(app.lead(&id).await, before, "{body}");
        let undone = browser.done("undo", undo.clone()).await;
        assert_eq!(undone["message"], "Undone: Ada is as before.");
        assert_eq!(app.lead(&id).await, before, "{body}");
        for delivery in app.deliveries().await {
            assert_eq!(delivery.state, DeliveryState::Pending, "{body}");
        }
        browser.refused("undo", undo, 409).await;
    }
    let closed = browser.mark(&id, "closed").await;
    // Another browser, or the command line.
    browser.mark(&id, "booked").await;
    browser.refused("undo", closed["undo"].clone(), 409).await;
    assert_eq!(app.lead(&id).await.state, LeadState::Booked);
    let latest = &browser.read(&format!("leads/{id}")).await["history"][0];
    assert_eq!(latest["who"], "Anna");
    assert_eq!(latest["what"], "marked it booked");
}

#[tokio::test]
async fn a_held_lead_is_released_with_ten_seconds_to_undo_it() {
    let (app, browser) = desk().await;
    let held = NewLead {
        hold: HELD,
        deliveries: vec![DeliveryKind::LeadWebhook],
        ..support::lead(visitor())
    };
    let now = app.store.now();
    let id = app.store.add_lead(held, now).await.unwrap().id;
    let undo = browser
        .done(&format!("leads/{id}/release"), json!({}))
        .await["undo"]
        .clone();
    let soon = app.store.now();
    for delivery in app.deliveries().await {
        let leaves_at = delivery.next_attempt_at;
        assert!(leaves_at.is_none_or(|at| at > soon), "{delivery:?}");
    }
    browser.done("undo", undo).await;
    assert!(app.lead(&id).await.is_held);
    for delivery in app.deliveries().await {
        let is_notice = delivery.kind == DeliveryKind::HeldNotice;
        assert!(is_notice || delivery.state == DeliveryState::Held);
    }
}

#[tokio::test]
async fn two_browsers_agree_and_see_each_other_write() {
    let (app, anna) = desk().await;
    let ben = Browser::signed_in(&app, "Ben").await;
    let id = lead(&app, "Ada").await;
    let writing = json!({ "writing": true });
    ben.post(&format!("leads/{id}/writing"), writing).await;
    let people = anna.read("inbox").await["people"].clone();
    let mut people = people.as_array().unwrap().iter();
    let other = people.find(|each| each["name"] == "Ben").unwrap();
    assert_eq!(other["writing_to"], json!({ "id": id, "name": "Ada" }));
    let state = format!("leads/{id}/state");
    let booked = json!({ "state": "booked", "from": "new" });
    ben.done(&state, booked).await;
    let late = json!({ "state": "closed", "from": "new" });
    anna.refused(&state, late, 409).await;
    let note = format!("leads/{id}/note");
    ben.done(&note, json!({ "note": "Two shops", "from": "" }))
        .await;
    anna.refused(&note, json!({ "note": "One shop", "from": "" }), 409)
        .await;
    let booked = anna.read("inbox?view=booked").await;
    assert_eq!(names(&booked), ["Ada"]);
}

#[tokio::test]
async fn a_person_is_forgotten_only_with_the_address_typed() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let path = format!("leads/{id}/forget");
    let other = json!({ "email": "x@example.org" });
    browser.refused(&path, other, 422).await;
    assert_eq!(app.leads().await.len(), 1);
    let theirs = json!({ "email": " ADA@example.org" });
    browser.done(&path, theirs.clone()).await;
    assert!(app.leads().await.is_empty());
    browser.refused(&path, theirs, 404).await;
}

#[tokio::test]
async fn a_booked_call_is_shown_with_its_time_and_how_it_was_matched() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let now = app.store.now();
    let book = async |event: BookingEvent| {
        let (store, service) = (&app.store, event.service);
        let taken = store.take_booking(service, Some(event), false, now);
        taken.await.unwrap();
    };
    let later: Timestamp = "2090-05-21T15:30:00Z".parse().unwrap();
    book(booking(&id, later)).await;
    let outcome = async |id: &str| {
        let page = browser.read(&format!("leads/{id}")).await;
        let listed = browser.read("inbox?view=booked").await;
        let mut rows = listed["leads"].as_array().unwrap().iter();
        let row = rows.find(|row| row["id"] == id).unwrap();
        assert_eq!(row["outcome"], page["lead"]["outcome"]);
        page["lead"]["outcome"].as_str().unwrap().to_owned()
    };
    let said = "Call on 2090-05-21 at 11:30, matched by the booking link";
    assert_eq!(outcome(&id).await, said);
    assert_eq!(browser.read("inbox").await["calls"], json!([]));

    let today = "today".into();
    book(BookingEvent {
        id: today,
        ..booking(&id, now)
    })
    .await;
    let calls = browser.read("inbox").await["calls"].clone();
    assert_eq!(calls[0]["lead"], id);
    let at: Timestamp = calls[0]["at"].as_str().unwrap().parse().unwrap();
    assert_eq!(at.as_millisecond(), now.as_millisecond());
    assert_eq!(outcome(&id).await, said, "the one that is ahead");

    let grace = support::lead(ContactForm {
        email: "grace@example.org",
        ..visitor()
    });
    let booker = Some(grace);
    book(BookingEvent {
        booker,
        ..booking("grace", later)
    })
    .await;
    let rows = browser.read("inbox?view=booked").await["leads"].clone();
    let grace = rows[0]["id"].as_str().unwrap();
    let said = "Call on 2090-05-21 at 11:30, booked without a message before";
    assert_eq!(outcome(grace).await, said);
    let page = browser.read(&format!("leads/{grace}")).await;
    let came = page["history"].as_array().unwrap().last().unwrap();
    assert_eq!(came["what"], "Ada Lovelace booked a call through Calendly");
}
