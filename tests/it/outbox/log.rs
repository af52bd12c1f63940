//! What the real program writes about failures: little, and nothing personal.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::process::Process;
use crate::support::receiver::{Answer, Receiver};

const LEADS: u64 = 30;

/// Sends a lead; `more` goes on after the message.
pub fn post_lead(address: SocketAddr, more: &str) {
    let form = format!("name=Ada&email=ada%40example.org&message=Hello{more}");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
        content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_repeats_is_one_line_a_second_with_the_number_of_the_rest() {
    let directory = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(|_| Answer::Status(500)).await;
    let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
    let server = Process::start(&directory.path().join("leads.db"), &settings);
    let (start, address) = (Instant::now(), server.address);
    // The same words twice would be one lead.
    (0..LEADS).for_each(|number| post_lead(address, &format!("+{number}")));
    let arrived = receiver.wait_for_calls(LEADS as usize);
    let arrived = tokio::time::timeout(Duration::from_secs(20), arrived);
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
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(&directory.path().join("leads.db"), &[]);
    post_lead(server.address, "&elapsed_ms=1");
    let (log, _) = server.terminate();
    let line = log.iter().find(|line| line.contains("leads list --held"));
    let line = line.expect("a line about it");
    assert!(line.contains("WARN") && !line.contains("Ada"), "{line}");
}
