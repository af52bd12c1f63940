//! The server's own facts come from the published release, like the pages: texts of mails, consent
//! texts and retention periods.

use frontdoor::content::consent;

use super::Site;
use crate::support::{Database, Draft, MailServer, Process, client, post_lead, run, until};

const NAME: &str = "Quite Another Name";
const WORDS: &str = "You will get our letters.";

fn draft() -> Draft {
    let mut draft = Draft::named("blue");
    let facts = &mut draft.list["facts"];
    facts["site"]["name"] = NAME.into();
    facts["site"]["email"] = "another@site.example".into();
    facts["site"].as_object_mut().unwrap().remove("phone");
    facts["consent"]["version"] = 7.into();
    facts["consent"]["wording"] = WORDS.into();
    facts["retention"]["leads"] = 99.into();
    draft
}

fn site_with_mail() -> (Site, MailServer) {
    let (database, mails) = (Database::new(), MailServer::start());
    let with_mail = [("FRONTDOOR_SMTP_URL", mails.url.as_str())];
    let server = Process::start(&database.url(), &with_mail);
    (Site { database, server }, mails)
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
    let (site, mails) = site_with_mail();
    let output = draft().offer(&site.database).succeeds();
    let shorter = "leads are now kept for only 99 days; older ones are deleted within a day\n";
    assert!(output.stderr.starts_with(shorter), "{}", output.stderr);
    let sample = "`another@site.example` is a placeholder";
    output.stderr_contains(sample);
    site.until_shown("blue").await;

    subscribe(&site.server, "ada@example.org").await;
    mails.wait_for_mails(1).await;
    let mail = mails.taken().remove(0);
    let text = mail.text();
    assert!(text.contains(NAME), "{text}");
    // Without a phone number.
    assert_eq!(text.lines().last(), Some("another@site.example"));
    assert_eq!(mail.envelope_from, "another@site.example");
    let proof = site.run(&["subscribers", "proof", "ada@example.org"]);
    proof.stdout_contains(WORDS);
    proof.stdout_contains(NAME);
    let periods = site.run(&["prune", "--dry-run"]);
    periods.stdout_contains("99 days");
    let mut check = site.database.command(&["check"]);
    let checked = run(check.env("FRONTDOOR_KEEP_LEADS_DAYS", "100"));
    checked.stdout_contains("privacy policy: leads are kept longer than it says");

    let rollback = ["releases", "rollback", "built-in"];
    site.run(&rollback).succeeds();
    until("the program's own facts hold", async || {
        !site.run(&["prune", "--dry-run"]).stdout.contains("99 days")
    })
    .await;
    // Of a page that is still open.
    site.until_shown(&super::own_name()).await;
    subscribe(&site.server, "bob@example.org").await;
    let proof = site.run(&["subscribers", "proof", "bob@example.org"]);
    proof.stdout_contains("version 7");
    assert!(
        !proof.stdout.contains(&*consent().wording),
        "{}",
        proof.stdout
    );
}

#[tokio::test]
async fn nothing_is_deleted_if_another_version_of_the_program_set_the_periods() {
    let site = Site::open();
    draft().offer(&site.database).succeeds();
    let facts = "UPDATE releases SET facts = '{\"retention\": {\"leads\": 99, \"more\": 1}}'";
    site.database.sql().run(facts);
    for arguments in [&["prune"][..], &["prune", "--dry-run"]] {
        let output = site.run(arguments);
        output.exits_with(1, "");
        output.stderr_contains("nothing is removed");
        output.stderr_contains("another version of this program");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mail_goes_out_in_the_name_of_the_company_that_the_program_was_compiled_with() {
    let site = Site::open();
    draft().offer(&site.database).succeeds();
    let spoil = "UPDATE releases SET content = substr(content, 1, 1)";
    site.database.sql().run(spoil);
    let mails = MailServer::start();
    let with_mail = [("FRONTDOOR_SMTP_URL", mails.url.as_str())];
    let server = Process::start(&site.database.url(), &with_mail);
    post_lead(server.address, &[]);
    let unreadable = "the facts of the published release can't be read";
    until("the mail waits", async || {
        let listed = site.run(&["deliveries", "list", "--json"]);
        listed.stdout.contains(unreadable)
    })
    .await;
    assert!(mails.taken().is_empty());

    let mut next = draft();
    next.list["facts"]["site"]["phone"] = "+1 (416) 555-0100".into();
    next.offer(&site.database).succeeds();
    super::until_shown(server.address, "blue").await;
    site.run(&["deliveries", "retry", "--all"]);
    mails.wait_for_mails(1).await;
    assert_eq!(mails.taken()[0].envelope_from, "another@site.example");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_reads_times_in_the_zone_of_the_release_that_is_shown() {
    let (site, mails) = site_with_mail();
    let mut draft = Draft::named("blue");
    draft.list["facts"]["site"]["time_zone"] = "Asia/Tokyo".into();
    draft.offer(&site.database).succeeds();
    site.until_shown("blue").await;
    post_lead(site.server.address, &[]);
    mails.wait_for_mails(1).await;
    let text = mails.taken()[0].text();
    assert!(text.contains(" JST"), "{text}");

    // A server would plan anew what is so far away.
    let Site { database, server } = site;
    assert!(server.terminate().1.success());
    let sql = database.sql();
    sql.run("UPDATE contacts SET created_at = '2026-01-01T16:00:00.000Z'");
    let later = "next_attempt_at = '2999-01-01T16:00:00.000Z'";
    sql.run(&format!("UPDATE deliveries SET state = 'pending', {later}"));
    let received = "2026-01-02 01:00 JST";
    let ada = "ada@example.org";
    for (arguments, time) in [
        (&["leads", "list", "--since", "2026-01-02"][..], received),
        (&["leads", "show", ada], received),
        (&["leads", "show", ada], "due 2026-01-03 01:00 JST"),
        (&["leads", "reply", ada], "On 2026-01-02,"),
        (&["deliveries", "list"], "2999-01-02 01:00 JST"),
        (&["releases", "list"], " JST"),
        (&["leads", "list", "--json"], "\"2026-01-01T16:00:00Z\""),
    ] {
        database.run(arguments).stdout_contains(time);
    }
}
