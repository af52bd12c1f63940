//! The numbers at the desk.

use frontdoor::store::{Figures, VisitCounter};
use serde_json::json;

use super::desk;
use crate::support::form_with;

#[tokio::test]
async fn the_desk_shows_visits_and_what_became_of_them_for_each_day() {
    let (app, anna) = desk(|_| {}).await;
    let counter = VisitCounter::new(app.store.clone());
    let seen = Figures {
        requested: 2,
        seen: 1,
        ..Figures::default()
    };
    counter.count("/pricing", "news.example", "fall", seen);
    counter.flush().await;
    let source = json!({ "landing_path": "/pricing", "utm_campaign": "fall" });
    let id = app.add(&form_with("source", source)).await;

    let numbers = anna.read("numbers?days=7").await;
    let figures = json!({
        "requested": 2, "seen": 1, "form_started": 0, "leads": 1, "answered": 0, "booked": 0,
        "booking_presses": 0,
    });
    assert_eq!(numbers["totals"], figures);
    assert_eq!(numbers["before"]["requested"], 0);
    let days = numbers["by_day"].as_array().unwrap();
    assert_eq!((days.len(), &days[6]["day"]), (7, &numbers["to"]));
    assert_eq!(days[0]["day"], numbers["from"]);
    assert_eq!(days[6]["leads"], 1);
    for list in ["by_page", "by_campaign"] {
        assert_eq!(numbers[list].as_array().unwrap().len(), 1, "{list}");
        assert_eq!(numbers[list][0]["requested"], 2, "{list}");
    }
    let sources = &numbers["by_source"];
    let names = [&sources[0]["name"], &sources[1]["name"]];
    assert_eq!(names, ["", "news.example"], "leads before visits");
    let answers = json!({
        "promise_hours": 24, "hours": [], "median_hours": null, "answered": 0,
        "in_time": 0, "of": 0, "before": { "in_time": 0, "of": 0 },
    });
    assert_eq!(numbers["answers"], answers);
    assert_eq!(numbers["counting"], true);
    let subscribers = &numbers["subscribers"];
    assert_eq!(subscribers["confirmed"], 0);
    assert_eq!(subscribers["more"], 0);
    assert_eq!(subscribers["points"].as_array().unwrap().len(), 12);
    assert_eq!(anna.get("/api/desk/numbers?days=731").await.status(), 422);

    // A call that was booked counts as an answer, everywhere.
    anna.mark(&id, "booked").await;
    let numbers = anna.read("numbers?days=7").await;
    assert_eq!(numbers["totals"]["answered"], 1);
    for kept in [&numbers["answers"], &anna.read("summary").await["promises"]] {
        assert_eq!((&kept["in_time"], &kept["of"]), (&json!(1), &json!(1)));
    }
}
