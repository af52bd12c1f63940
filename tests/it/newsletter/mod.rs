//! `frontdoor newsletter` and `frontdoor subscribers`, run as the owner runs them: the
//! real program, a real database, a real SMTP conversation.

mod content;
mod interruptions;
mod preview;
mod refusals;
mod scheduled;
mod sending;
mod subscribers;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::thread::current;

use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::Said;
use crate::support::scripted_smtp::{ScriptedServer, Step};

const ISSUE: &str = "# News of May\n\nHello.\n";

/// Writes the issue, and sends it as fast as the mail server takes it.
fn send_issue(office: &Office, text: &str, url: &str, more: &[&str]) -> Said {
    let file = office.write("issue.md", text);
    let file = file.to_str().unwrap();
    let send = ["newsletter", "send", file, "--rate", "0", "--yes"];
    office.run_with_mail(&[&send[..], more].concat(), url)
}

/// A mail server that gives this answer to these people.
fn refusing(people: Range<usize>, at: Step, words: &'static str) -> ScriptedServer {
    let refused: Vec<_> = people
        .map(|person| format!("<person{person}@example.org>"))
        .collect();
    // Each conversation is a thread of the server's.
    let recipients = Mutex::new(HashMap::new());
    ScriptedServer::start(move |step, line| {
        let mut recipients = recipients.lock().unwrap();
        let recipient: &mut String = recipients.entry(current().id()).or_default();
        if step == Step::Recipient {
            *recipient = line.to_owned();
        }
        let hit = step == at && refused.iter().any(|address| recipient.contains(address));
        hit.then(|| words.to_owned())
    })
}

/// How many mails each recipient got.
fn deliveries(server: &MailServer) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for mail in server.taken() {
        assert_eq!(mail.envelope_to.len(), 1);
        *counts.entry(mail.envelope_to[0].clone()).or_default() += 1;
    }
    counts
}

/// Every one of so many people got one mail.
#[track_caller]
fn assert_everybody_once(server: &MailServer, people: usize) {
    let counts = deliveries(server);
    assert_eq!(counts.len(), people, "everyone");
    assert!(counts.values().all(|count| *count == 1), "once");
}
