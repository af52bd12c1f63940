//! What the real program writes about failures: little, and nothing personal.

use std::time::Instant;

use serde_json::Value;

use crate::support::database::Database;
use crate::support::process::{Process, post_lead};
use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::PATIENCE;

const LEADS: u64 = 30;

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_repeats_is_one_line_a_second_with_the_number_of_the_rest() {
    let database = Database::new();
    let receiver = Receiver::start(|_| Answer::Status(500)).await;
    let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
    let server = Process::start(&database.url(), &settings);
    let (start, address) = (Instant::now(), server.address);
    // The same words twice would be one lead.
    for number in 0..LEADS {
        post_lead(address, &[("message", &number.to_string())]);
    }
    let arrived = receiver.wait_for_calls(LEADS as usize);
    let arrived = tokio::time::timeout(PATIENCE, arrived);
    arrived.await.unwrap();
    let (log, status) = server.terminate();
    assert!(status.success());

    let told: Vec<_> = log
        .iter()
        .filter(|line| line.contains("delivery failed"))
        .collect();
    let seconds = start.elapsed().as_secs() as usize;
    assert!(told.len() <= seconds + 2, "{told:#?}");
    let number = |line: &String| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["more"].as_u64().unwrap_or(1)
    };
    assert!(
        told.iter().map(|line| number(line)).sum::<u64>() >= LEADS,
        "{told:#?}"
    );
    assert!(!log.concat().contains("ada@"));
}

#[test]
fn a_held_lead_is_a_warning_without_a_word_of_it() {
    let database = Database::new();
    let server = Process::start(&database.url(), &[]);
    post_lead(server.address, &[("elapsed_ms", "1")]);
    let (log, _) = server.terminate();
    let line = log.iter().find(|line| line.contains("leads list --held"));
    let line = line.expect("a line about it");
    assert!(line.contains("WARN") && !line.contains("Ada"), "{line}");
}
