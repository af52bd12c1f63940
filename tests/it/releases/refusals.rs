//! A bad release is refused as a whole, with a line for each reason.

use serde_json::{Value, json};

use super::{Site, shown};
use crate::support::{Draft, refusal, serve};

#[tokio::test]
async fn a_release_with_a_fault_is_refused_with_each_reason_and_nothing_changes() {
    let site = Site::open();
    site.publish("blue");
    site.until_shown("blue").await;
    let mut faulty = Draft::built();
    let facts = &mut faulty.list["facts"];
    facts["site"]["phone"] = json!("\u{7}");
    facts["site"]["email"] = json!("büro@site.example");
    facts["messages"]["contact_sent"] = json!("Thank\tyou");
    facts["mails"]["confirmation"]["subject"] = json!("Please\nconfirm");
    facts["mails"]["confirmation"]["text"] = json!("Two\nlines are fine here");
    let is_kept = |file: &Value| file["path"] != "newsletter-failed";
    faulty.files(0).retain(is_kept);
    let mut misplaced = Draft::built();
    let html = misplaced.text(0, "contact-outcome");
    let html = html.replace("{{email}}", "{{age}}");
    misplaced.set_page(0, "contact-outcome", &html);
    for (draft, reasons) in [
        (
            faulty,
            &[
                "site.phone: has a line break or another control character",
                "site.email: \"büro@site.example\" can't send or receive mail: write another in content/site.toml",
                "messages.contact_sent: has a line break or another control character",
                "mails.confirmation.subject: has a line break or another control character",
                "this program can't serve it: there is no template newsletter-failed",
                "next.pack isn't published: 5 reasons above",
            ][..],
        ),
        (
            misplaced,
            &["the template contact-outcome has {{age}}, which is never filled in"],
        ),
    ] {
        let output = draft.offer(&site.database);
        output.exits_with(1, "");
        for reason in reasons {
            output.stderr_contains(reason);
        }
        output.stderr_contains("next.pack isn't published: ");
    }
    assert_eq!(site.list().1, "1");
    assert_eq!(shown(site.server.address), "blue");
}

#[tokio::test]
async fn every_command_refuses_a_damaged_release_and_names_the_remedy() {
    let site = Site::open();
    let mut changed = Draft::named("blue").bytes();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    let file = site.database.path("bad.pack");
    std::fs::write(&file, changed).unwrap();
    let place = file.to_str().unwrap();
    for output in [
        site.run(&["publish", place]),
        refusal(serve(&site.database.url()).args(["--site", place])),
        site.run(&["check", "--site", place]),
    ] {
        output.fails_with(1, "its checksum differs): copy it again");
    }
    let output = site.run(&["publish", "/nowhere/site.pack"]);
    output.fails_with(1, "can't read the release /nowhere/site.pack");
    assert_eq!(site.list().1, "built-in");
}
