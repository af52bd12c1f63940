//! The inbox and a lead: what is shown, what is done with it, and taking it back.

use frontdoor::domain::ContactForm;
use frontdoor::store::{
    BookingEvent, BookingFact, BookingService, DeliveryState, LeadState, NewLead,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Browser;
use crate::support::{TestApp, body_json, form_with, problem};

async fn desk() -> (TestApp, Browser) {
    let app = TestApp::with(|args| {
        args.desk.desk_listen = Some("127.0.0.1:0".into());
        // Nothing listens there: deliveries wait.
        args.webhook.webhook_url = Some("http://127.0.0.1:9/".into());
    })
    .await;
    let browser = Browser::signed_in(&app, "Anna").await;
    (app, browser)
}

async fn lead(app: &TestApp, name: &str) -> String {
    let answer = app.send(&form_with("name", name)).await;
    body_json(answer).await["id"].as_str().unwrap().to_owned()
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
    browser
        .done(
            &format!("leads/{grace}/state"),
            json!({ "state": "answered" }),
        )
        .await;
    let inbox = browser.read("inbox").await;
    // What is done this week stays in sight, below.
    assert_eq!(names(&inbox), ["Ada", "Grace"]);
    assert_eq!(inbox["leads"][1]["state"], "answered");
    assert_eq!(
        (&inbox["counts"]["waiting"], &inbox["counts"]["answered"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(names(&browser.read("inbox?view=answered").await), ["Grace"]);
    assert_eq!(
        names(&browser.read("inbox?view=all&q=grac").await),
        ["Grace"]
    );
    assert_eq!(
        browser.read("summary").await["promise"],
        json!({ "kept": 1, "of": 1, "days": 30 })
    );

    browser.post(&format!("leads/{ada}/seen"), json!({})).await;
    assert_eq!(
        browser.read("inbox?view=waiting").await["leads"][0]["seen"],
        true
    );
    let page = browser.read(&format!("leads/{ada}")).await;
    assert_eq!(
        page["position"],
        json!({ "number": 1, "of": 1, "previous": null, "next": null })
    );
    assert_eq!(page["before"][0]["id"], grace);
    assert_eq!(page["deliveries"][0]["what"], "Webhook");
}

#[tokio::test]
async fn each_thing_that_is_done_can_be_taken_back_until_something_else_is_done() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let stored = async || app.store.lead(&id).await.unwrap().unwrap();
    let before = stored().await;
    for (path, body) in [
        ("state", json!({ "state": "answered" })),
        ("state", json!({ "state": "booked" })),
        ("state", json!({ "state": "closed" })),
        ("state", json!({ "state": "spam" })),
        ("note", json!({ "note": "Two shops" })),
    ] {
        let done = browser
            .done(&format!("leads/{id}/{path}"), body.clone())
            .await;
        assert_ne!(stored().await, before, "{body}");
        let undone = browser.done("undo", done["undo"].clone()).await;
        assert_eq!(undone["said"], "Ada is as before.");
        assert_eq!(stored().await, before, "{body}");
        let deliveries = app.deliveries().await;
        assert!(
            deliveries
                .iter()
                .all(|each| each.state == DeliveryState::Pending),
            "{body}"
        );
        let again = browser.post("undo", done["undo"].clone()).await;
        problem(again, 409, "undone before").await;
    }
    let done = browser
        .done(&format!("leads/{id}/state"), json!({ "state": "closed" }))
        .await;
    // Another browser, or the command line.
    browser
        .done(&format!("leads/{id}/state"), json!({ "state": "booked" }))
        .await;
    problem(
        browser.post("undo", done["undo"].clone()).await,
        409,
        "changed since",
    )
    .await;
    assert_eq!(stored().await.state, LeadState::Booked);
    let history = browser.read(&format!("leads/{id}")).await["history"].clone();
    assert_eq!(
        (&history[0]["who"], &history[0]["what"]),
        (&json!("Anna"), &json!("marked it booked"))
    );
}

#[tokio::test]
async fn two_browsers_agree_and_see_each_other_write() {
    let (app, anna) = desk().await;
    let ben = Browser::signed_in(&app, "Ben").await;
    let id = lead(&app, "Ada").await;
    ben.post(&format!("leads/{id}/writing"), json!({ "writing": true }))
        .await;
    let people = anna.read("inbox").await["people"].clone();
    let other = people
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["name"] == "Ben")
        .unwrap();
    assert_eq!(other["writing_to"], json!({ "id": id, "name": "Ada" }));
    ben.done(
        &format!("leads/{id}/state"),
        json!({ "state": "booked", "from": "new" }),
    )
    .await;
    let late = anna
        .post(
            &format!("leads/{id}/state"),
            json!({ "state": "closed", "from": "new" }),
        )
        .await;
    problem(late, 409, "another browser was first").await;
    assert_eq!(
        anna.read("inbox?view=booked").await["leads"][0]["name"],
        "Ada"
    );
}

#[tokio::test]
async fn a_person_is_forgotten_only_with_the_address_typed() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let path = format!("leads/{id}/forget");
    problem(
        browser
            .post(&path, json!({ "email": "x@example.org" }))
            .await,
        422,
        "another",
    )
    .await;
    assert_eq!(app.leads().await.len(), 1);
    browser
        .done(&path, json!({ "email": " ADA@example.org" }))
        .await;
    assert!(app.leads().await.is_empty());
    problem(
        browser.get(&format!("/api/desk/leads/{id}")).await,
        404,
        "forgotten",
    )
    .await;
}

#[tokio::test]
async fn a_booked_call_is_shown_with_its_time_and_how_it_was_matched() {
    let (app, browser) = desk().await;
    let id = lead(&app, "Ada").await;
    let now = app.store.now();
    let book = async |booking: &str, token: &str, time: Timestamp, booker: Option<NewLead>| {
        let event = BookingEvent {
            service: BookingService::Calendly,
            id: booking.into(),
            at: now,
            fact: BookingFact::Booked {
                starts_at: Some(time),
                replaces: None,
            },
            token: Some(token.into()),
            booker,
        };
        let taken = app
            .store
            .take_booking(event.service, Some(event), false, now);
        taken.await.unwrap();
    };
    let later: Timestamp = "2090-05-21T15:30:00Z".parse().unwrap();
    book("later", &id, later, None).await;
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

    book("today", &id, now, None).await;
    let calls = browser.read("inbox").await["calls"].clone();
    assert_eq!(calls[0]["lead"], id);
    assert_eq!(
        calls[0]["at"]
            .as_str()
            .unwrap()
            .parse::<Timestamp>()
            .unwrap()
            .as_millisecond(),
        now.as_millisecond()
    );
    assert_eq!(outcome(&id).await, said, "the one that is ahead");

    let grace = crate::support::lead(ContactForm {
        email: "grace@example.org",
        ..crate::support::visitor()
    });
    book("grace", "", later, Some(grace)).await;
    let rows = browser.read("inbox?view=booked").await["leads"].clone();
    let grace = rows[0]["id"].as_str().unwrap();
    assert_eq!(
        outcome(grace).await,
        "Call on 2090-05-21 at 11:30, booked without a message before"
    );
    let page = browser.read(&format!("leads/{grace}")).await;
    let came = page["history"].as_array().unwrap().last().unwrap();
    assert_eq!(came["what"], "Ada Lovelace booked a call through Calendly");
}
