//! Faults that visitors, other mail servers and the webhook meet: each is named,
//! with its remedy.

use frontdoor::store::OpenMode;

use super::{House, Known, host, in_hours, report};
use crate::support::database::{Database, deliveries, leads};
use crate::support::mail_server::MailServer;
use crate::support::process::{Process, frontdoor};
use crate::support::receiver::{Answer, Receiver};
use crate::support::scripted_smtp::{ScriptedServer, Step};

/// What is found: the check, its state and some of its words.
type Finding = (&'static str, &'static str, &'static [&'static str]);
type Case = (fn(&mut House), &'static [Finding]);

const TRUSTED: &str = "FRONTDOOR_TRUSTED_PROXIES";

#[tokio::test]
async fn certificates_and_proxies() {
    let cases: [Case; 8] = [
        (
            |house| house.end = Some(in_hours(-48)),
            &[
                ("TLS", "bad", &["certificate has expired", "renew"]),
                ("lead", "unsure", &["could not be sent"]),
            ],
        ),
        (
            |house| house.end = Some(in_hours(3 * 24 + 12)),
            &[
                ("TLS", "bad", &["3 days are left", "the proxy's log"]),
                ("lead", "good", &[]),
            ],
        ),
        (
            // Or this machine's clock is behind by days.
            |house| house.begin = Some(in_hours(48)),
            &[("TLS", "bad", &["not valid yet", "this machine's clock"])],
        ),
        (
            |house| house.proxy = "proxy_hide_header Strict-Transport-Security;",
            &[("HSTS", "bad", &[TRUSTED, "X-Forwarded-Proto"])],
        ),
        (
            |house| house.proxy = "return 502;",
            &[
                ("site", "bad", &["status 502", "where it listens"]),
                ("lead", "bad", &["status 502"]),
            ],
        ),
        (
            // Everybody behind it would share one rate limit.
            |house| house.trusted = "",
            &[
                ("visitors", "bad", &[TRUSTED, "=127.0.0.1"]),
                ("HSTS", "bad", &[]),
            ],
        ),
        (
            |house| house.plain = "return 200 \"welcome\";",
            &[(
                "HTTP to HTTPS",
                "bad",
                &["status 200", "redirect http:// to"],
            )],
        ),
        (
            |house| {
                let elsewhere = Known::Address([192, 0, 2, 9].into());
                house.records = vec![("maplewire.example", elsewhere)];
            },
            &[("DNS", "unsure", &["another machine than www."])],
        ),
    ];
    for (change, findings) in cases {
        let mut house = House::default();
        change(&mut house);
        let found = report(&mut house.start().await.check());
        for (check, state, words) in findings {
            found.says(check, state, words);
        }
    }
}

#[tokio::test]
async fn names_ports_passwords_and_another_database() {
    let site = House::default().start().await;
    let found = report(&mut site.check());
    let words = ["maplewire.example has no address", "A and AAAA"];
    found.says("DNS", "unsure", &words);
    let other = report(site.check().args(["--url", "https://other.example"]));
    let words = ["other.example has no address", "A and AAAA"];
    other.says("DNS", "bad", &words);
    let alias = report(site.check().args(["--url", "https://alias.example"]));
    let words = "certificate is for another name";
    alias.says("TLS", "bad", &["alias.example", words, "this very name"]);
    let unknown = report(site.check().env_remove("SSL_CERT_FILE"));
    unknown.says("TLS", "bad", &["certificate is not trusted"]);

    let closed = report(site.check().args(["--url", "https://127.0.0.1:1"]));
    closed.says("site", "bad", &["refuses connections", "firewall"]);
    let nowhere = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = nowhere.local_addr().unwrap().to_string();
    let mut command = frontdoor(&["check", "--live", "--json", "--resolver", &silent]);
    let found = report(command.env("DATABASE_URL", site.database.url()));
    found.says("DNS", "unsure", &["doesn't know", "--resolver"]);

    let found = report(site.check().env("FRONTDOOR_SMTP_URL", "smtp://127.0.0.1:1"));
    found.says("mail", "bad", &["refuse", "port"]);
    let mail =
        ScriptedServer::start(|step, _| (step == Step::Login).then(|| "535 5.7.8 no".to_owned()));
    let url = format!("smtp://user:hush@{}", mail.address);
    let found = report(site.check().env("FRONTDOOR_SMTP_URL", url));
    found.says("mail", "bad", &["535", "FRONTDOOR_SMTP_URL", "password"]);
    assert!(!found.of("mail").contains("hush"));

    // Commands that look at another database than the service.
    let other = Database::new();
    Process::start(&other.url(), &[]).terminate();
    let found = report(site.check().env("DATABASE_URL", other.url()));
    let words = [host(), "another database", "frontdoor settings"];
    found.says("lead", "bad", &words);
    let store = site.database.open(OpenMode::Existing).await;
    let left = leads(&store).await;
    assert_eq!(left.len(), 1);
    assert!(left[0].is_held() && deliveries(&store).await.is_empty());
}

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_refuses_or_has_another_secret() {
    let site = House::default().start().await;
    for (status, words) in [
        (404, ["404", "automation"]),
        (401, ["401", "FRONTDOOR_WEBHOOK_SECRET"]),
    ] {
        let webhook = Receiver::start(move |_| Answer::Status(status)).await;
        let found = report(site.check().env("FRONTDOOR_WEBHOOK_URL", &webhook.url));
        found.says("webhook", "bad", &words);
    }
}

/// The remedy keeps those that are believed.
#[tokio::test]
async fn a_proxy_that_is_not_among_those_that_are_believed() {
    let house = House {
        trusted: "10.0.0.0/8",
        ..House::default()
    };
    let site = house.start().await;
    let report = report(site.check().env("FRONTDOOR_TRUSTED_PROXIES", "10.0.0.0/8"));
    report.says(
        "visitors",
        "bad",
        &[
            "takes every visitor for the proxy 127.0.0.1",
            "set FRONTDOOR_TRUSTED_PROXIES=10.0.0.0/8,127.0.0.1 ",
        ],
    );
    assert!(!report.of("visitors").contains("203.0.113.9"));
}

#[tokio::test]
async fn a_proxy_that_does_not_pass_the_visitors_address_on() {
    let house = House {
        visitor: "127.0.0.1",
        ..House::default()
    };
    let site = house.start().await;
    let report = report(site.check().env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1"));
    report.says("visitors", "unsure", &["a proxy's address"]);
}

#[tokio::test]
async fn records_that_are_missing_or_too_many() {
    let twice = ("maplewire.example", Known::Text("v=spf1 -all"));
    let house = House {
        records: vec![twice.clone(), twice],
        ..House::default()
    };
    let site = house.start().await;
    let mail = MailServer::start(None);
    let found = report(site.check().env("FRONTDOOR_SMTP_URL", &mail.url));
    found.says("SPF", "bad", &["several"]);
    let key = "one._domainkey.maplewire.example has no key";
    found.says("DKIM", "bad", &[key]);
    found.says("DMARC", "bad", &["_dmarc.maplewire.example"]);
    let none = House {
        records: Vec::new(),
        ..House::default()
    };
    let none = none.start().await;
    let found = report(none.check().env("FRONTDOOR_SMTP_URL", &mail.url));
    found.says("SPF", "bad", &["doesn't say who may send", "v=spf1"]);
}

/// A key that was taken back is empty; a policy above holds for names below.
#[tokio::test]
async fn a_key_without_a_key_and_a_policy_of_the_domain_above() {
    let house = House {
        records: vec![
            (
                "one._domainkey.desk.maplewire.example",
                Known::Text("v=DKIM1; p="),
            ),
            ("_dmarc.maplewire.example", Known::Text("v=DMARC1; p=none")),
        ],
        ..House::default()
    };
    let site = house.start().await;
    let mail = MailServer::start(Some("away@site.example"));
    let found = report(
        site.check()
            .env("FRONTDOOR_SMTP_URL", &mail.url)
            .env("FRONTDOOR_MAIL_FROM", "us@desk.maplewire.example")
            .env(
                "FRONTDOOR_NOTIFY_EMAIL",
                "here@site.example,away@site.example",
            ),
    );
    let key = "one._domainkey.desk.maplewire.example has no key";
    found.says("DKIM", "bad", &[key]);
    found.says("DMARC", "good", &["maplewire.example has a policy"]);
    let turned_away = "doesn't take away@site.example";
    found.says("mail", "bad", &[turned_away, "FRONTDOOR_NOTIFY_EMAIL"]);
}
