//! Faults that visitors, other mail servers or the webhook would notice: each is named with its
//! remedy.

use frontdoor::store::OpenMode;

use super::{Proxy, Server, address, host, report, text};
use crate::support::{
    Answer, MailServer, Receiver, Step, TestStore, deliveries, frontdoor, in_hours, leads,
};

const TRUSTED: &str = "FRONTDOOR_TRUSTED_PROXIES";

/// What is found: the check, its state and some of its words.
type Finding = (&'static str, &'static str, &'static [&'static str]);

/// What is wrong with the proxy.
type Change = fn(&mut Proxy);

#[tokio::test]
async fn certificates_and_proxies() {
    let server = Server::start();
    let cases: [(Change, &[Finding]); 5] = [
        (
            |proxy| proxy.end = Some(in_hours(-48)),
            &[
                ("TLS", "bad", &["certificate has expired", "renew"]),
                ("lead", "unsure", &["could not be sent"]),
            ],
        ),
        (
            |proxy| {
                proxy.end = Some(in_hours(3 * 24 + 12));
                proxy.plain = "return 200 \"welcome\";";
            },
            &[
                ("TLS", "bad", &["3 days are left", "the proxy's log"]),
                (
                    "HTTP to HTTPS",
                    "bad",
                    &["status 200", "redirect http:// to"],
                ),
                ("lead", "good", &[]),
            ],
        ),
        (
            // Or this machine's clock is behind by days.
            |proxy| proxy.begin = Some(in_hours(48)),
            &[("TLS", "bad", &["valid yet", "this machine's clock"])],
        ),
        (
            |proxy| proxy.more = "return 502;",
            &[
                ("site", "bad", &["status 502", "where it listens"]),
                ("lead", "bad", &["status 502"]),
            ],
        ),
        (
            // It doesn't pass the visitor's address on.
            |proxy| proxy.visitor = "127.0.0.1",
            &[("visitors", "unsure", &["a proxy's address"])],
        ),
    ];
    for (change, findings) in cases {
        let site = server.behind(change).await;
        let found = report(site.check().env(TRUSTED, "127.0.0.1"));
        for (check, state, words) in findings {
            found.says(check, state, words);
        }
    }
}

/// Everybody behind it would share one rate limit. The remedy keeps those that are believed.
#[tokio::test]
async fn a_proxy_that_is_not_among_those_that_are_believed() {
    let server = Server::trusting("10.0.0.0/8");
    let site = server.behind(|_| {}).await;
    for (believed, remedy) in [("", "=127.0.0.1"), ("10.0.0.0/8", "=10.0.0.0/8,127.0.0.1 ")] {
        let report = report(site.check().env(TRUSTED, believed));
        let what = "takes every visitor for the proxy 127.0.0.1";
        let remedy = format!("set {TRUSTED}{remedy}");
        report.says("visitors", "bad", &[what, &remedy]);
        assert!(!report.of("visitors").contains("203.0.113.9"));
    }
}

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn names_ports_passwords_webhooks_and_another_database() {
    let server = Server::start();
    let site = server.behind(|_| {}).await;
    let found = report(&mut site.check());
    let words = ["maplewire.example has no address", "A and AAAA"];
    found.says("DNS", "unsure", &words);
    let other = report(site.check().args(["--url", "https://other.example"]));
    let words = ["other.example has no address", "A and AAAA"];
    other.says("DNS", "bad", &words);
    let alias = report(site.check().args(["--url", "https://alias.example"]));
    let words = "certificate is for another name";
    alias.says(
        "TLS",
        "bad",
        &["alias.example", words, "a certificate for this name"],
    );
    let unknown = report(site.check().env_remove("SSL_CERT_FILE"));
    unknown.says("TLS", "bad", &["certificate isn't trusted"]);

    let closed = report(site.check().args(["--url", "https://127.0.0.1:1"]));
    closed.says("site", "bad", &["refuses connections", "firewall"]);
    let nowhere = ["check", "--live", "--json", "--resolver", "127.0.0.1:1"];
    let mut command = frontdoor(&nowhere);
    let found = report(command.env("DATABASE_URL", server.database.url()));
    found.says("DNS", "unsure", &["didn't answer for", "--resolver"]);

    let found = report(site.check().env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:1"));
    found.says("mail", "bad", &["refuse", "port"]);
    let mail = MailServer::answering(Step::Login, "535 5.7.8 no");
    let url = format!("smtp://user:hush@{}", mail.address);
    let found = report(site.check().env("FRONTDOOR_SMTP_URL", url));
    found.says("mail", "bad", &["535", "FRONTDOOR_SMTP_URL", "password"]);
    assert!(!found.of("mail").contains("hush"));

    for (status, words) in [
        (404, ["404", "automation"]),
        (401, ["401", "FRONTDOOR_WEBHOOK_SECRET"]),
    ] {
        let webhook = Receiver::start(move |_| Answer::Status(status)).await;
        let found = report(site.check().env("FRONTDOOR_WEBHOOK_URL", &webhook.url));
        found.says("webhook", "bad", &words);
    }

    // Commands that look at another database than the service.
    let other = TestStore::new().await;
    let found = report(site.check().env("DATABASE_URL", other.database.url()));
    let words = [host(), "another database", "frontdoor settings"];
    found.says("lead", "bad", &words);
    let store = server.database.open(OpenMode::Existing).await;
    let left = leads(&store).await;
    assert_eq!(left.len(), 1);
    assert!(left[0].is_held && deliveries(&store).await.is_empty());
}

#[tokio::test]
async fn records_of_the_domain_that_are_missing_wrong_or_too_many() {
    let server = Server::start();
    let mail = MailServer::refusing("away@site.example");
    let site = server.behind(|_| {}).await;
    let check = |site: &super::Site| {
        let mut check = site.check();
        check.env("FRONTDOOR_SMTP_URL", &mail.url);
        check
    };
    let elsewhere = address("maplewire.example", [192, 0, 2, 9]);
    let site = site.with_records(vec![elsewhere]);
    let found = report(&mut check(&site));
    found.says("DNS", "unsure", &["another machine than www."]);
    found.says("SPF", "bad", &["doesn't say who may send", "v=spf1"]);

    let twice = text("maplewire.example", "v=spf1 -all");
    let site = site.with_records(vec![twice.clone(), twice]);
    let found = report(&mut check(&site));
    found.says("SPF", "bad", &["several"]);
    let key = "one._domainkey.maplewire.example has no key";
    found.says("DKIM", "bad", &[key]);
    found.says("DMARC", "bad", &["_dmarc.maplewire.example"]);

    // A key that was taken back is empty; a policy above holds for names below.
    let site = site.with_records(vec![
        text("one._domainkey.desk.maplewire.example", "v=DKIM1; p="),
        text("_dmarc.maplewire.example", "v=DMARC1; p=none"),
    ]);
    let mut command = check(&site);
    command.env("FRONTDOOR_MAIL_FROM", "us@desk.maplewire.example");
    let notified = "here@site.example,away@site.example";
    let found = report(command.env("FRONTDOOR_NOTIFY_EMAIL", notified));
    let key = "one._domainkey.desk.maplewire.example has no key";
    found.says("DKIM", "bad", &[key]);
    found.says("DMARC", "good", &["maplewire.example has a policy"]);
    let turned_away = "refuses away@site.example";
    found.says("mail", "bad", &[turned_away, "FRONTDOOR_NOTIFY_EMAIL"]);
}
