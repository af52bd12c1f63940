//! A visitor never waits for the automation webhook.

use frontdoor::store::DeliveryState;
use tokio::net::TcpListener;

use crate::support::app::TestApp;
use crate::support::client::body_json;
use crate::support::data::form_with;
use crate::support::wait::PATIENCE;

/// More than the webhook's lane has places.
const POSTS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_has_the_answer_while_the_receiver_still_hangs() {
    // Accepts connections (the system does) and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let app = TestApp::with(|args| args.webhook.webhook_url = Some(url)).await;
    for number in 0..POSTS {
        let form = form_with("message", format!("message {number}"));
        let response = app.send(&form).await;
        assert_eq!(response.status(), 201);
        let id = body_json(response).await["id"].as_str().unwrap().to_owned();
        let all = app.deliveries().await;
        let own = all
            .iter()
            .find(|delivery| delivery.contact_id.as_ref() == Some(&id))
            .unwrap();
        // Had the visitor waited for it, its first attempt would have ended by now.
        assert_eq!((own.state, own.attempts), (DeliveryState::Pending, 0));
    }
    let called = tokio::time::timeout(PATIENCE, hanging.accept()).await;
    called.expect("a call that hangs").unwrap();
}
