//! What the owner is asked before an issue goes out.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::mail_server::MailServer;
use crate::support::network::closed;
use crate::support::office::Office;
use crate::support::process::Said;

const ISSUE: &str = "# News of May\n\nHello.\n";

/// Runs the command and types an answer.
fn answered(office: &Office, arguments: &[&str], url: &str, answer: &str) -> Said {
    let mut command = office.command(arguments);
    command
        .env("FRONTDOOR_SMTP_URL", url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(answer.as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap().into()
}

#[tokio::test]
async fn an_issue_goes_out_after_one_question_with_the_number() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = MailServer::start(None);
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];

    let nobody = office.run_with_mail(&send, &server.url);
    assert_eq!(nobody.code, 2, "{}", nobody.err);
    nobody.complains("Send “News of May” to 3 subscribers?");
    nobody.complains("--yes");
    let no = answered(&office, &send, &server.url, "n\n");
    assert_eq!(no.code, 1);
    no.complains("nothing was sent");
    assert!(server.taken().is_empty());

    let yes = answered(&office, &send, &server.url, "y\n");
    yes.assert(0, "Sent 3 mails\n");
    let again = office.run_with_mail(&send, &server.url);
    // No question.
    again.assert(0, "Sent 0 mails\n");
}

#[tokio::test]
async fn a_no_leaves_the_notes_and_the_number_counts_who_is_tried_again() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let refusing = MailServer::start(Some("person0@example.org"));
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    office.run_with_mail(&[&send[..], &["--yes"]].concat(), &refusing.url);
    assert_eq!(office.issue_counts(ISSUE).await.refused, 1);

    let server = MailServer::start(None);
    let retry = [&send[..], &["--retry-refused"]].concat();
    let no = answered(&office, &retry, &server.url, "n\n");
    no.complains("to 1 subscriber?");
    assert_eq!(office.issue_counts(ISSUE).await.refused, 1);
    let yes = answered(&office, &retry, &server.url, "y\n");
    yes.assert(0, "Sent 1 mail\n");
}

#[tokio::test]
async fn a_changed_file_says_how_many_got_the_earlier_version() {
    let office = Office::open().await;
    office.add_confirmed(3).await;
    let server = MailServer::start(None);
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    office.run_with_mail(&[&send[..], &["--yes"]].concat(), &server.url);
    office.subscribe("new@example.org", None, true).await;
    office.confirm_all().await;

    let file = office.write("may.md", "# News of May\n\nHello, without a typo.\n");
    let asked = office.run_with_mail(&send, &server.url);
    assert_eq!(asked.code, 2);
    let [who, which] = [
        "3 of them got “News of May” on ",
        " from an earlier version of this file",
    ];
    asked.complains(who);
    asked.complains(which);
    asked.complains("to 4 subscribers?");
    let dry = office.run(&[&send[..], &["--dry-run"]].concat());
    dry.shows(who);
    dry.shows(which);
    assert_eq!(server.taken().len(), 3);

    let renamed = office.write("june.md", "# News of May\n\nOther words.\n");
    let other = ["newsletter", "send", renamed.to_str().unwrap()];
    let asked = office.run_with_mail(&other, &server.url);
    asked.complains(who);
    asked.complains(" from the file may.md");
    drop(file);
}

#[tokio::test]
async fn an_interrupted_issue_goes_on_unasked_and_a_finished_one_asks_again() {
    let office = Office::open().await;
    office.add_confirmed(12).await;
    let file = office.write("may.md", ISSUE);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--rate", "0"];
    let (_closed, address) = closed();
    let dead = format!("smtp://{address}");
    assert_eq!(
        office
            .run_with_mail(&[&send[..], &["--yes"]].concat(), &dead)
            .code,
        1
    );
    let server = MailServer::start(None);
    let resumed = office.run_with_mail(&send, &server.url);
    resumed.assert(0, "Sent 12 mails\n");

    office.subscribe("new@example.org", None, true).await;
    office.confirm_all().await;
    let asked = office.run_with_mail(&send, &server.url);
    assert_eq!(asked.code, 2);
    asked.complains("to 1 subscriber?");
}
