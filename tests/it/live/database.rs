//! A site where nothing is wrong, and what waits for the owner in the database.

use frontdoor::content::SITE;
use frontdoor::store::{Channel, OpenMode};
use jiff::Timestamp;

use super::{Proxy, Server, check, host, in_hours, report};
use crate::support::{
    MailServer, Receiver, TestStore, copy_environment, deliveries, frontdoor, leads, metrics,
    on_postgres, run, visitor,
};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_works_is_told_so_and_left_as_it_was() {
    let server = Server::start();
    let site = server.behind(Proxy::default()).await;
    let (mail, webhook) = (MailServer::start(), Receiver::accepting().await);
    let backups = server.database.path("backups");
    let mut command = site.check();
    command
        .env("FRONTDOOR_SMTP_URL", &mail.url)
        .env("FRONTDOOR_WEBHOOK_URL", &webhook.url)
        .env("FRONTDOOR_WEBHOOK_SECRET", SECRET)
        .env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1");
    if !on_postgres() {
        let name = Timestamp::now().strftime("leads-%Y%m%dT%H%M%SZ.db");
        std::fs::create_dir(&backups).unwrap();
        std::fs::write(backups.join(name.to_string()), "").unwrap();
        command.env("FRONTDOOR_BACKUP_DIR", &backups);
    }
    let report = report(&mut command);
    for (check, words) in [
        ("settings", &["are right"][..]),
        ("database", &["is whole"]),
        ("write", &["commits"]),
        ("mail", &["test mail", SITE.email.as_str()]),
        ("webhook", &["signed test call"]),
        ("DNS", &[host()]),
        ("SPF", &[]),
        ("DKIM", &["one._domainkey"]),
        ("DMARC", &[]),
        ("site", &["answers"]),
        ("TLS", &["days are left"]),
        ("HSTS", &[]),
        ("HTTP to HTTPS", &["redirects"]),
        ("lead", &["came through"]),
        ("visitors", &["203.0.113.9", "127.0.0.1"]),
        ("clock", &["in the site's answers"]),
        ("clock", &["in the database"]),
    ] {
        report.says(check, "good", words);
    }
    if !on_postgres() {
        report.says("backup", "good", &["m old"]);
        report.says("database owner", "good", &[]);
        assert!(!report.of("disk").is_empty());
    }
    assert_eq!(report.code, 0);

    let mails = mail.taken();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].subject().starts_with("Test mail of"));
    let calls = webhook.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].header("frontdoor-event"), "test");
    assert!(calls[0].header("webhook-signature").starts_with("v1,"));
    // Nobody was told of a lead, and none was counted.
    let store = server.database.open(OpenMode::Existing).await;
    assert!(leads(&store).await.is_empty() && deliveries(&store).await.is_empty());
    store.close().await.unwrap();
    let counted = metrics(server.process.ops).await;
    for line in [
        "frontdoor_leads_stored_total 0",
        "frontdoor_leads_held_total 0",
    ] {
        assert!(counted.contains(line), "{counted}");
    }

    // The lines for people have sign and remedy, and what is off is no fault.
    let soon = Proxy {
        end: Some(in_hours(12 * 24)),
        ..Proxy::default()
    };
    let site = server.behind(soon).await;
    let mut people = frontdoor(&["check", "--live"]);
    people.args(["--resolver", &site.names.to_string()]);
    copy_environment(&site.check(), &mut people);
    let said = run(people.env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1"));
    let said = said.succeeds();
    for line in [
        "✓ settings: are right",
        "! mail: is off: no mail is sent → set FRONTDOOR_SMTP_URL",
        "! webhook: is off: leads are only stored → set FRONTDOOR_WEBHOOK_URL",
        "! TLS: the certificate is trusted, 1",
    ] {
        said.shows(line);
    }
}

#[tokio::test]
async fn leads_that_are_overdue_and_deliveries_that_fail_or_were_given_up() {
    let test = TestStore::new().await;
    test.add(visitor()).await;
    let sql = test.database.sql();
    sql.run("UPDATE contacts SET created_at = '2025-01-01T00:00:00.000Z'");
    sql.run("UPDATE deliveries SET attempts = 3");
    let store = &test.store;
    let noted = store.note_failing(Channel::Webhook, "status 404", Timestamp::now());
    noted.await.unwrap();
    store.close().await.unwrap();
    let url = test.database.url();
    let found = check(&url, &[]);
    let overdue = ["1 lead is overdue", "frontdoor leads due"];
    found.says("leads", "unsure", &overdue);
    let waits = "webhook: 1 delivery waits for another try: status 404";
    let retry = "frontdoor deliveries retry --all";
    found.says("deliveries", "unsure", &[waits, retry]);
    // A failing check removes its own lead and no other.
    assert_eq!(sql.number("SELECT count(*) FROM contacts"), 1);

    sql.run("UPDATE deliveries SET state = 'given_up', finished_at = '2026-01-01T00:00:00.000Z'");
    let list = "frontdoor deliveries list --state given_up";
    let found = check(&url, &[]);
    found.says("deliveries", "unsure", &["1 delivery was given up", list]);
    // The remedy is a command that finds it.
    let words: Vec<_> = list.split(' ').skip(1).chain(["--json"]).collect();
    assert_eq!(test.json(&words).as_array().unwrap().len(), 1);
}
