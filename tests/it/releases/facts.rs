//! What the server itself says goes with the pages: in mails, as the proof of a
//! consent, and in how long it keeps things.

use mail_parser::MessageParser;

use super::House;
use crate::support::client::client;
use crate::support::mail_server::MailServer;
use crate::support::process::Process;
use crate::support::release::Draft;
use crate::support::wait::until;

const NAME: &str = "Quite Another Name";
const WORDS: &str = "You will get our letters.";

fn draft() -> Draft {
    let mut draft = Draft::named("blue");
    let facts = &mut draft.list["facts"];
    facts["site"]["name"] = NAME.into();
    facts["site"]["email"] = "another@site.example".into();
    facts["consent"]["version"] = 7.into();
    facts["consent"]["wording"] = WORDS.into();
    facts["retention"]["leads"] = 99.into();
    draft
}

async fn subscribe(server: &Process, email: &str) {
    let post = client()
        .post(format!("http://{}/api/newsletter", server.address))
        .header("content-type", "application/json")
        .body(format!("{{\"email\":\"{email}\",\"consent_version\":7}}"));
    assert_eq!(post.send().await.unwrap().status(), 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_consents_and_periods_are_those_of_the_release_that_is_shown() {
    let mut house = House::open();
    let mails = MailServer::start(None);
    let with_mail = [("FRONTDOOR_SMTP_URL", mails.url.as_str())];
    house.server = Process::start(&house.database.url(), &with_mail);
    house.publish_draft(&draft());
    house.until_shown("blue").await;

    subscribe(&house.server, "ada@example.org").await;
    mails.wait_for_mails(1).await;
    let mail = mails.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let text = message.body_text(0).unwrap();
    assert!(text.contains(NAME), "{text}");
    let proof = house.run(&["subscribers", "proof", "ada@example.org"]);
    assert!(
        proof.out.contains(WORDS) && proof.out.contains(NAME),
        "{}{}",
        proof.out,
        proof.err
    );
    let periods = house.run(&["prune", "--dry-run"]);
    periods.shows("99 days");

    // Settings that default to them follow at a start.
    house.server = Process::start(&house.database.url(), &with_mail);
    subscribe(&house.server, "bob@example.org").await;
    mails.wait_for_mails(2).await;
    assert_eq!(mails.taken()[1].envelope_from, "another@site.example");

    let said = house.run(&["releases", "rollback", "built-in"]);
    assert_eq!(said.code, 0, "{}", said.err);
    until("the program's own facts hold", async || {
        !house.run(&["prune", "--dry-run"]).out.contains("99 days")
    })
    .await;
}
