//! From a visitor's request to what became of it, by one name.

use serde_json::Value;

use crate::support::database::Database;
use crate::support::process::{Process, post_lead};
use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn the_line_of_a_delivery_names_the_request_that_caused_it() {
    for database in [Database::sqlite(), Database::postgres()] {
        let receiver = Receiver::start(|_| Answer::Status(500)).await;
        let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
        let server = Process::start(&database.url(), &settings);
        post_lead(server.address, &[]);
        let arrived = tokio::time::timeout(PATIENCE, receiver.wait_for_calls(1));
        arrived.await.unwrap();
        let (log, _) = server.terminate();
        let events: Vec<Value> = log
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let of = |message: &str| {
            let event = events.iter().find(|event| event["message"] == message);
            event.expect(message)["request_id"]
                .as_str()
                .map(str::to_owned)
        };
        assert!(of("request").is_some(), "{log:?}");
        assert_eq!(of("request"), of("delivery failed"), "{log:?}");
    }
}
