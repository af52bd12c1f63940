//! Nothing is wrong.

use frontdoor::content::SITE;

use super::{House, host, in_hours, report};
use crate::support::client::metrics;
use crate::support::database::{deliveries, leads};
use crate::support::mail_server::MailServer;
use crate::support::process::run;
use crate::support::receiver::Receiver;
use frontdoor::store::OpenMode;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_works_is_told_so_and_left_as_it_was() {
    let site = House::default().start().await;
    let (mail, webhook) = (MailServer::start(None), Receiver::accepting().await);
    let backups = site.database.path("backups");
    let mut command = site.check();
    command
        .env("FRONTDOOR_SMTP_URL", &mail.url)
        .env("FRONTDOOR_WEBHOOK_URL", &webhook.url)
        .env("FRONTDOOR_WEBHOOK_SECRET", SECRET)
        .env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1");
    if !crate::support::database::on_postgres() {
        let name = jiff::Timestamp::now().strftime("leads-%Y%m%dT%H%M%SZ.db");
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
    if !crate::support::database::on_postgres() {
        report.says("backup", "good", &["m old"]);
        report.says("database owner", "good", &[]);
        assert!(!report.of("disk").is_empty());
    }
    assert_eq!(report.code, 0);

    let mails = mail.taken();
    assert_eq!(mails.len(), 1);
    assert!(String::from_utf8_lossy(&mails[0].data).contains("Subject: Test mail of"));
    let calls = webhook.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].header("frontdoor-event"), "test");
    assert!(calls[0].header("webhook-signature").starts_with("v1,"));
    // Nobody was told of a lead, and none was counted.
    let store = site.database.open(OpenMode::Existing).await;
    assert!(leads(&store).await.is_empty() && deliveries(&store).await.is_empty());
    store.close().await.unwrap();
    let counted = metrics(site.server.ops).await;
    for line in [
        "frontdoor_leads_stored_total 0",
        "frontdoor_leads_held_total 0",
    ] {
        assert!(counted.contains(line), "{counted}");
    }
}

#[tokio::test]
async fn the_lines_for_people_carry_sign_and_remedy_and_what_is_off_is_no_fault() {
    let house = House {
        end: Some(in_hours(12 * 24)),
        ..House::default()
    };
    let site = house.start().await;
    let mut command = site.check();
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    assert!(arguments.iter().any(|argument| argument == "--json"));
    let mut people = crate::support::process::frontdoor(&["check", "--live"]);
    people.args(["--resolver", &site.names.to_string()]);
    for (name, value) in command
        .env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1")
        .get_envs()
    {
        if let Some(value) = value {
            people.env(name, value);
        }
    }
    let said = run(&mut people);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in [
        "✓ settings: are right",
        "! mail: is off: no mail is sent → set FRONTDOOR_SMTP_URL",
        "! webhook: is off: leads are only stored → set FRONTDOOR_WEBHOOK_URL",
        "! TLS: the certificate is trusted, 1",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
}
