//! The site's releases at the desk: what was published, what is shown, and going back.

use frontdoor::store::{NewRelease, ReleaseChanges};
use serde_json::{Value, json};

use super::Browser;
use crate::support::{TestApp, problem};

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
    app.store
        .publish_release(new, app.store.now())
        .await
        .unwrap();
}

/// The ids, the newest first, and the one that is shown.
async fn listed(browser: &Browser) -> (Vec<i64>, i64) {
    let site = browser.read("site").await;
    let releases = site["releases"].as_array().expect("releases");
    let id = |each: &Value| each["id"].as_i64().expect("a number");
    let shown: Vec<_> = releases
        .iter()
        .filter(|each| each["shown"] == true)
        .collect();
    assert_eq!(shown.len(), 1, "{site}");
    (releases.iter().map(id).collect(), id(shown[0]))
}

#[tokio::test]
async fn releases_say_who_changed_what_and_going_back_can_be_undone() {
    let app = TestApp::with(|args| args.desk.desk_listen = Some("127.0.0.1:0".into())).await;
    let browser = Browser::signed_in(&app, "Anna").await;
    assert_eq!(listed(&browser).await, (vec![0], 0), "what is built in");

    publish(&app, "/a").await;
    publish(&app, "/b").await;
    assert_eq!(listed(&browser).await, (vec![2, 1, 0], 2));
    let newest = &browser.read("site").await["releases"][0];
    assert_eq!(newest["who"], "anna");
    assert_eq!(newest["changes"]["added"], json!(["/b"]));

    for (to, before) in [(1, 2), (0, 1), (1, 0)] {
        let done = browser.done("site/roll-back", json!({ "to": to })).await;
        assert_eq!(done["undo"], before);
        assert_eq!(listed(&browser).await, (vec![2, 1, 0], to));
    }
    let gone = browser.post("site/roll-back", json!({ "to": 7 })).await;
    problem(gone, 404, "a release that is gone").await;
}
