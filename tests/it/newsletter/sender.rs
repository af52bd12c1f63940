//! In whose name an issue goes out: the company of the site that is shown.

use serde_json::json;

use crate::newsletter::preview::preview;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::{Said, run};
use crate::support::release::Draft;

const NAME: &str = "Quite Another Name";
const EMAIL: &str = "another@site.example";

fn company() -> Draft {
    let mut draft = Draft::named("blue");
    let site = &mut draft.list["facts"]["site"];
    site["name"] = json!(NAME);
    site["email"] = json!(EMAIL);
    draft
}

fn publish(office: &Office) {
    let file = company().write(&office.database, "next.pack");
    let said = office.run(&["publish", file.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.err);
}

/// Without a sender in the settings.
fn send(office: &Office, server: &MailServer, settings: &[(&str, &str)]) -> Said {
    let file = office.write("issue.md", "# News\n\nHello.\n");
    let mut command = office.command(&["newsletter", "send", file.to_str().unwrap(), "--yes"]);
    command.env_remove("FRONTDOOR_MAIL_FROM");
    command.env("FRONTDOOR_SMTP_URL", &server.url);
    run(command.envs(settings.iter().copied()))
}

#[tokio::test]
async fn facts_that_cannot_be_read_stop_whatever_speaks_in_their_name() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    publish(&office);
    let lead = office.add(crate::support::data::visitor(), None).await;
    // As a later program would have written them.
    let later = "UPDATE releases SET facts = '{\"more\": 1}'";
    assert_eq!(office.database.past().run(later), 1);
    let server = MailServer::start(None);
    let issue = office.write("issue.md", "# News\n\nHello.\n");
    let issue = issue.to_str().unwrap();
    for arguments in [
        &["newsletter", "send", issue, "--yes"][..],
        &["newsletter", "send", issue, "--dry-run"],
        &["newsletter", "send", issue, "--test", "owner@site.example"],
        &["newsletter", "preview", issue],
        &["leads", "reply", &lead],
        &["subscribers", "proof", "person0@example.org"],
    ] {
        let said = office.run_with_mail(arguments, &server.url);
        assert_eq!((said.code, &*said.out), (1, ""), "{arguments:?}");
        said.complains("the facts of the published release cannot be read");
        said.complains("frontdoor releases rollback");
    }
    assert!(server.taken().is_empty());
    office.run(&["releases", "rollback", "built-in"]);
    send(&office, &server, &[]).assert(0, "Sent 1 mail\n");
}

#[tokio::test]
async fn an_issue_goes_out_in_the_name_of_the_release_that_the_settings_name() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let file = company().write(&office.database, "given.pack");
    let server = MailServer::start(None);
    let given = [("FRONTDOOR_SITE", file.to_str().unwrap())];
    send(&office, &server, &given).assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, EMAIL);
    let text = String::from_utf8_lossy(&mail.data);
    assert!(text.contains(NAME), "{text}");
    let gone = send(&office, &server, &[("FRONTDOOR_SITE", "/nowhere/a.pack")]);
    assert_eq!(gone.code, 1);
    gone.complains("cannot read the release /nowhere/a.pack");
}

#[tokio::test]
async fn a_preview_shows_the_company_of_the_published_release() {
    let office = Office::open().await;
    publish(&office);
    let mail = preview(&office.database.url(), "# News\n\nHello.\n");
    assert!(mail.contains(NAME) && mail.contains(EMAIL), "{mail}");
}
