//! A site where nothing is wrong.

use frontdoor::content;
use frontdoor::store::OpenMode;
use jiff::Timestamp;

use super::{Server, host, report};
use crate::support::{
    MailServer, Receiver, copy_environment, deliveries, frontdoor, in_hours, leads, metrics, run,
};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn the_check_of_a_working_site_finds_nothing_and_changes_nothing() {
    let server = Server::start();
    let site = server.behind(|_| {}).await;
    let (mail, webhook) = (MailServer::start(), Receiver::accepting().await);
    let backups = server.database.path("backups");
    let mut command = site.check();
    command
        .env("FRONTDOOR_SMTP_URL", &mail.url)
        .env("FRONTDOOR_WEBHOOK_URL", &webhook.url)
        .env("FRONTDOOR_WEBHOOK_SECRET", SECRET)
        .env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1");
    let name = Timestamp::now().strftime("leads-%Y%m%dT%H%M%SZ.db");
    std::fs::create_dir(&backups).unwrap();
    std::fs::write(backups.join(name.to_string()), "").unwrap();
    command.env("FRONTDOOR_BACKUP_DIR", &backups);
    let report = report(&mut command);
    for (check, words) in [
        ("settings", &["are valid"][..]),
        ("database", &["is intact"]),
        ("write", &["can be stored"]),
        ("mail", &["test mail", content::site().email.as_str()]),
        ("webhook", &["signed test call"]),
        ("DNS", &[host()]),
        ("SPF", &[]),
        ("DKIM", &["one._domainkey"]),
        ("DMARC", &[]),
        ("site", &["answers"]),
        ("TLS", &["days are left"]),
        ("HTTP to HTTPS", &["redirects"]),
        ("lead", &["came through"]),
        ("visitors", &["203.0.113.9", "127.0.0.1"]),
        ("backup", &["m old"]),
    ] {
        report.says(check, "good", words);
    }
    assert!(!report.of("disk").is_empty());
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
    let soon = Some(in_hours(12 * 24));
    let site = server.behind(|proxy| proxy.end = soon).await;
    let mut people = frontdoor(&["check", "--live"]);
    people.args(["--resolver", &site.names.to_string()]);
    copy_environment(&site.check(), &mut people);
    let output = run(people.env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1"));
    let output = output.succeeds();
    output.stdout_has(&[
        "✓ settings: all values are valid",
        "! mail: is off: nobody is notified of new leads → set FRONTDOOR_SMTP_URL",
        "! webhook: is off: no automation gets the leads → set FRONTDOOR_WEBHOOK_URL",
        "! TLS: the certificate is trusted, 1",
    ]);
}
