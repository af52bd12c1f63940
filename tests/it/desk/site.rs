//! The site's releases at the desk: what was published, what is shown, and going back.

use frontdoor::store::{NewRelease, ReleaseChanges};
use serde_json::{Value, json};

use super::{Browser, desk};
use crate::support::TestApp;

async fn publish(app: &TestApp, page: &str) {
    let new = NewRelease {
        checksum: page.to_owned(),
        built_in: String::new(),
        pages: 12,
        facts: String::new(),
        content: page.as_bytes().to_vec(),
        changes: ReleaseChanges {
            added: vec![page.to_owned()],
            ..ReleaseChanges::default()
        },
        who: Some("anna".to_owned()),
    };
    let published = app.store.publish_release(new, app.store.now());
    published.await.unwrap();
}

/// The ids, the newest first, and the one that is shown.
async fn listed(browser: &Browser) -> (Vec<i64>, i64) {
    let site = browser.read("site").await;
    let releases = site.as_array().expect("releases");
    let id = |each: &Value| each["id"].as_i64().expect("a number");
    let shown = releases.iter().filter(|each| each["shown"] == true);
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown.len(), 1, "{site}");
    (releases.iter().map(id).collect(), id(shown[0]))
}

#[tokio::test]
async fn releases_say_who_changed_what_and_going_back_can_be_undone() {
    let (app, browser) = desk(|_| {}).await;
    assert_eq!(listed(&browser).await, (vec![0], 0), "what is built in");

    publish(&app, "/a").await;
    publish(&app, "/b").await;
    assert_eq!(listed(&browser).await, (vec![2, 1, 0], 2));
    let newest = &browser.read("site").await[0];
    assert_eq!(newest["who"], "anna");
    assert_eq!(newest["changes"]["added"], json!(["/b"]));

    for (to, before) in [(1, 2), (0, 1), (1, 0)] {
        let done = browser.done("site/roll-back", json!({ "to": to })).await;
        assert_eq!(done["undo"], before);
        assert_eq!(listed(&browser).await, (vec![2, 1, 0], to));
    }
    let gone = json!({ "to": 7 });
    browser.refused("site/roll-back", gone, 404).await;
}
