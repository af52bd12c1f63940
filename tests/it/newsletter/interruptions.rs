//! Sending is cut off and continued.
//!
//! The test's mail server stops all conversations at a chosen step, so that the process is killed
//! exactly there.

use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use frontdoor::newsletter::MAX_SESSIONS;

use super::{ISSUE, assert_everybody_once, confirmed};
use crate::support::{MailServer, Step, TIMEOUT, long_or_short, terminate};

/// A server that stops its conversations at each of these steps in turn, once so many mails are
/// taken. The receiver is told when every conversation waits; dropping the sender ends them.
pub fn gated_server(
    stops: &[(Step, usize)],
    conversations: usize,
) -> (MailServer, Receiver<()>, Sender<()>) {
    let (tell, all_wait) = channel();
    let (open, blocked) = channel::<()>();
    let (tell, blocked) = (Mutex::new(tell), Mutex::new(blocked));
    let waiting = Mutex::new((stops.to_vec(), 0));
    let server = MailServer::scripted(move |moment| {
        {
            let (stops, number) = &mut *waiting.lock().unwrap();
            let (stop, least) = stops.first().copied()?;
            if moment.step != stop || moment.taken < least {
                return None;
            }
            *number += 1;
            if *number == conversations {
                stops.remove(0);
                *number = 0;
                tell.lock().unwrap().send(()).unwrap();
            }
        }
        // Never answers again: the process it talks to is about to die.
        let _ = blocked.lock().unwrap().recv();
        None
    });
    (server, all_wait, open)
}

/// The arguments that send this file.
fn send(file: &Path) -> [&str; 6] {
    let file = file.to_str().unwrap();
    ["newsletter", "send", file, "--rate", "0", "--yes"]
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_gets_the_issue_once_despite_three_kills_and_unsure_mails_only_on_request() {
    let people = long_or_short(5_000, 120);
    let test = confirmed(people).await;
    let file = test.write("issue.md", ISSUE);
    let send = send(&file);
    // Each time during four mails: at their recipients; after they were taken, before we know
    // it; when the server is about to ask for the messages.
    let stops = [
        (Step::Recipient, people / 7),
        (Step::Taken, people / 2),
        (Step::Data, people * 4 / 5),
    ];
    let (server, all_wait, _open) = gated_server(&stops, MAX_SESSIONS);
    for _ in stops {
        let mut sending = test.start_with_mail(&send, &server.url);
        all_wait.recv_timeout(TIMEOUT).unwrap();
        sending.kill().unwrap();
        sending.wait().unwrap();
    }
    let last = test.run_with_mail(&send, &server.url);
    last.fails_with(1, "Unsure: 4 mails were cut off");

    assert_everybody_once(&server, people);
    let again = test.run_with_mail(&send, &server.url);
    again.exits_with(1, "Sent 0 mails\n");
    assert_eq!(server.taken().len(), people, "nobody twice");

    let retry = [&send[..], &["--retry-unsure"]].concat();
    let early = test.run_with_mail(&retry, &server.url);
    // Another run might be handing them over right now.
    early.exits_with(1, "Sent 0 mails\n");
    early.stderr_contains("three minutes");
    // As if they had been offered long ago.
    let earlier = "UPDATE newsletter_sends SET offered_at = '2020-01-01' WHERE state = 'offered'";
    assert_eq!(test.database.sql().run(earlier), 4);
    let output = test.run_with_mail(&retry, &server.url);
    output.exits_with(0, "Sent 4 mails\n");
    assert_eq!(server.taken().len(), people + 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_finishes_the_mails_in_progress_and_the_issue_continues_without_a_question() {
    let test = confirmed(3).await;
    let file = test.write("issue.md", ISSUE);
    let slowly = send(&file).map(|word| if word == "0" { "1" } else { word });
    let server = MailServer::start();
    let mut sending = test.start_with_mail(&slowly, &server.url);
    server.wait_for_mails(1).await;
    terminate(&sending);
    assert_eq!(sending.wait().unwrap().code(), Some(1));
    assert_eq!(server.taken().len(), 1);
    // Without --yes.
    let rest = test.run_with_mail(&send(&file)[..5], &server.url);
    rest.exits_with(0, "Sent 2 mails\n");
    assert!(!rest.stderr.contains("Unsure"), "{}", rest.stderr);
    assert_everybody_once(&server, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_fails_to_note_an_offer_does_not_withdraw_that_of_another_run() {
    let test = confirmed(1).await;
    let file = test.write("issue.md", ISSUE);
    let send = send(&file);
    // The second run knows its recipient and hasn't noted the offer.
    let (second_server, second_waits, second_gate) = gated_server(&[(Step::Recipient, 0)], 1);
    let mut second = test.start_with_mail(&send, &second_server.url);
    second_waits.recv_timeout(TIMEOUT).unwrap();
    // The first run has handed the mail over, and waits for the answer.
    let (first_server, first_waits, first_gate) = gated_server(&[(Step::Taken, 1)], 1);
    let mut first = test.start_with_mail(&send, &first_server.url);
    first_waits.recv_timeout(TIMEOUT).unwrap();

    let sql = test.database.sql();
    sql.refuse("INSERT ON newsletter_sends", "true");
    drop(second_gate);
    assert_eq!(second.wait().unwrap().code(), Some(1));
    drop(first_gate);
    assert_eq!(first.wait().unwrap().code(), Some(0));
    sql.refuse_no_more("newsletter_sends");
    let again = test.run_with_mail(&send, &second_server.url);
    again.exits_with(0, "Sent 0 mails\n");
    assert!(second_server.taken().is_empty(), "nobody twice");
}
