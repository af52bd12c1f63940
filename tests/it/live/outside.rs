//! Faults that visitors and other mail servers meet.

use frontdoor::store::OpenMode;
use jiff::{SignedDuration, Timestamp};

use super::{House, Known, host, in_hours, report};
use crate::support::database::{Database, deliveries, leads};
use crate::support::process::{Process, frontdoor};
use crate::support::receiver::{Answer, Receiver};
use crate::support::scripted_smtp::{ScriptedServer, Step};

#[tokio::test]
async fn an_expired_certificate() {
    let house = House {
        end: Some(in_hours(-48)),
        ..House::default()
    };
    let report = house.checked().await;
    report.says("TLS", "bad", &["certificate has expired", "renew"]);
    report.says("lead", "unsure", &["could not be sent"]);
}

#[tokio::test]
async fn a_certificate_that_ends_this_week() {
    let house = House {
        end: Some(in_hours(3 * 24 + 12)),
        ..House::default()
    };
    let report = house.checked().await;
    report.says("TLS", "bad", &["3 days are left", "the proxy's log"]);
    report.says("lead", "good", &[]);
}

/// Or this machine's clock is behind by days.
#[tokio::test]
async fn a_certificate_of_the_day_after_tomorrow() {
    let house = House {
        begin: Some(in_hours(48)),
        ..House::default()
    };
    let report = house.checked().await;
    report.says("TLS", "bad", &["not valid yet", "this machine's clock"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_by_minutes_or_by_days() {
    let house = Database::new();
    Process::start(&house.url(), &[]).terminate();
    for (wrong, state, words) in [
        (SignedDuration::from_secs(-30), "good", "the same"),
        (SignedDuration::from_mins(-5), "bad", "5m ahead of"),
        (SignedDuration::from_hours(73), "bad", "3d behind"),
    ] {
        let date = move |_| {
            let time = Timestamp::now() + wrong;
            let date = time.strftime("%a, %d %b %Y %H:%M:%S GMT");
            Answer::Header(200, "date", date.to_string())
        };
        let site = Receiver::start(date).await;
        let mut check = frontdoor(&["check", "--live", "--json", "--url", &site.url]);
        let report = report(check.env("DATABASE_URL", house.url()));
        report.says("clock", state, &[words, "the site's answers"]);
        report.says("clock", "good", &["in the database"]);
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_or_of_nobody_known() {
    let site = House::default().start().await;
    let other = report(site.check().args(["--url", "https://other.example"]));
    other.says(
        "DNS",
        "bad",
        &["other.example has no address", "A and AAAA"],
    );
    let alias = report(site.check().args(["--url", "https://alias.example"]));
    let words = "certificate is for another name";
    alias.says("TLS", "bad", &["alias.example", words, "this very name"]);
    let unknown = report(site.check().env_remove("SSL_CERT_FILE"));
    unknown.says("TLS", "bad", &["certificate is not trusted"]);
}

#[tokio::test]
async fn a_proxy_that_takes_our_hsts_away() {
    let house = House {
        proxy: "proxy_hide_header Strict-Transport-Security;",
        ..House::default()
    };
    house.checked().await.says(
        "HSTS",
        "bad",
        &["FRONTDOOR_TRUSTED_PROXIES", "X-Forwarded-Proto"],
    );
}

#[tokio::test]
async fn a_proxy_that_finds_no_server() {
    let house = House {
        proxy: "return 502;",
        ..House::default()
    };
    let report = house.checked().await;
    report.says("site", "bad", &["status 502", "where it listens"]);
    report.says("lead", "bad", &["status 502"]);
}

/// Everybody behind it would share one rate limit.
#[tokio::test]
async fn a_proxy_of_which_the_server_was_not_told() {
    let house = House {
        trusted: "",
        ..House::default()
    };
    let report = house.checked().await;
    report.says(
        "visitors",
        "bad",
        &["set FRONTDOOR_TRUSTED_PROXIES=127.0.0.1"],
    );
    report.says("HSTS", "bad", &[]);
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
async fn a_port_that_is_closed_and_a_name_nobody_knows() {
    let site = House::default().start().await;
    let closed = report(site.check().args(["--url", "https://127.0.0.1:1"]));
    closed.says("site", "bad", &["refuses connections", "firewall"]);
    let nowhere = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = nowhere.local_addr().unwrap().to_string();
    let mut command = frontdoor(&["check", "--live", "--json"]);
    command
        .args(["--resolver", &silent])
        .env("DATABASE_URL", site.database.url());
    report(&mut command).says("DNS", "unsure", &["does not say", "--resolver"]);
}

#[tokio::test]
async fn records_that_are_missing_or_too_many() {
    let twice = ("maplewire.example", Known::Text("v=spf1 -all"));
    let house = House {
        records: vec![twice.clone(), twice],
        ..House::default()
    };
    let site = house.start().await;
    let mail = crate::support::mail_server::MailServer::start(None);
    let found = report(site.check().env("FRONTDOOR_SMTP_URL", &mail.url));
    found.says("SPF", "bad", &["several"]);
    found.says(
        "DKIM",
        "bad",
        &["one._domainkey.maplewire.example has no key"],
    );
    found.says("DMARC", "bad", &["_dmarc.maplewire.example"]);
    let none = House {
        records: Vec::new(),
        ..House::default()
    };
    let found = report(
        none.start()
            .await
            .check()
            .env("FRONTDOOR_SMTP_URL", &mail.url),
    );
    found.says("SPF", "bad", &["does not say who may send", "v=spf1"]);
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
    let mail = crate::support::mail_server::MailServer::start(Some("away@site.example"));
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
    let turned_away = "does not take away@site.example";
    found.says("mail", "bad", &[turned_away, "FRONTDOOR_NOTIFY_EMAIL"]);
}

#[tokio::test]
async fn a_wrong_password_for_the_mail_server() {
    let site = House::default().start().await;
    let mail =
        ScriptedServer::start(|step, _| (step == Step::Login).then(|| "535 5.7.8 no".to_owned()));
    let url = format!("smtp://user:hush@{}", mail.address);
    let report = report(site.check().env("FRONTDOOR_SMTP_URL", url));
    report.says("mail", "bad", &["535", "FRONTDOOR_SMTP_URL", "password"]);
    assert!(!report.of("mail").contains("hush"));
}

/// The webhook answers while the program is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_refuses() {
    let site = House::default().start().await;
    let webhook = Receiver::start(|_| Answer::Status(404)).await;
    let report = report(site.check().env("FRONTDOOR_WEBHOOK_URL", &webhook.url));
    report.says("webhook", "bad", &["404", "automation"]);
}

/// The address leads to a server on another database.
#[tokio::test]
async fn commands_that_look_at_another_database_than_the_service() {
    let site = House::default().start().await;
    let other = Database::new();
    Process::start(&other.url(), &[]).terminate();
    let report = report(site.check().env("DATABASE_URL", other.url()));
    report.says(
        "lead",
        "bad",
        &[host(), "another database", "frontdoor settings"],
    );
    let store = site.database.open(OpenMode::Existing).await;
    let left = leads(&store).await;
    assert_eq!(left.len(), 1);
    assert!(left[0].is_held() && deliveries(&store).await.is_empty());
}
