//! `frontdoor newsletter` and `frontdoor subscribers`, run as the owner runs them, with a database
//! and a mail server.

mod content;
mod interruptions;
mod refusals;
mod scheduled;
mod sending;
mod subscribers;

use std::collections::HashSet;
use std::ops::Range;

use crate::support::{CommandOutput, MailServer, Step, TestStore};

const ISSUE: &str = "# News of May\n\nHello.\n";

/// A store with so many subscribers, `person0@example.org` and so on.
async fn confirmed(people: usize) -> TestStore {
    let test = TestStore::new().await;
    test.add_confirmed(people).await;
    test
}

/// Writes the issue, and sends it as fast as the mail server takes it.
fn send_issue(test: &TestStore, text: &str, server: &MailServer, more: &[&str]) -> CommandOutput {
    let file = test.write("issue.md", text);
    let file = file.to_str().unwrap();
    let send = ["newsletter", "send", file, "--rate", "0", "--yes"];
    test.run_with_mail(&[&send[..], more].concat(), &server.url)
}

/// A mail server that gives this answer to these people.
fn refusing(people: Range<usize>, step: Step, words: &'static str) -> MailServer {
    let refused: Vec<_> = people
        .map(|person| format!("person{person}@example.org"))
        .collect();
    MailServer::scripted(move |moment| {
        let is_refused = refused.iter().any(|address| address == moment.recipient);
        (moment.step == step && is_refused).then(|| words.to_owned())
    })
}

/// So many people got one mail each.
#[track_caller]
fn assert_everybody_once(server: &MailServer, people: usize) {
    let mut recipients = HashSet::new();
    for mail in server.taken() {
        assert_eq!(mail.envelope_to.len(), 1);
        assert!(recipients.insert(mail.envelope_to[0].clone()), "twice");
    }
    assert_eq!(recipients.len(), people, "everyone");
}
